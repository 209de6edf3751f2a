"""One file per measure. Each stands alone: they count different things, and their sum would mean nothing.

Where a denominator is a count of obligations it is the gold set's, whatever was answered, refused or cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pincite.evaluate.staff.measures.activation import activation
from pincite.evaluate.staff.measures.delivery import whole_unit_delivery
from pincite.evaluate.staff.measures.dependency import dependency_coverage
from pincite.evaluate.staff.measures.discovery import discovery
from pincite.evaluate.staff.measures.latency import latency
from pincite.evaluate.staff.measures.navigation import navigation
from pincite.evaluate.staff.measures.relationship import relationship_coverage
from pincite.evaluate.staff.measures.size import size
from pincite.evaluate.staff.measures.support import claim_support
from pincite.evaluate.staff.outcome import Asked, Reading

Measure = Callable[[Sequence[Asked]], list[Reading]]

ALL: tuple[Measure, ...] = (
    discovery,
    activation,
    whole_unit_delivery,
    relationship_coverage,
    dependency_coverage,
    navigation,
    claim_support,
    size,
    latency,
)
