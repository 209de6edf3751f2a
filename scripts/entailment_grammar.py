"""Rules made by a small grammar: a meaning of slots, said in many ways; the same meaning is the same, one other slot is not.

Who writes pairs by hand writes hundreds; a cross-encoder that starts from a model of single texts needs tens of thousands to
learn to set two texts side by side at all. These have the logic of the real ones (who, what, to whom, when, how often, above
what, if, unless, must or may) in simpler words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import entailment_frames as frames
from entailment_frames import Fact
from entailment_words import (
    EVENTS,
    GIVING,
    MANNERS,
    MODES,
    OFTEN,
    ON_PAPERS,
    ON_PEOPLE,
    ON_THINGS,
    PAPERS,
    ROLES,
    SPANS,
    STATES,
    SUMS,
    THINGS,
)

SAME = "same"
T = TypeVar("T")


class Rule(NamedTuple):
    """One rule by its slots, each an index into the lists above or None."""

    mode: str
    field: int  # what is done to: papers, things, people, papers given to somebody
    act: int
    who: int
    what: int
    other: int | None  # a second thing, joined by "and" or "or"
    joint: str
    whom: int | None
    manner: int | None
    often: int | None
    deadline: tuple[str, int, int, int] | None  # within, before, not before; a span; an event with its noun
    above: tuple[str, str] | None
    condition: tuple[int, int, bool] | None
    exception: tuple[int, int, bool] | None


Way = Callable[[], tuple[Rule, str]]
"""Makes another rule of one, and says what is another."""
_VERBS = (ON_PAPERS, ON_THINGS, ON_PEOPLE, GIVING)
_OBJECTS = (PAPERS, THINGS, ROLES, PAPERS)


def example(rng: random.Random) -> tuple[str, str, str]:
    """Two texts and the kind of their difference, or ``SAME``."""
    rules = [_stated(rng) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))]
    other, kind = list(rules), SAME
    if rng.random() < 0.6:
        other, kind = _changed(rules, rng)
    return _text(rules, rng), _text(other, rng), kind


def _other(rng: random.Random, size: int, but: int | None) -> int:
    return rng.choice([at for at in range(size) if at != but])


def _state(rng: random.Random) -> tuple[int, int, bool]:
    return rng.randrange(len(STATES)), rng.randrange(10**6), rng.random() < 0.7


def _deadline(rng: random.Random) -> tuple[str, int, int, int]:
    how = rng.choice(("within", "within", "ahead", "before", "after"))
    return how, rng.randrange(len(SPANS)), rng.randrange(len(EVENTS)), rng.randrange(10**6)


def _stated(rng: random.Random) -> Rule | Fact:
    return _rule(rng) if rng.random() < 0.6 else frames.fact(rng)


def _rule(rng: random.Random) -> Rule:
    field = rng.randrange(4)
    who = rng.randrange(len(ROLES))
    what = _other(rng, len(_OBJECTS[field]), who if field == 2 else None)
    mode = rng.choice((*MODES, "must", "must not", "may"))

    def some(chance: float, value: T) -> T | None:
        return value if rng.random() < chance else None

    excepted = mode in ("must", "must not") and rng.random() < 0.45
    return Rule(
        mode,
        field,
        rng.randrange(len(_VERBS[field])),
        who,
        what,
        _other(rng, len(_OBJECTS[field]), what) if field != 2 and rng.random() < 0.15 else None,
        rng.choice(("and", "or")),
        _other(rng, len(ROLES), who) if field == 3 else None,
        some(0.25, rng.randrange(len(MANNERS))),
        some(0.2 if mode in ("must", "should") else 0, rng.randrange(len(OFTEN))),
        some(0.35 if mode != "must not" else 0.1, _deadline(rng)),
        some(0.15, (rng.choice(("more", "less", "least", "most")), rng.choice(SUMS))),
        some(0.3, _state(rng)),
        _state(rng) if excepted else None,
    )


# --- one slot changed ------------------------------------------------------------------------------------------------------


def _changed(rules: list[Rule | Fact], rng: random.Random) -> tuple[list[Rule | Fact], str]:
    rules = list(rules)
    if len(rules) > 1 and rng.random() < 0.3:
        return rules, _between(rules, rng)
    at = rng.randrange(len(rules))
    one = rules[at]
    rules[at], kind = _altered(one, rng) if isinstance(one, Rule) else frames.altered(one, rng)
    return rules, kind


def _between(rules: list[Rule | Fact], rng: random.Random) -> str:
    """Something exchanged between two rules, or one of them left out or added."""
    one, two = rng.sample(range(len(rules)), 2)
    a, b = rules[one], rules[two]
    ways = _exchanges(a, b) if isinstance(a, Rule) and isinstance(b, Rule) else {}
    way = rng.choice(["omission", "addition", *ways])
    if way == "omission":
        del rules[one]
    elif way == "addition":
        rules.insert(one, _stated(rng))
    else:
        rules[one], rules[two] = ways[way]
    return way


def _exchanges(a: Rule, b: Rule) -> dict[str, tuple[Rule, Rule]]:
    """Both rules with one slot of theirs exchanged, by the kind of difference."""
    ways = {}
    if a.who != b.who:
        ways["roles"] = (a._replace(who=b.who), b._replace(who=a.who))
    if a.deadline and b.deadline and a.deadline[1] != b.deadline[1] and {a.deadline[0], b.deadline[0]} <= {"within", "ahead"}:
        swapped = [(one[0], two[1], *one[2:]) for one, two in ((a.deadline, b.deadline), (b.deadline, a.deadline))]
        ways["exchange"] = (a._replace(deadline=swapped[0]), b._replace(deadline=swapped[1]))
    if a.condition != b.condition:
        ways["scope"] = (a._replace(condition=b.condition), b._replace(condition=a.condition))
    if a.mode != b.mode and not (a.exception or b.exception):
        ways["modality"] = (a._replace(mode=b.mode), b._replace(mode=a.mode))
    return ways


def _altered(rule: Rule, rng: random.Random) -> tuple[Rule, str]:
    def mode() -> tuple[Rule, str]:
        others = [each for each in MODES if each != rule.mode and (not rule.exception or each in ("must", "must not"))]
        other = rng.choice(others)
        return rule._replace(mode=other), "negation" if "not" in other + rule.mode else "modality"

    def roles() -> tuple[Rule, str]:
        if rule.field == 2:
            return rule._replace(who=rule.what, what=rule.who), "roles"
        if rule.whom is not None:
            return rule._replace(who=rule.whom, whom=rule.who), "roles"
        return rule._replace(who=_other(rng, len(ROLES), rule.who)), "actor"

    ways: list[Way] = [
        mode,
        roles,
        roles,
        lambda: (rule._replace(who=_other(rng, len(ROLES), rule.who)), "actor"),
        lambda: (rule._replace(act=_other(rng, len(_VERBS[rule.field]), rule.act)), "sister"),
        lambda: (rule._replace(what=_other(rng, len(_OBJECTS[rule.field]), rule.what)), "sister"),
    ]
    if rule.other is not None:
        ways.append(lambda: (rule._replace(joint="or" if rule.joint == "and" else "and"), "and_or"))
        ways.append(lambda: (rule._replace(other=None), "omission"))
    ways += _in_time(rule, rng) + _in_conditions(rule, rng)
    return rng.choice(ways)()


def _in_time(rule: Rule, rng: random.Random) -> list[Way]:
    ways: list[Way] = []
    if rule.manner is not None:
        ways.append(lambda: (rule._replace(manner=_other(rng, len(MANNERS), rule.manner)), "sister"))
        ways.append(lambda: (rule._replace(manner=None), "omission"))
    if rule.often is not None:
        ways.append(lambda: (rule._replace(often=_other(rng, len(OFTEN), rule.often)), "sister"))
    if rule.deadline is not None:
        how, span, event, key = rule.deadline
        turned = {"within": "ahead", "ahead": "within", "before": "after", "after": "before"}[how]
        ways.append(lambda: (rule._replace(deadline=(turned, span, event, key)), "order"))
        ways.append(lambda: (rule._replace(deadline=(how, span, _other(rng, len(EVENTS), event), key)), "sister"))
        ways.append(lambda: (rule._replace(deadline=None), "omission"))
        if how in ("within", "ahead"):
            ways += [lambda: (rule._replace(deadline=(how, _other(rng, len(SPANS), span), event, key)), "number")] * 2
    if rule.above is not None:
        sense, value = rule.above
        turned_ = {"more": "less", "less": "more", "least": "most", "most": "least"}[sense]
        ways += [lambda: (rule._replace(above=(turned_, value)), "comparison")] * 2
        ways.append(lambda: (rule._replace(above=(sense, rng.choice([s for s in SUMS if s != value]))), "number"))
        ways.append(lambda: (rule._replace(above=None), "condition_lost"))
    return ways


def _in_conditions(rule: Rule, rng: random.Random) -> list[Way]:
    ways: list[Way] = []
    if rule.condition:
        state, key, holds = rule.condition
        ways.append(lambda: (rule._replace(condition=(state, key, not holds)), "negation"))
        ways.append(lambda: (rule._replace(condition=None), "condition_lost"))
        ways.append(lambda: (rule._replace(condition=(_other(rng, len(STATES), state), key, holds)), "sister"))
    else:
        ways.append(lambda: (rule._replace(condition=_state(rng)), "condition_added"))
    if rule.exception:
        state, key, holds = rule.exception
        ways.append(lambda: (rule._replace(exception=(state, key, not holds)), "exception_flipped"))
        ways.append(lambda: (rule._replace(exception=None), "exception_lost"))
        ways.append(lambda: (rule._replace(exception=None, condition=rule.exception), "exception_flipped"))
    return ways


# --- saying it -------------------------------------------------------------------------------------------------------------


def _text(rules: Sequence[Rule | Fact], rng: random.Random) -> str:
    said = [_said(rule, rng) if isinstance(rule, Rule) else frames.said(rule, rng) for rule in rules]
    rng.shuffle(said)
    return " ".join(said)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _filled(template: str, key: int, rng: random.Random) -> str:
    """The nouns of a state or event: chosen by *key*, so always the same, each by any of its names."""
    return template.format(
        p=rng.choice(PAPERS[key % len(PAPERS)]),
        t=rng.choice(THINGS[key % len(THINGS)]),
        r=rng.choice(ROLES[key % len(ROLES)]),
    )


def _said(rule: Rule, rng: random.Random) -> str:
    verb, participle, gerund = rng.choice(_VERBS[rule.field][rule.act])
    who = "the " + rng.choice(ROLES[rule.who])
    tail = _tail(rule, rng)
    condition = _clause(rule.condition, ("if", "where", "when", "in the event that", "provided that"), rng)
    exception = ""
    mode, only = rule.mode, ""
    if rule.exception:
        if mode == "must not" and rng.random() < 0.5:
            mode = "may"
            only = _clause(rule.exception, ("only if", "only where", "only when", "but only if", "solely where"), rng)
        else:
            exception = _clause(rule.exception, ("unless", "except where", "save where", "except if"), rng)
    core = _core(mode, rule, (verb, participle, gerund), who, tail, rng)
    return _arranged(core, condition, exception, only, mode, rng)


def _arranged(core: str, condition: str, exception: str, only: str, mode: str, rng: random.Random) -> str:
    """The core with what limits it: before, after, or in a sentence of its own."""
    core = f"{core} {only}" if only else core
    later = []
    if exception and rng.random() < 0.35:
        held = exception.split(" ", 2 if exception.startswith(("except", "save")) else 1)[-1]
        later.append(
            rng.choice(
                (f"this does not apply where {held}", f"the only exception is where {held}", f"it is otherwise if {held}")
            )
        )
        exception = ""
    parts = [part for part in (condition, exception) if part]
    rng.shuffle(parts)
    front = parts.pop() if parts and rng.random() < 0.5 else ""
    text = f"{front}, {core}" if front else core
    for part in parts:
        text += rng.choice((" ", ", ")) + part
    return " ".join(_sentence(each) for each in (text, *later))


def _clause(state: tuple[int, int, bool] | None, words: Sequence[str], rng: random.Random) -> str:
    if state is None:
        return ""
    number, key, holds = state
    return f"{rng.choice(words)} {_filled(STATES[number][0 if holds else 1], key, rng)}"


def _what(rule: Rule, rng: random.Random) -> str:
    names = _OBJECTS[rule.field]
    what = "the " + rng.choice(names[rule.what])
    if rule.other is not None:
        one, two = what, "the " + rng.choice(names[rule.other])
        if rng.random() < 0.5:
            one, two = two, one
        ways = ("{} and {}", "both {} and {}", "{} as well as {}") if rule.joint == "and" else ("{} or {}", "either {} or {}")
        what = rng.choice(ways).format(one, two)
    if rule.above is not None:
        sense, value = rule.above
        ways = {
            "more": ("worth more than {}", "with a value above {}", "whose value exceeds {}"),
            "less": ("worth less than {}", "with a value below {}", "whose value is under {}"),
            "least": ("worth at least {}", "with a value of {} or more", "worth no less than {}"),
            "most": ("worth at most {}", "with a value of up to {}", "worth no more than {}"),
        }[sense]
        what += " " + rng.choice(ways).format(value)
    return what


def _tail(rule: Rule, rng: random.Random) -> str:
    parts = []
    if rule.manner is not None:
        parts.append(rng.choice(MANNERS[rule.manner]))
    if rule.often is not None:
        parts.append(rng.choice(OFTEN[rule.often]))
    if rule.deadline is not None:
        how, span, event, key = rule.deadline
        noun, clause = (_filled(each, key, rng) for each in EVENTS[event])
        length = rng.choice(SPANS[span])
        ways = {
            "within": (
                f"within {length} of {noun}",
                f"no later than {length} after {noun}",
                f"not more than {length} after {clause}",
            ),
            "ahead": (
                f"at least {length} before {noun}",
                f"not less than {length} before {clause}",
                f"{length} or more ahead of {noun}",
            ),
            "before": (f"before {clause}", f"prior to {noun}", f"ahead of {noun}"),
            "after": (f"after {noun}", f"once {clause}", f"following {noun}"),
        }[how]
        parts.append(rng.choice(ways))
    rng.shuffle(parts)
    return " ".join(parts)


_ACTIVE = {
    "must": ("must {v}", "shall {v}", "has to {v}", "is required to {v}", "is obliged to {v}", "is responsible for {g}"),
    "must not": (
        "must not {v}",
        "may not {v}",
        "shall not {v}",
        "is not allowed to {v}",
        "is forbidden to {v}",
        "is barred from {g}",
    ),
    "may": ("may {v}", "is allowed to {v}", "is free to {v}", "is entitled to {v}", "can {v}", "has the right to {v}"),
    "need not": (
        "need not {v}",
        "does not have to {v}",
        "is not required to {v}",
        "is under no duty to {v}",
        "is excused from {g}",
    ),
    "should": ("should {v}", "is advised to {v}", "ought to {v}", "is encouraged to {v}", "would do well to {v}"),
}
_PASSIVE = {
    "must": ("must be", "shall be", "has to be", "is to be", "is required to be"),
    "must not": ("must not be", "may not be", "shall not be", "is not to be"),
    "may": ("may be", "can be", "is allowed to be"),
    "need not": ("need not be", "does not have to be", "is not required to be"),
    "should": ("should be", "ought to be"),
}
_IMPERSONAL = {
    "must": ("it is the duty of {w} to {v}", "it falls to {w} to {v}", "{w} is under a duty to {v}"),
    "must not": ("it is forbidden for {w} to {v}", "under no circumstances may {w} {v}", "{g} is prohibited for {w}"),
    "may": ("it is open to {w} to {v}", "nothing stops {w} from {g}", "{w} is at liberty to {v}"),
    "need not": ("there is no need for {w} to {v}", "{w} is not obliged to {v}", "{g} is optional for {w}"),
    "should": ("it is advisable for {w} to {v}", "{w} is recommended to {v}"),
}


def _core(mode: str, rule: Rule, verb: tuple[str, str, str], who: str, tail: str, rng: random.Random) -> str:
    what = _what(rule, rng)
    to = " to the " + rng.choice(ROLES[rule.whom]) if rule.whom is not None else ""
    rest = f" {tail}" if tail else ""
    way = rng.random()
    if way < 0.35:
        return f"{what} {rng.choice(_PASSIVE[mode])} {verb[1]}{to} by {who}{rest}"
    said = {"v": f"{verb[0]} {what}{to}{rest}", "g": f"{verb[2]} {what}{to}{rest}"}
    if way < 0.55:
        return rng.choice(_IMPERSONAL[mode]).format(w=who, **said)
    return f"{who} {rng.choice(_ACTIVE[mode]).format(**said)}"
