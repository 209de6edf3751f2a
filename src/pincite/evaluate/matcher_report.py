"""The matcher's evaluation, for people and for programs."""

from __future__ import annotations

from pincite.evaluate.matcher import DECISION, MatcherReport

_COLUMNS = (
    ("law_top_1", "law top-1"),
    ("law_top_3", "law top-3"),
    ("element_recall_5_given_law", "elements@5|law"),
    ("element_recall_5", "elements@5"),
    ("element_recall_5_satisfied_only", "satisfied@5"),
    ("variant_recall_5", "variants@5"),
)


def lines(report: MatcherReport) -> list[str]:
    """One table of the methods, the paired tests, one table of the laws, and what was turned away."""
    shares = {(share.index_kind, share.name): share for share in report.shares}
    columns = [column for column in _COLUMNS if ("bm25", column[0]) in shares]
    methods = list(dict.fromkeys(share.index_kind for share in report.shares))
    found = [report.name, f"{report.cases} cases left out in turn, {report.background} background cases"]
    found.append(f"{'':9}" + "".join(f"{title:>16}" for _, title in columns))
    for method in methods:
        cells = [shares.get((method, name)) for name, _ in columns]
        texts = [f"{cell.numerator:g}/{cell.denominator}" if cell else "-" for cell in cells]
        found.append(f"{method:9}" + "".join(f"{text:>16}" for text in texts))
    if report.unseen:
        found.append(
            f"{report.unseen} of the cases has a law that no other case has: searched, it counts as missed; "
            "the decision ranks such a law by what speaks against the others"
        )
    for (first, second), test in report.tests.items():
        found.append(
            f"law top-1, {first} against {second}: {test.only_first} and {test.only_second} cases right alone, "
            f"exact two-sided McNemar p = {test.p_value:.4f}"
        )
    found.append(f"{'law':15}{'cases':>6}  top-1 / top-3 by " + ", ".join(methods))
    for law in report.laws:
        pairs = [f"{law.first[method]}/{law.first_three[method]}" for method in methods]
        found.append(f"{law.law_id:15}{law.cases:>6}  " + "  ".join(f"{pair:>7}" for pair in pairs))
    for one in report.rejections:
        share = one.rejected / one.cases if one.cases else 0.0
        found.append(
            f"{one.kind} negatives rejected: {one.rejected}/{one.cases} = {share:.3f}, accepted {one.cases - one.rejected}, "
            f"while {one.lawful_kept}/{one.lawful} lawful cases are kept"
        )
    if report.failed:
        found.append(f"not ranked first by the {DECISION}: {', '.join(report.failed)}")
    return found


def rows(report: MatcherReport) -> list[dict[str, object]]:
    """Every figure as a row."""
    found: list[dict[str, object]] = [
        {"on": report.name, "measure": share.name, "method": share.index_kind, "numerator": share.numerator,
         "denominator": share.denominator, "value": share.value}
        for share in report.shares
    ]  # fmt: skip
    for (first, second), test in report.tests.items():
        found.append({"on": report.name, "measure": "mcnemar_law_top_1", "methods": [first, second], **test._asdict()})
    found += [{"on": report.name, "measure": "law", **law._asdict()} for law in report.laws]
    found += [{"on": report.name, "measure": "rejected", **one._asdict()} for one in report.rejections]
    return found
