"""Which names a scope may have: they become partitions of tables, names of folders, and literals in SQL."""

from __future__ import annotations

import re

from pincite.errors import UsageError
from pincite.model import Scope

MAX_SCOPE_NAME = 100
_SCOPE_NAME = re.compile(r"[\w][\w .+-]*", re.UNICODE)


def checked_scope(scope: Scope) -> Scope:
    """*scope* itself, if both names are safe in a path, in SQL and on a screen; else ``UsageError``.

    >>> checked_scope(Scope("fda", "gmp 2026"))
    Scope(project='fda', collection='gmp 2026')
    """
    for kind, name in zip(("project", "collection"), scope):
        good = isinstance(name, str) and len(name) <= MAX_SCOPE_NAME and _SCOPE_NAME.fullmatch(name) and name == name.strip()
        if not good:
            raise UsageError(
                f"the {kind} name {str(name)[:40]!r} is not allowed",
                next="use letters, digits, spaces, '.', '+', '_' and '-', beginning with a letter or digit, at most "
                f"{MAX_SCOPE_NAME} characters",
            )
    return Scope(*scope)
