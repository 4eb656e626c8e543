"""What happens in one turn with calls that must not run.

Each gets a result that says what was wrong, so that the model can send it again; a provider refuses a conversation with a call that
has none. Twice the same fault, or too many rounds with one, and the model will not find out of it: then it must answer without tools.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from adapters.contract import MalformedCall, TextPart, ToolResult

CUT_OFF: Final = "the answer was cut off"
"""How the problem of a call begins whose end did not arrive: the model is asked for less, not for better."""


class Corrections:
    """The corrections of one turn.

    `begin_round` before the calls of each answer, `answer` for each malformed one among them; then `exhausted` says whether the next
    request must forbid tools (ToolChoice.NONE).
    """

    def __init__(self, rounds: int = 3, identical: int = 2) -> None:
        """`rounds`: so many answers with malformed calls are corrected. `identical`: a fault that came back so often is not."""
        self._rounds = rounds
        self._identical = identical
        self._rounds_nr = 0
        self._rounds_with: Counter[tuple[str, str, str]] = Counter()
        self._this_round: set[tuple[str, str, str]] = set()

    def begin_round(self) -> None:
        self._this_round = set()

    def answer(self, call: MalformedCall) -> ToolResult:
        """The call's result: an error, in words for the model."""
        self._remember((call.name, call.raw_arguments, call.problem))
        problem = call.problem if call.problem.endswith((".", "?", "!")) else f"{call.problem}."
        advice = (
            "Send it again with shorter arguments, or in several smaller calls."
            if problem.startswith(CUT_OFF)
            else "Send it again, corrected."
        )
        text = f"The call was not run: {problem} {advice}"
        return ToolResult(call.id, call.name, (TextPart(text),), is_error=True)

    @property
    def exhausted(self) -> bool:
        return self._rounds_nr > self._rounds or max(self._rounds_with.values(), default=0) >= self._identical

    def _remember(self, fault: tuple[str, str, str]) -> None:
        """Twice in one round is once: the model had not been told yet."""
        self._rounds_nr += not self._this_round
        if fault not in self._this_round:
            self._this_round.add(fault)
            self._rounds_with[fault] += 1
