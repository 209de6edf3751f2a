"""Tokens and money, reserved before a request and settled after it: a budget is never overrun."""

from __future__ import annotations

import threading

from pincite.enrich.settings import Settings

CHARACTERS = 3  # of a token, on the safe side: English has four


def tokens_of(text: str) -> int:
    """Estimated tokens of *text*, rather too many than too few."""
    return 1 + len(text.encode("utf-8", "surrogatepass")) // CHARACTERS


class Purse:
    """What is left of a budget; safe to use from several threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._lock = settings, threading.Lock()
        self.tokens_in = self.tokens_out = 0
        self._reserved_in = self._reserved_out = 0

    def reserve(self, asked: int) -> bool:
        """Set aside a request of *asked* tokens and the longest reply; False where that would overrun the budget."""
        settings = self._settings
        with self._lock:
            ins = self.tokens_in + self._reserved_in + asked
            outs = self.tokens_out + self._reserved_out + settings.reply_tokens
            if (settings.tokens and ins + outs > settings.tokens) or (
                settings.money and self._cost(ins, outs) > settings.money
            ):
                return False
            self._reserved_in += asked
            self._reserved_out += settings.reply_tokens
            return True

    def settle(self, asked: int, took: int, replied: int) -> None:
        """Put down what a request took, for which *asked* tokens and the longest reply were set aside."""
        with self._lock:
            self._reserved_in -= asked
            self._reserved_out -= self._settings.reply_tokens
            self.tokens_in += took
            self.tokens_out += replied

    @property
    def spent(self) -> float:
        """Money, by the settings' prices."""
        return self._cost(self.tokens_in, self.tokens_out)

    def _cost(self, ins: int, outs: int) -> float:
        return (ins * self._settings.input_price + outs * self._settings.output_price) / 1_000_000
