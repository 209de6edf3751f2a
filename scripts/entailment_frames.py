# ruff: noqa: E501
"""Statements for the grammar: frames, each with variants that exclude one another, said in several ways, and slots to fill.

``{s}`` and the like are slots; the alternatives of one filler, and the templates of one variant, say the same.
"""

from __future__ import annotations

import random
from typing import NamedTuple


class Frame(NamedTuple):
    """``variants``: templates by variant. ``slots``: fillers by slot, each a list of wordings. ``kinds``: of a change of each."""

    variants: dict[str, list[str]]
    slots: dict[str, list[list[str]]]
    kinds: dict[str, str]


class Fact(NamedTuple):
    """A frame, its variant and the number of each slot's filler."""

    frame: int
    variant: str
    slots: tuple[tuple[str, int], ...]


def _each(words: str) -> list[list[str]]:
    """Fillers from "a/b, c": commas between fillers, strokes between wordings of one."""
    return [[wording.strip() for wording in filler.split("/")] for filler in words.split(",")]


_COUNTS = _each(
    "2/two, 3/three, 4/four, 5/five, 6/six, 7/seven, 8/eight, 10/ten, 12/twelve/a dozen, 15/fifteen, 20/twenty, 25, 30"
)
_LONG = _each("24 hours/a day, 2 days/48 hours, a week/7 days, 14 days/two weeks, 30 days/thirty days, 3 months/a quarter of a year,"
              "6 months/half a year, a year/twelve months, 18 months/a year and a half, 2 years/24 months, 5 years/five years, 10 years")  # fmt: skip
_MANY = _each("members, employees/staff, vehicles, samples, applicants/candidates, invoices/bills, visitors, pupils/students,"
              "tenants/lessees, patients, contracts/agreements, machines, licences/permits, claims, files, tickets, containers")  # fmt: skip
_DONE = _each("insured, registered/entered in the register, inspected/examined, approved, exempt from the fee/free of the fee,"
              "trained, entitled to vote, stored indoors, subject to the levy, kept locked/locked away, recorded/put on record")  # fmt: skip
_STEPS = _each("the deposit is paid/the deposit has been received, the keys are handed over, the contract is signed,"
               "the area is cleared, the power is switched off/the electricity is cut, the report is published, the vote is taken,"
               "the samples are weighed, the panel interviews the candidates, the building is evacuated, the invoice is checked,"
               "the patient is asked for consent, the filter is changed/the filter is replaced, the lawyer is consulted")  # fmt: skip
_WHO = _each("the tenant/the lessee, the landlord, the insurer, the policyholder, the buyer/the purchaser, the seller/the vendor,"
             "the carrier, the consignor, the employer, the employee/the worker, the bank, the account holder, the council,"
             "the licensee, the operator, the trustee, the beneficiary, the contractor, the client/the customer")  # fmt: skip
_COSTS = _each("the repair/repairs, the inspection, the insurance/the insurance premium, the damage, cleaning, the legal fees,"
               "transport/carriage, storage, the survey, the broken lock, the translation, any loss in transit")  # fmt: skip
_TERMS = _each("Equipment, Premises, Dependant, Working day, Vehicle, Document, Goods, Service, Employee, Expense")
_KINDS = _each(
    "pumps, vans, children, laptops, tools, letters, cash, agency staff, travel costs, spare parts, public holidays, e-mails"
)
_LIMITED = _each("the speed, the load/the weight carried, the temperature, the delay, the fine, the interest, the noise level,"
                 "the number of guests, the number of passengers, the rent, the depth of the trench, the humidity, the dose")  # fmt: skip
_VALUES = _each(
    "40, 45, 50/fifty, 55, 60/sixty, 75, 80, 90, 100/one hundred/a hundred, 120, 150, 200/two hundred, 250, 500, 0.5, 1.5/one and a half"
)
_PLACES = _each("section 4, section 14, section 41, Annex B, Annex C, paragraph 3, paragraph 8, Schedule 2, Part 5, Article 12")

FRAMES = (
    Frame(
        {
            "most": ["{s} must not exceed {n}", "{s} may be at most {n}", "{s} is limited to {n}", "{n} is the highest value allowed for {s}",
                     "{s} has to stay at or below {n}", "{s} of more than {n} is not allowed", "{s} may be up to {n} but not above it"],
            "least": ["{s} must be at least {n}", "{s} must not fall below {n}", "{s} has to be {n} or more", "{n} is the minimum for {s}",
                      "{s} of less than {n} is not allowed", "{s} shall be no less than {n}"],
            "exact": ["{s} must be exactly {n}", "{s} has to be {n}, neither more nor less", "{s} is fixed at {n}"],
            "over": ["{s} must be above {n}", "{s} has to exceed {n}", "{s} must be greater than {n}"],
        },
        {"s": _LIMITED, "n": _VALUES}, {"": "comparison", "s": "sister", "n": "number"},
    ),
    Frame(
        {
            "all": ["all {s} are {d}", "{s} are {d} without exception", "there are no {s} that are not {d}", "the {s} are {d}, every one of them"],
            "none": ["no {s} are {d}", "none of the {s} is {d}", "{s} are never {d}", "not one of the {s} is {d}"],
            "some": ["some {s} are {d}", "a few of the {s} are {d}", "there are {s} that are {d}", "at least some of the {s} are {d}"],
            "not all": ["not all {s} are {d}", "some of the {s} are not {d}", "there are {s} that are not {d}"],
            "most": ["most {s} are {d}", "the majority of the {s} are {d}", "more than half of the {s} are {d}"],
        },
        {"s": _MANY, "d": _DONE}, {"": "quantifier", "s": "sister", "d": "sister"},
    ),
    Frame(
        {
            "must": ["before {b}, it is necessary that {a}", "{a} first; only then may it be that {b}", "it is not allowed that {b} until {a}",
                     "{b} only after {a}", "{b} once {a}, and not earlier", "that {a} must come before {b}"],
        },
        {"a": _STEPS, "b": _STEPS}, {"a": "sister", "b": "sister", "ab": "order"},
    ),
    Frame(
        {
            "pays": ["{w} pays for {c}", "{c} is at the cost of {w}", "{w} bears the cost of {c}", "the cost of {c} falls on {w}",
                     "it is {w} who has to meet the cost of {c}"],
            "free": ["{w} does not pay for {c}", "{c} is free of charge for {w}", "{w} bears none of the cost of {c}",
                     "nothing is charged to {w} for {c}"],
            "half": ["{w} pays half the cost of {c}", "{w} bears 50% of the cost of {c}", "half of what {c} costs falls on {w}"],
        },
        {"w": _WHO, "c": _COSTS}, {"": "negation", "w": "actor", "c": "sister"},
    ),
    Frame(
        {
            "from to": ["{a} is liable to {b} for {c}", "{b} can hold {a} liable for {c}", "{a} answers to {b} for {c}",
                        "{b} can claim compensation for {c} from {a}", "{c} is for {a} to make good to {b}"],
            "not": ["{a} is not liable to {b} for {c}", "{b} cannot hold {a} liable for {c}", "{b} has no claim against {a} for {c}",
                    "no liability of {a} to {b} arises from {c}"],
        },
        {"a": _WHO, "b": _WHO, "c": _COSTS}, {"": "negation", "a": "actor", "b": "actor", "c": "sister", "ab": "roles"},
    ),
    Frame(
        {
            "in": ["\"{t}\" includes {a}", "{a} count as \"{t}\"", "in these rules, {a} are among what is meant by \"{t}\"",
                   "the term \"{t}\" extends to {a}"],
            "out": ["\"{t}\" does not include {a}", "{a} do not count as \"{t}\"", "{a} fall outside the term \"{t}\"",
                    "\"{t}\" leaves {a} out"],
            "only": ["\"{t}\" means only {a}", "nothing but {a} counts as \"{t}\"", "\"{t}\" is confined to {a}"],
        },
        {"t": _TERMS, "a": _KINDS}, {"": "definition", "t": "sister", "a": "sister"},
    ),
    Frame(
        {
            "always": ["{s} are always {d}", "{s} are {d} in every case", "in all cases {s} are {d}"],
            "usually": ["{s} are usually {d}", "as a rule {s} are {d}", "{s} are {d} in most cases", "{s} are normally {d}"],
            "rarely": ["{s} are rarely {d}", "{s} are seldom {d}", "only in rare cases are {s} {d}"],
            "may": ["{s} may be {d}", "it is possible that {s} are {d}", "{s} are perhaps {d}"],
        },
        {"s": _MANY, "d": _DONE}, {"": "strength", "s": "sister", "d": "sister"},
    ),
    Frame(
        {
            "both": ["{w} needs the approval of both {a} and {b}", "approval for {w} must come from {a} and from {b}",
                     "unless {a} and {b} have both approved, {w} must wait"],
            "either": ["{w} needs the approval of {a} or {b}", "for {w}, approval by either {a} or {b} is enough",
                       "{w} must wait until one of {a} and {b} has approved"],
            "neither": ["{w} needs the approval of neither {a} nor {b}", "{w} may go ahead without approval from {a} or {b}"],
        },
        {"w": _WHO, "a": _WHO, "b": _WHO}, {"": "and_or", "a": "actor", "b": "actor", "w": "actor", "aw": "roles"},
    ),
    Frame(
        {
            "after": ["after {n} of service {s} are {d}", "{s} are {d} once they have {n} of service", "to be {d}, {s} need {n} of service"],
            "until": ["during their first {n} {s} are {d}", "{s} are {d} until {n} have passed", "{s} are {d} for {n} only"],
        },
        {"n": _LONG, "s": _MANY, "d": _DONE}, {"": "order", "n": "number", "s": "sister", "d": "sister"},
    ),
    Frame(
        {
            "is": ["{p} applies to {s}", "{s} are subject to {p}", "{s} come under {p}", "{p} covers {s}"],
            "not": ["{p} does not apply to {s}", "{s} are exempt from {p}", "{s} fall outside {p}", "{p} leaves {s} unaffected"],
            "only": ["{p} applies only to {s}", "{p} applies to nobody and nothing but {s}", "only {s} come under {p}"],
        },
        {"p": _PLACES, "s": _MANY}, {"": "scope", "p": "reference", "s": "sister"},
    ),
    Frame(
        {
            "cause": ["if {a}, {b} as a result", "that {b} follows from {a}", "{b} because {a}", "owing to the fact that {a}, {b}"],
            "despite": ["although {a}, {b}", "{b} even though {a}", "{b} in spite of the fact that {a}"],
        },
        {"a": _STEPS, "b": _STEPS}, {"": "condition", "a": "sister", "b": "sister", "ab": "cause"},
    ),
    Frame(
        {
            "may": ["up to {n} {s} may be taken on", "no more than {n} {s} may be taken on", "taking on more than {n} {s} is forbidden"],
            "must": ["at least {n} {s} must be taken on", "no fewer than {n} {s} have to be taken on", "{n} or more {s} must be taken on"],
            "need": ["there is no need to take on {n} {s}", "{n} {s} need not be taken on"],
        },
        {"n": _COUNTS, "s": _MANY}, {"": "comparison", "n": "number", "s": "sister"},
    ),
)  # fmt: skip


def fact(rng: random.Random) -> Fact:
    """Any frame, filled; two slots with the same fillers get different ones."""
    number = rng.randrange(len(FRAMES))
    frame = FRAMES[number]
    taken: dict[int, set[int]] = {}
    slots = []
    for name, fillers in frame.slots.items():
        used = taken.setdefault(id(fillers), set())
        filler = rng.choice([at for at in range(len(fillers)) if at not in used])
        used.add(filler)
        slots.append((name, filler))
    return Fact(number, rng.choice(list(frame.variants)), tuple(slots))


def altered(one: Fact, rng: random.Random) -> tuple[Fact, str]:
    """Another variant, another filler, or two of one list exchanged; and the kind of the difference."""
    frame, slots = FRAMES[one.frame], dict(one.slots)
    ways = [way for way in frame.kinds if way or len(frame.variants) > 1]
    way = rng.choice([*ways, *(way for way in ways if len(way) != 1)])
    if not way:
        variant = rng.choice([each for each in frame.variants if each != one.variant])
        return one._replace(variant=variant), frame.kinds[way]
    if len(way) == 2:
        slots[way[0]], slots[way[1]] = slots[way[1]], slots[way[0]]
    else:
        used = {number for name, number in slots.items() if frame.slots[name] is frame.slots[way]}
        slots[way] = rng.choice([at for at in range(len(frame.slots[way])) if at not in used])
    return one._replace(slots=tuple(slots.items())), frame.kinds[way]


def said(one: Fact, rng: random.Random) -> str:
    """A sentence that says it."""
    frame = FRAMES[one.frame]
    words = {name: rng.choice(frame.slots[name][filler]) for name, filler in one.slots}
    text = rng.choice(frame.variants[one.variant]).format(**words)
    return text[0].upper() + text[1:] + "."
