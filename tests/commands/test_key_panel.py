"""What `/keys` shows: it fits into what Discord takes, in every language, however many keys there are and whatever has become of them."""

from datetime import UTC, datetime

import pytest

from bot.commands.choosing import Where
from bot.commands.key_panel import KeyPanel, panel
from bot.localization import Translator
from bot.store import KeptKey, Scope
from bot.store.keys import MOST_KEYS
from bot.turn.keyring import PROVIDERS, Owner, Verdict

LONGEST_DESCRIPTION = 4096
"""https://docs.discord.com/developers/resources/message#embed-object-embed-limits"""
TRANSLATOR = Translator("en-US")
ADDRESS = f"https://{'a' * 60}.example.com:12345/v1"


@pytest.mark.parametrize("locale", TRANSLATOR.locales)
@pytest.mark.parametrize("opens", [True, False])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_as_many_keys_as_there_can_be_fit(provider: str, opens: bool, locale: str) -> None:
    words, now = TRANSLATOR.say(locale), datetime.now(UTC)
    for verdict in ("", *Verdict):
        keys = [
            KeptKey(number, Scope.SERVER, 1, provider, ADDRESS, "abcd", 10**18, now, now, verdict, opens)
            for number in range(MOST_KEYS[Scope.SERVER])
        ]
        notice = words("keys-verdict-unclear", provider="OpenAI-compatible server") + words("keys-not-kept-yet")
        embed, _ = panel(KeyPanel(10**18, Where.SERVER, Owner(Scope.SERVER, 1), keys, notice), words)
        assert len(embed.description or "") <= LONGEST_DESCRIPTION
        assert (words("keys-unusable") in (embed.description or "")) is not opens
