"""The numbers headings carry: "3.2 Scope", "IV. Records", "Annex B: Forms"."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"""(?P<label>
        (?i:section|chapter|part|article|annex|appendix|schedule|step|clause|§{1,2})\s* (?:\d+|[A-Z]|[IVXLC]+) (?:\.\d+)*\b
      | \d{1,3}(?:\.\d{1,3})+      # 3.2, 3.2.1
      | [A-Z](?:\.\d{1,3})+        # A.1
      | \d{1,3}(?=[.)]\s)          # 3. 3)
      | [IVXL]{1,6}(?=\.\s)        # IV.
      | [A-Z](?=[.)]\s)             # A. A)
      | \d{1,2}(?=\ +[^\W\d_a-z])  # 3 Scope
    )[.:)]? (?:\s*[–—-])? \s+ (?P<rest>\S.*)""",
    re.VERBOSE,
)


def split_number(heading: str) -> tuple[str, str]:
    """The number a heading begins with, without its full stop, and the words after it; ("", heading) where it has none.

    >>> split_number("3.2 Response targets")
    ('3.2', 'Response targets')
    >>> split_number("Annex B: Forms")
    ('Annex B', 'Forms')
    >>> split_number("2024 budget")
    ('', '2024 budget')
    """
    found = _NUMBER.match(heading)
    return (found["label"], found["rest"]) if found else ("", heading)
