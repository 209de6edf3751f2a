from __future__ import annotations

import pytest

from pincite.index.analyze import terms


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Under § 211.22(a), drug products are released.", ["under", "211.22", "211.22(a)", "drug", "product", "releas"]),
        ("42 U.S.C. 2000e-2", ["42", "u", "s", "c", "2000e-2"]),
        ("the agency’s duties, the agency's duties", ["agenc", "duti", "agenc", "duti"]),
        ("21 CFR 211.22(a)(1)", ["21", "cfr", "211.22", "211.22(a)(1)"]),
        ("", []),
        ("— §§ …", []),
        ("x" * 5000 + " batch", ["batch"]),
        ("Straße Øre", ["straße", "øre"]),
    ],
)
def test_terms(text: str, wanted: list[str]) -> None:
    assert terms(text) == wanted
