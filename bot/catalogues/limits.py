"""How long the messages of some keys may be, and what may be in them, since Discord refuses what is longer: a whole list of commands
for one name of one language. All lengths are code points.

https://docs.discord.com/developers/interactions/application-commands#application-command-object, and components/reference there
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_NAME = re.compile(r"[-_'\w]{1,32}")


class Limit(msgspec.Struct, frozen=True):
    most: int
    is_name: bool = False
    """Of a command: no spaces, nothing but letters, digits, - and _, and lower case where the script has it."""

    def faults(self, text: str) -> Iterator[str]:
        if len(text) > self.most:
            yield f"{len(text)} characters; at most {self.most}"
        if self.is_name and (not _NAME.fullmatch(text) or text != text.lower()):
            yield f"{text!r} cannot be the name of a command"


MESSAGE = Limit(2000)
COMMAND, MESSAGE_COMMAND, DESCRIPTION, CHOICE = Limit(32, is_name=True), Limit(32), Limit(100), Limit(100)
FORM_TITLE, FORM_LABEL, FORM_HINT = Limit(45), Limit(45), Limit(100)
BUTTON, SELECT = Limit(80), Limit(150)

_TABLE = (
    ("command-not-allowed", MESSAGE),
    ("command-.+-description", DESCRIPTION),
    ("command-(ask-about|remember)", MESSAGE_COMMAND),
    ("command-.+|again-answer-name", COMMAND),
    # Options of commands.
    ("setting-.+-description|settings-page", DESCRIPTION),
    ("again-answer|ask-(question|file|private)|export-notes|import-file|(memory|forget)-about", DESCRIPTION),
    ("language-(language|where)|model-(model|where)|think-effort|prompt-where", DESCRIPTION),
    ("persona-(name|use-.+|picture|model|temperature|top-p|max-tokens|reset|import-file|replace)", DESCRIPTION),
    ("persona-export-format|keys-where|usage-(whose|period)", DESCRIPTION),
    ("choice-.+|memory-about-.+|usage-(whose|period)-.+", CHOICE),
    # The panel of settings; a setting's name is the title of its form too.
    ("setting-.+|settings-form-label", FORM_LABEL),
    ("settings-allowed-.+", FORM_HINT),
    ("settings-(page|scope)-.+", CHOICE),
    ("settings-pick-.+", SELECT),
    ("settings-button-.+", BUTTON),
    # Forms.
    ("ask-about-title|memory-modal-title|prompt-modal-title-.+|persona-form-(create|edit)", FORM_TITLE),
    ("persona-form-too-long", MESSAGE),
    ("persona-form-.+-hint|ask-about-default", FORM_HINT),
    ("ask-about-label|memory-modal-label-.+|prompt-modal-label|persona-form-.+", FORM_LABEL),
    ("keys-form-title", Limit(36)),  # a name is filled in, which is cut where it does not fit
    ("setup-other", FORM_TITLE),
    ("keys-form-(key|address)|setup-model-name", FORM_LABEL),
    ("keys-form-.+|keys-needs-address|keys-custom|setup-answering-.+", FORM_HINT),
    # Under messages.
    ("keys-(add|test|delete)|setup-(provider|model|answering|language)", SELECT),
    ("keys-(delete-do|back|keep)|setup-(go-on|cancel|finish|hello-button|again)", BUTTON),
    ("memory-(change|delete)", SELECT),
    ("button-.+|memory-(on|off|add)|forget-do|import-(take|leave)", BUTTON),
    ("proposal-(keep|on|off|server|change|discard)|usage-csv", BUTTON),
)
"""The first that matches a key counts."""
_LIMITS = tuple((re.compile(keys), limit) for keys, limit in _TABLE)


def limit_of(key: str) -> Limit | None:
    """None where only a whole message or embed has one."""
    return next((limit for keys, limit in _LIMITS if keys.fullmatch(key)), None)
