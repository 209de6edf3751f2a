"""References of a team's own PDF: what its other documents say, beside the numbers that manuals use.

"See the Leave Policy", "section 2.2 of log-rules.txt" name other documents and win over a number alone; "paragraph 4.2" is a
place of the document itself, as in a manual.
"""

from __future__ import annotations

from collections.abc import Mapping

from pincite.model import Document, Mention, Observed, Place
from pincite.references import internal, manual
from pincite.references.observing import together

__all__ = ["mentions", "observed"]


def mentions(text: str, at: Place, names: Mapping[str, str]) -> list[Mention]:
    """The references in a text that stands at a place of a team's own document."""
    return internal.mentions(text, at, names)


def observed(document: Document, names: Mapping[str, str]) -> list[Observed]:
    """Every reference of a PDF, in order. None overlaps another."""
    own = internal.observed(document, names)
    here = [each for each in own if each.mention.sought.startswith("here:")]
    others = [each for each in own if not each.mention.sought.startswith("here:")]
    return together(together(others, manual.observed(document, names)), here)
