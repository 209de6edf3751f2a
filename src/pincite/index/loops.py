"""The loops that ``kernels`` compiles, as plain Python: types are left open on purpose, numba finds them."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np


def best(scores, floor, k, mask):
    """See ``kernels.best``. A sorted list of *k*: almost every score fails the first comparison, so insertion is rare."""
    places = np.empty(k, np.int64)
    values = np.empty(k, scores.dtype)
    count = 0
    limit = floor
    for at in range(scores.shape[0]):
        value = scores[at]
        if value > limit and (mask.shape[0] == 0 or mask[at]):
            slot = min(count, k - 1)
            while slot > 0 and values[slot - 1] < value:
                values[slot] = values[slot - 1]
                places[slot] = places[slot - 1]
                slot -= 1
            values[slot] = value
            places[slot] = at
            count = min(count + 1, k)
            if count == k:
                limit = values[k - 1]
    return places[:count]


def add_postings(total, documents, weights, factor):
    """See ``kernels.add_postings``."""
    for at in range(documents.shape[0]):
        total[documents[at]] += weights[at] * factor
