"""Legal citation lines: entries, inherited instruments, markers."""

from __future__ import annotations

import pytest

from pincite.references.legal import legal_mentions


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("1 SPC Act 02, s 1(1); 2 SPC Regs, reg 1(1)", ["SPC Act 02, s 1(1)", "SPC Regs, reg 1(1)"]),
        ("1 SPC Regs, reg 5(1)(f); 2 reg 5(1A)(a)", ["SPC Regs, reg 5(1)(f)", "SPC Regs, reg 5(1A)(a)"]),
        ("1 SPC Regs, reg 1(2); Care Standards Act 2000, s 3", ["SPC Regs, reg 1(2)", "Care Standards Act 2000, s 3"]),
        ("1 R(SB) 22/87", ["R(SB) 22/87"]),
        ("1 WRA 12, s 5(1); 2 ibid, s 6; 3 s 7", ["WRA 12, s 5(1)", "WRA 12, s 6", "WRA 12, s 7"]),
        ("2 Imm Regs, Reg 4(1)(b); 3 4(3)(b)", ["Imm Regs, Reg 4(1)(b)", "Imm Regs, Reg 4(3)(b)"]),
        ("1 EEA Agreement, Art 13; the Swiss Agreement, Art 21", ["EEA Agreement, Art 13", "Swiss Agreement, Art 21"]),
        ("1 W R A ct 0 7, s 2( 2) & 4( 4); 2 E S A R e gs, r e g 4", [None]),
        ("1 sch 1, para 31(1)", [None]),
        ("1. SPC Regs, Sch IIA(2); SS CB Act 92, s 137(1)", ["SPC Regs, Sch IIA (2)", "SS CB Act 92, s 137(1)"]),
        ("1 Care (Scotland) Act 2001, s 2(3) & (5),\nCare (Wales) Act 2016 Sch 1",
         ["Care (Scotland) Act 2001, s 2(3) & (5) Care (Wales) Act 2016 Sch 1"]),
        ("1 SS (PIP) regs, reg 30(2) & 31(2). 2 reg 29(3)", ["SS (PIP) regs, reg 30(2) & 31(2)", "SS (PIP) regs, reg 29(3)"]),
    ],
)  # fmt: skip
def test_entries(line: str, targets: list[str | None]) -> None:
    made = list(legal_mentions(line))
    assert [(mention.target_node_id or "").replace(" (2)", "(2)") or None for mention in made] == [
        target and target.replace(" (2)", "(2)") for target in targets
    ]
    for mention in made:
        assert line[mention.start : mention.end] == mention.text


def test_the_marker_is_kept() -> None:
    assert [mention.reason for mention in legal_mentions("1 SPC Act 02, s 1; 2 SPC Regs, reg 2")] == ["marker 1", "marker 2"]
