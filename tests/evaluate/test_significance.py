"""The paired tests against values computed another way."""

from __future__ import annotations

import pytest

from pincite.evaluate.significance import bootstrap, mcnemar, paired_bootstrap


@pytest.mark.parametrize(("only_first", "only_second"), [(0, 0), (1, 0), (3, 3), (9, 2), (0, 12), (25, 14)])
def test_mcnemar_agrees_with_scipy_binomial(only_first: int, only_second: int):
    from scipy.stats import binomtest

    first = [True] * only_first + [False] * only_second + [True, False]
    second = [False] * only_first + [True] * only_second + [True, False]
    result = mcnemar(first, second)
    total = only_first + only_second
    wanted = binomtest(only_first, total, 0.5).pvalue if total else 1.0
    assert (result.only_first, result.only_second) == (only_first, only_second)
    assert result.p_value == pytest.approx(wanted, abs=1e-12)


def test_mcnemar_needs_the_same_questions():
    with pytest.raises(ValueError, match="paired"):
        mcnemar([True], [])


def test_bootstrap_covers_the_share_and_is_repeatable():
    units = [(1.0, 1)] * 30 + [(0.0, 1)] * 10
    interval = bootstrap(units)
    assert interval.value == 0.75
    assert 0.55 < interval.low < 0.75 < interval.high < 0.92
    assert bootstrap(units) == interval
    assert bootstrap([]) == (0.0, 0.0, 0.0)


def test_a_pair_that_always_gains_has_a_positive_interval():
    first = [(0.0, 2)] * 10 + [(2.0, 2)] * 10
    second = [(1.0, 2)] * 10 + [(2.0, 2)] * 10
    interval = paired_bootstrap(first, second)
    assert interval.value == pytest.approx(0.25)
    assert interval.low > 0
    with pytest.raises(ValueError, match="paired"):
        paired_bootstrap(first, second[1:])
