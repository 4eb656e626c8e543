"""The REST where discord.py hides it: rate-limit headers and bodies, authorization, malformed requests."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.playground.standin import ApiError, Standin, StandinConfig, SubscriptionOverflow
from bot.playground.standin.events import MessageCreated
from tests.openapi import Contract
from tests.playground.standin_dialogue import MovedClock, raw_rest


@pytest.fixture
def time() -> MovedClock:
    return MovedClock()


@pytest.fixture
async def standin(time: MovedClock) -> AsyncIterator[Standin]:
    """With the default rate limits and a clock that stands still. Its answers are held to Discord's schemas."""
    contract = Contract.load()
    async with Standin(StandinConfig(clock=time.clock()), contract) as running:
        yield running
    # These tests send malformed requests on purpose, so only what the stand-in says counts.
    if contract is not None:
        assert [violation for violation in contract.violations if not violation.startswith("request ")] == []


async def post(session: aiohttp.ClientSession, url: str, body: Any) -> tuple[int, dict[str, str], Any]:
    async with session.post(url, json=body) as response:
        return response.status, dict(response.headers), await response.json()


async def patch(session: aiohttp.ClientSession, url: str, body: Any) -> tuple[int, dict[str, str], Any]:
    async with session.patch(url, json=body) as response:
        return response.status, dict(response.headers), await response.json()


async def test_the_edit_bucket_counts_down_refuses_and_opens_again(standin: Standin, time: MovedClock) -> None:
    async with raw_rest(standin) as session:
        messages = f"{standin.api_url}/channels/{standin.channel('general').id}/messages"
        _, _, message = await post(session, messages, {"content": "0"})
        seen = []
        for n in range(6):
            status, headers, body = await patch(session, f"{messages}/{message['id']}", {"content": str(n)})
            seen.append((status, headers["X-RateLimit-Remaining"]))
            time.seconds += 0.5
        assert seen == [(200, "4"), (200, "3"), (200, "2"), (200, "1"), (200, "0"), (429, "0")]
        assert headers["X-RateLimit-Limit"] == "5"
        assert headers["X-RateLimit-Reset-After"] == "2.500"
        assert headers["Retry-After"] == "3"
        assert headers["X-RateLimit-Scope"] == "user"
        assert "Via" in headers
        assert body == {"message": "You are being rate limited.", "retry_after": 2.5, "global": False, "code": 0}
        time.seconds += 2.0
        assert (await patch(session, f"{messages}/{message['id']}", {"content": "again"}))[0] == 200
        assert standin.message(message["id"])["content"] == "again"


async def test_another_channel_has_a_bucket_of_its_own(standin: Standin) -> None:
    async with raw_rest(standin) as session:
        urls = [f"{standin.api_url}/channels/{standin.channel(name).id}/messages" for name in ("general", "random")]
        statuses = [(await post(session, urls[0], {"content": str(n)}))[0] for n in range(6)]
        assert statuses == [200] * 5 + [429]
        assert (await post(session, urls[1], {"content": "elsewhere"}))[0] == 200
        assert standin.invalid_requests == 1


async def test_messages_older_than_an_hour_have_a_rate_of_their_own(standin: Standin, time: MovedClock) -> None:
    async with raw_rest(standin) as session:
        messages = f"{standin.api_url}/channels/{standin.channel('general').id}/messages"
        _, _, message = await post(session, messages, {"content": "old"})
        time.seconds += 3601
        answers = [await patch(session, f"{messages}/{message['id']}", {"content": str(n)}) for n in range(4)]
        assert [status for status, _, _ in answers] == [200, 200, 200, 429]
        assert answers[3][2]["code"] == 30046


async def test_fifty_requests_a_second_are_the_limit_for_all_routes_together(standin: Standin) -> None:
    async with raw_rest(standin) as session:
        statuses = []
        for _ in range(51):
            async with session.get(f"{standin.api_url}/users/@me") as response:
                statuses.append(response.status)
                headers, body = response.headers, await response.json()
        assert statuses == [200] * 50 + [429]
        assert headers["X-RateLimit-Global"] == "true"
        assert (headers["X-RateLimit-Scope"], body["global"]) == ("global", True)
        webhook = f"{standin.api_url}/webhooks/{standin.bot_id}/no-token"
        assert (await post(session, webhook, {"content": "x"}))[2]["code"] == 50027, "interactions are not bound to it"


@pytest.mark.parametrize("authorization", [{}, {"Authorization": "Bot wrong"}, {"Authorization": "wrong"}])
async def test_without_the_bots_token_the_answer_is_401(standin: Standin, authorization: dict[str, str]) -> None:
    async with aiohttp.request("GET", f"{standin.api_url}/users/@me", headers=authorization) as response:
        assert (response.status, await response.json()) == (401, {"message": "401: Unauthorized", "code": 0})


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"content": 5}, {"content": "STRING_TYPE_CONVERT"}),
        ({"contents": "x"}, {"contents": "UNKNOWN_FIELD"}),
        ({"content": "x", "tts": "yes"}, {"tts": "BOOLEAN_TYPE_CONVERT"}),
        ({"content": "x", "flags": "none", "tts": 1}, {"flags": "NUMBER_TYPE_COERCE", "tts": "BOOLEAN_TYPE_CONVERT"}),
        ({"content": "x", "nonce": "n" * 26}, {"nonce": "BASE_TYPE_MAX_LENGTH"}),
        ({"content": "x", "flags": 64}, {"flags": "MESSAGE_FLAGS_INVALID"}),
    ],
)
async def test_a_body_of_the_wrong_shape_is_told_field_by_field(
    standin: Standin, body: dict[str, Any], errors: dict[str, str]
) -> None:
    async with raw_rest(standin) as session:
        url = f"{standin.api_url}/channels/{standin.channel('general').id}/messages"
        status, _, answer = await post(session, url, body)
        assert (status, answer["code"]) == (400, 50035)
        assert {field: error["_errors"][0]["code"] for field, error in answer["errors"].items()} == errors


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/channels/1", 404, 10003),
        ("GET", "/channels/{general}/messages/1", 404, 10008),
        ("GET", "/no/such/path", 404, 0),
        ("PUT", "/users/@me", 405, 0),
        ("PUT", "/channels/{general}/messages/{said}/reactions/abc/@me", 400, 10014),
    ],
)
async def test_what_there_is_not_is_named(standin: Standin, method: str, path: str, status: int, code: int) -> None:
    async with raw_rest(standin) as session:
        general = standin.channel("general")
        said = await standin.say(standin.user("Ada"), general, "hello")
        url = standin.api_url + path.format(general=general.id, said=said["id"])
        async with session.request(method, url) as response:
            assert (response.status, (await response.json())["code"]) == (status, code)


async def test_a_body_that_is_no_json_and_one_that_is_too_large_are_refused(standin: Standin) -> None:
    async with raw_rest(standin) as session:
        url = f"{standin.api_url}/channels/{standin.channel('general').id}/messages"
        async with session.post(url, data=b"{", headers={"Content-Type": "application/json"}) as response:
            assert (response.status, (await response.json())["code"]) == (400, 50109)
        form = aiohttp.FormData({"payload_json": "{}"})
        form.add_field("files[0]", io.BytesIO(bytes(10 * 1024 * 1024 + 1)), filename="big.bin")
        async with session.post(url, data=form) as response:
            assert (response.status, (await response.json())["code"]) == (413, 40005)


async def test_a_fault_answers_as_it_was_told_so_many_times(standin: Standin) -> None:
    async with raw_rest(standin) as session:
        standin.fail("GET", "^/users/@me$", status=503, body="down", headers={"X-Why": "test"}, times=2)
        seen = []
        for _ in range(3):
            async with session.get(f"{standin.api_url}/users/@me") as response:
                seen.append((response.status, response.headers.get("X-Why")))
        assert seen == [(503, "test"), (503, "test"), (200, None)]


async def test_a_subscriber_gets_every_event_in_order_or_learns_that_it_was_too_slow(standin: Standin) -> None:
    ada, general = standin.user("Ada"), standin.channel("general")
    with standin.subscribe(limit=2) as events:
        for text in ("one", "two"):
            await standin.say(ada, general, text)
        taken = [await anext(events), await anext(events)]
        assert [event.message["content"] for event in taken if isinstance(event, MessageCreated)] == ["one", "two"]
        for text in ("three", "four", "five"):
            await standin.say(ada, general, text)
        await anext(events)
        await anext(events)
        with pytest.raises(SubscriptionOverflow):
            await anext(events)


def messages_url(standin: Standin) -> str:
    return f"{standin.api_url}/channels/{standin.channel('general').id}/messages"


@pytest.mark.parametrize(
    "body",
    [
        rb'{"content": "\ud83d"}',
        rb'{"content": "\ude00 and more"}',
        rb'{"content": "x", "embeds": [{"title": "\ud83d"}]}',
        rb'{"content": "x", "nonce": "\ud83d"}',
        rb'{"content": "x", "\ud83d": 1}',
        b'{"content": "\xed\xa0\xbd"}',
        b'{"content": "x", "flags": NaN}',
        b"[" * 100_000,
        b'{"content": "x", "embeds": [{"title": "t", "provider": ' + b"[" * 65 + b"]" * 65 + b"}]}",
    ],
    ids=["high half", "low half", "in an embed", "nonce", "key", "raw bytes", "NaN", "endless", "too deep"],
)
async def test_a_body_that_is_no_clean_json_is_refused_and_nothing_is_stored(standin: Standin, body: bytes) -> None:
    form = aiohttp.FormData({"payload_json": body.decode(errors="surrogateescape")})
    async with raw_rest(standin) as session:
        json_type = {"Content-Type": "application/json"}
        async with session.post(messages_url(standin), data=body, headers=json_type) as response:
            assert (response.status, (await response.json())["code"]) == (400, 50109)
        if body.isascii():
            async with session.post(messages_url(standin), data=form) as response:
                assert (response.status, (await response.json())["code"]) == (400, 50109)
    assert standin.messages(standin.channel("general")) == []


async def test_a_whole_surrogate_pair_is_one_character(standin: Standin) -> None:
    async with raw_rest(standin) as session:
        body = rb'{"content": "\ud83d\ude00"}'
        async with session.post(messages_url(standin), data=body) as response:
            assert (await response.json())["content"] == "😀"


@pytest.mark.parametrize("is_chunked", [False, True], ids=["announced", "chunked"])
async def test_a_body_over_the_limit_is_too_large(standin: Standin, is_chunked: bool) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(26):
            yield bytes(1024 * 1024)

    async with raw_rest(standin) as session:
        data = pieces() if is_chunked else io.BytesIO(bytes(26 * 1024 * 1024))
        async with session.post(messages_url(standin), data=data) as response:
            assert (response.status, (await response.json())["code"]) == (413, 40005)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=b", b"x"),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\n"),
        ("multipart/form-data; boundary=b", b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n"),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="files[0]"; filename="\xff.txt"\r\n\r\nx\r\n--b--\r\n',
        ),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="payload_json"; filename="p"\r\n\r\n{}\r\n--b--\r\n',
        ),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n\xff\r\n--b--\r\n',
        ),
        ("multipart/form-data; boundary=" + "b" * 100, b"x"),
    ],
)
async def test_a_broken_form_is_a_bad_request(standin: Standin, content_type: str, body: bytes) -> None:
    async with raw_rest(standin) as session:
        headers = {"Content-Type": content_type}
        async with session.post(messages_url(standin), data=body, headers=headers) as response:
            assert (response.status, (await response.json())["code"]) == (400, 50109)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("before=x", "before"),
        ("after=-1", "after"),
        ("around=", "around"),
        ("before=" + "9" * 5000, "before"),
        ("after=" + str(1 << 64), "after"),
        ("limit=x", "limit"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("before=%D9%A3", "before"),
    ],
)
async def test_a_query_that_is_no_number_is_told_field_by_field(standin: Standin, query: str, field: str) -> None:
    async with raw_rest(standin) as session, session.get(f"{messages_url(standin)}?{query}") as response:
        answer = await response.json()
        assert (response.status, answer["code"], list(answer["errors"])) == (400, 50035, [field])


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://example.org"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
    ],
    ids=str,
)
async def test_a_browsers_request_is_refused_even_with_the_token(standin: Standin, headers: dict[str, str]) -> None:
    body = {"content": "x"}
    async with raw_rest(standin) as session, session.post(messages_url(standin), json=body, headers=headers) as refused:
        assert refused.status == 403
    assert standin.messages(standin.channel("general")) == []


async def test_the_token_is_another_one_for_each_stand_in() -> None:
    config = StandinConfig()
    assert Standin(config).token != Standin(config).token
    assert len(Standin(config).token) >= 32
    assert Standin(StandinConfig(token="chosen")).token == "chosen"


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"content": "x", "poll": {"question": {"text": "?"}}}, "poll"),
        ({"content": "x", "sticker_ids": ["1"]}, "sticker_ids"),
    ],
)
async def test_what_the_stand_in_cannot_show_is_refused_by_its_name(
    standin: Standin, body: dict[str, Any], where: str
) -> None:
    async with raw_rest(standin) as session:
        status, _, answer = await post(session, messages_url(standin), body)
        assert (status, answer["code"]) == (400, 50035)
        assert "stand-in does not support" in answer["errors"][where]["_errors"][0]["message"]


async def test_an_attachment_that_is_spoken_of_must_come_or_be_there(standin: Standin) -> None:
    async with raw_rest(standin) as session:
        form = aiohttp.FormData(
            {"payload_json": '{"content": "x", "attachments": [{"id": 0, "filename": "a.txt"}, {"id": 1}]}'}
        )
        form.add_field("files[0]", io.BytesIO(b"a"), filename="a.txt")
        async with session.post(messages_url(standin), data=form) as response:
            assert (await response.json())["errors"]["attachments"]["1"]["_errors"][0]["code"] == "ATTACHMENT_NOT_FOUND"
        _, _, message = await post(session, messages_url(standin), {"content": "x"})
        url = f"{messages_url(standin)}/{message['id']}"
        status, _, answer = await patch(session, url, {"attachments": [{"id": "5"}]})
        assert (status, list(answer["errors"]["attachments"])) == (400, ["0"])


async def test_files_live_as_long_as_their_message_shows_them(standin: Standin) -> None:
    async with raw_rest(standin) as session:
        form = aiohttp.FormData({"payload_json": '{"content": "x"}'})
        for index in range(2):
            form.add_field(f"files[{index}]", io.BytesIO(b"data"), filename=f"{index}.txt")
        async with session.post(messages_url(standin), data=form) as response:
            message = await response.json()
        assert [(file.filename, file.size) for file in standin.calls[-1].files] == [("0.txt", 4), ("1.txt", 4)]
        first, second = (attachment["id"] for attachment in message["attachments"])
        await patch(session, f"{messages_url(standin)}/{message['id']}", {"attachments": [{"id": second}]})
        with pytest.raises(KeyError):
            standin.attachment(first)
        assert standin.attachment(second) == b"data"
        async with session.delete(f"{messages_url(standin)}/{message['id']}") as response:
            assert response.status == 204
        with pytest.raises(KeyError):
            standin.attachment(second)


async def test_a_message_has_at_most_ten_files_those_that_an_edit_keeps_included(standin: Standin) -> None:
    def form(count: int) -> aiohttp.FormData:
        files = aiohttp.FormData({"payload_json": "{}"})
        for index in range(count):
            files.add_field(f"files[{index}]", io.BytesIO(b"data"), filename=f"{index}.txt")
        return files

    async with raw_rest(standin) as session:
        async with session.post(messages_url(standin), data=form(11)) as response:
            assert (response.status, (await response.json())["code"]) == (400, 30015)
        async with session.post(messages_url(standin), data=form(9)) as response:
            message = await response.json()
        async with session.patch(f"{messages_url(standin)}/{message['id']}", data=form(2)) as response:
            assert (response.status, (await response.json())["code"]) == (400, 30015)
        async with session.patch(f"{messages_url(standin)}/{message['id']}", data=form(1)) as response:
            assert len((await response.json())["attachments"]) == 10


async def test_a_message_has_at_most_forty_components_nested_ones_included(standin: Standin) -> None:
    def body(count: int) -> dict[str, Any]:
        texts = [{"type": 10, "content": "x"}] * count
        return {"flags": 1 << 15, "components": [{"type": 17, "components": texts}]}

    async with raw_rest(standin) as session:
        status, _, _ = await post(session, messages_url(standin), body(39))
        assert status == 200
        status, _, answer = await post(session, messages_url(standin), body(40))
        assert (status, answer["code"]) == (400, 50035)


async def test_a_nonce_is_remembered_for_a_few_minutes_only(standin: Standin, time: MovedClock) -> None:
    async with raw_rest(standin) as session:
        body = {"content": "x", "nonce": 7, "enforce_nonce": True}
        first = (await post(session, messages_url(standin), body))[2]["id"]
        time.seconds += 299
        assert (await post(session, messages_url(standin), body))[2]["id"] == first
        time.seconds += 2
        assert (await post(session, messages_url(standin), body))[2]["id"] != first


async def test_a_person_cannot_reply_across_channels_nor_write_half_a_character(standin: Standin) -> None:
    ada, general, random = standin.user("Ada"), standin.channel("general"), standin.channel("random")
    said = await standin.say(ada, general, "here")
    with pytest.raises(ApiError, match="50035"):
        await standin.say(ada, random, "there", reply_to=said["id"])
    with pytest.raises(ApiError, match="50035"):
        await standin.say(ada, general, "\ud83d")
    with pytest.raises(ApiError, match="50035"):
        await standin.edit(ada, said["id"], "\ud83d")
    assert [m["content"] for m in standin.messages(general)] == ["here"]
    assert standin.messages(random) == []
