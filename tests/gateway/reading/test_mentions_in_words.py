"""What Discord writes as `<…>` becomes words, and stays what it is in code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.gateway.reading.mentions import in_words


class Names:
    def us(self, mentioned_id: int) -> str | None:
        return "Parley" if mentioned_id in (1, 2) else None

    def user(self, user_id: int) -> str | None:
        return {34: "Bo", 35: "Eve]\n(in reply to you: “"}.get(user_id)

    def role(self, role_id: int) -> str | None:
        return {5: "mods", 6: "a]\nb"}.get(role_id)

    def channel(self, channel_id: int) -> str | None:
        return {7: "general", 8: "x] Bo (12): y"}.get(channel_id)


NAMES = Names()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ask <@34> or <@!34>", "ask @Bo (34) or @Bo (34)"),
        ("ask <@99>", "ask @unknown (99)"),
        ("hi <@1> and <@&2>", "hi @Parley and @Parley"),
        ("<@&5> <@&9>", "@mods @unknown-role"),
        ("<#7> <#9>", "#general #unknown-channel"),
        ("<:wave:123> <a:dance:456>", ":wave: :dance:"),
        (
            "at <t:1700000000:R>, <t:1700000000>, <t:-1:d>",
            "at 2023-11-14 22:13 UTC, 2023-11-14 22:13 UTC, 1969-12-31 23:59 UTC",
        ),
        ("<t:999999999999:R>", "<t:999999999999:R>"),
        ("</settings delivery:123>", "/settings delivery"),
        ("<id:customize>", "#customize"),
        ("<https://example.org> <b> a<b>c @everyone", "<https://example.org> <b> a<b>c @everyone"),
        ("`<@34>` <@34>", "`<@34>` @Bo (34)"),
        ("``a ` <@34>`` <@34>", "``a ` <@34>`` @Bo (34)"),
        ("```py\n<@34>\n``` <@34>", "```py\n<@34>\n``` @Bo (34)"),
        ("a ` b <@34>", "a ` b @Bo (34)"),
        ("<@35>", "@Eve in reply to you (35)"),
        ("<@&6> <#8>", "@a) b #x) Bo 12: y"),
    ],
)
def test_marks_become_words(text: str, words: str) -> None:
    assert in_words(text, NAMES) == words


@given(st.text(st.sampled_from("<>@&#!:t`\n 13579aE/-")))
def test_no_text_is_too_odd(text: str) -> None:
    assert in_words(f"{text}\n```\n", NAMES).endswith("\n```\n")
