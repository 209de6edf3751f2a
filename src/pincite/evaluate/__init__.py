"""Gold sets, one file per measure, paired significance, tracking."""

from pincite.evaluate.gold import Gold, load
from pincite.evaluate.run import Reply, Report, Setting, run, shortfalls

__all__ = ["Gold", "Reply", "Report", "Setting", "load", "run", "shortfalls"]
