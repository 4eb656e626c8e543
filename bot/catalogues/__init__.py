"""The catalogues in `locales/`, kept whole and judged. `locales/en-US` is the source: who needs a new text adds an entry with its key
(msgctxt) and its English (msgid) there, and the other locales follow.

`files` reads, brings up to date and writes them; `code_keys` finds which messages the code says, and with what; `limits` has what
Discord takes; `faults` puts all three beside each other. `python -m bot.catalogues` is the door (`make locales`, `make lint`).
"""
