"""Case facts to laws and elements, by exact quotes of annotated neighbours."""

from pincite.match.matching import Match, Matcher, match, matcher
from pincite.match.search import MatchIndex
from pincite.match.snapshot import Snapshot, load

__all__ = ["Match", "MatchIndex", "Matcher", "Snapshot", "load", "match", "matcher"]
