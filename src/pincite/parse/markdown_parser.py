"""The parser of Markdown: markdown-it, with the places of links and footnote marks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

MAX_NESTING = 100
"""Lists and quotations inside each other; what is deeper is kept as text. CommonMark sets no limit, the library 20."""

Rule = Callable[[StateInline, bool], bool]


@lru_cache(maxsize=2)
def parser(terms: bool) -> MarkdownIt:
    """Blocks only: inline text is parsed where it has markup at all, which saves most of the time.

    *terms*: definition lists too, whose rule looks at every line.
    """
    made = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"]).use(footnote_plugin)
    made.use(admon_plugin)
    if terms:
        made.use(deflist_plugin)
    made.core.ruler.disable(["inline", "footnote_tail"])
    made.inline.ruler.disable("footnote_inline")
    rules = {rule.name: rule.fn for rule in made.inline.ruler.__rules__}
    for name in ("link", "autolink", "footnote_ref"):
        made.inline.ruler.at(name, _placed(rules[name]))
    return made


def _placed(rule: Rule) -> Rule:
    """*rule*, noting in the first token it makes where in the text it stands."""

    def placed(state: StateInline, silent: bool) -> bool:
        at, count = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        for token in state.tokens[count:]:
            if token.type in ("link_open", "footnote_ref"):
                token.meta = {**token.meta, "at": at, "to": state.pos}
                break
        return True

    return placed
