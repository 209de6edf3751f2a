"""From a question to quotable evidence: search, abstain, expand, follow, assemble.

from pincite.retrieve import Budget, Corpus, answer
"""

from pincite.retrieve.abstain import Abstainer, Decision
from pincite.retrieve.answer import answer, log_row
from pincite.retrieve.assemble import Budget
from pincite.retrieve.corpus import Corpus

__all__ = ["Abstainer", "Budget", "Corpus", "Decision", "answer", "log_row"]
