"""Nonces of created messages, by which `enforce_nonce` finds a message that was sent before.

https://docs.discord.com/developers/resources/message#create-message: unique "in the past few minutes".
"""

from __future__ import annotations

from bot.playground.standin.clock import Clock

NONCE_SECONDS = 5 * 60.0


class Nonces:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sent: dict[str | int, tuple[float, str]] = {}

    def add(self, nonce: str | int, message_id: str) -> None:
        self._sent.pop(nonce, None)  # so that the order stays that of time
        self._sent[nonce] = (self._clock.now(), message_id)

    def find(self, nonce: str | int) -> str | None:
        """The id of the message that was sent with it in the last few minutes."""
        self._forget()
        return self._sent[nonce][1] if nonce in self._sent else None

    def _forget(self) -> None:
        now = self._clock.now()
        for nonce, (at, _) in tuple(self._sent.items()):
            if now - at <= NONCE_SECONDS:
                break
            del self._sent[nonce]
