"""Quality of a team's documents, told before anything is paid for: deterministic, without a model or a clock.

``check(document)`` looks at one document, ``across(documents)`` at a corpus. An *issue* stops its document, whose earlier rows
stay; a *warning* does not. Every code has a section in ``docs/quality.md``.
"""

from __future__ import annotations

from pincite.quality.codes import CODES, ISSUE, WARNING, Problem
from pincite.quality.corpus import across
from pincite.quality.document import check, checked

__all__ = ["CODES", "ISSUE", "WARNING", "Problem", "across", "check", "checked"]
