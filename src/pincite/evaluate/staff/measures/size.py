from collections.abc import Sequence
from statistics import median

from pincite.evaluate.staff.outcome import Asked, Reading


def size(asked: Sequence[Asked]) -> list[Reading]:
    """How much was delivered, and how many answers the budget cut or refused."""
    tokens = [int(each.answer["trace"]["tokens"]) if each.delivered else 0 for each in asked]
    passages = [len(each.delivered) for each in asked]
    cut = sum(any(one["reason"].startswith("budget") for one in each.answer["trace"]["cut"]) for each in asked)
    refused = sum(each.answer["status"] == "refused" for each in asked)
    abstained = sum(each.answer["status"] == "abstained" for each in asked)
    return [
        Reading("delivered tokens, median", median(tokens or [0]), 0, "tokens"),
        Reading("delivered tokens, most", max(tokens, default=0), 0, "tokens"),
        Reading("delivered passages, median", median(passages or [0]), 0, "passages"),
        Reading("truncated by the budget", cut, len(asked), "questions"),
        Reading("refused", refused, len(asked), "questions"),
        Reading("abstained", abstained, len(asked), "questions"),
    ]
