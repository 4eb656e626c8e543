"""Files that hang on messages, from Discord's own servers and no others.

An address is signed and ends (`ex`): when it has, the message is fetched again, which has a new one
(https://docs.discord.com/developers/reference#signed-attachment-cdn-urls).
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable, Iterator

import aiohttp
import discord
import yarl
from discord.http import Route

from bot.conversation.history import Attachment, FileUnreadable
from bot.delivery.refusals import FAILURES

HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
DEADLINE = 30.0
"""Seconds for one file."""
_EXPIRED = frozenset({403, 404})
_HEADERS = {"Accept-Encoding": "identity"}
"""What is asked for packed may be a thousand times as large as it looks."""


class DiscordFiles:
    """bot.conversation.history.Files, for one turn."""

    def __init__(self, client: Callable[[], discord.Client], deadline: float = DEADLINE) -> None:
        self._client = client
        self._deadline = deadline
        self._fresh: dict[int, dict[int, str]] = {}
        """Message id → attachment id → address."""
        self._refreshing = asyncio.Lock()

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        if attachment.size > most:
            raise FileUnreadable(f"{attachment.size} bytes, and {most} allowed")
        try:
            async with asyncio.timeout(self._deadline):
                if (content := await _download(attachment.url, most)) is None:
                    content = await _download(await self._renewed(attachment), most)
        except TimeoutError as error:
            raise FileUnreadable(f"not within {self._deadline:.0f} s") from error
        except FAILURES as error:
            raise FileUnreadable(f"{type(error).__name__}: {error}") from error
        if content is None:
            raise FileUnreadable("no longer there")
        return content

    async def _renewed(self, attachment: Attachment) -> str:
        """Files of one message are renewed by one call."""
        async with self._refreshing:
            if attachment.message_id not in self._fresh:
                channel = self._client().get_partial_messageable(attachment.channel_id)
                message = await channel.fetch_message(attachment.message_id)
                self._fresh[attachment.message_id] = {found.id: found.url for found in _attachments(message)}
        url = self._fresh[attachment.message_id].get(attachment.attachment_id)
        if url is None:
            raise FileUnreadable("no longer at its message")
        return url


async def _download(url: str, most: int) -> bytes | None:
    """None where the address has ended. Raises FileUnreadable, and aiohttp's errors."""
    address = _checked(url)
    async with (
        aiohttp.ClientSession(headers=_HEADERS) as session,
        session.get(address, allow_redirects=False) as response,
    ):
        if response.status in _EXPIRED:
            return None
        if response.status != 200:
            raise FileUnreadable(f"status {response.status}")
        content = bytearray()
        async for piece in response.content.iter_chunked(1 << 16):
            content += piece
            if len(content) > most:
                raise FileUnreadable(f"more than {most} bytes")
        return bytes(content)


def _checked(url: str) -> yarl.URL:
    """Raises FileUnreadable where that is no address of Discord's, or of the stand-in that takes its place on this machine."""
    try:
        address = yarl.URL(url)
    except ValueError as error:
        raise FileUnreadable("no address") from error
    if address.scheme == "https" and address.host in HOSTS and address.is_default_port():
        return address
    api = yarl.URL(Route.BASE)
    if _is_loopback(api.host) and address.origin() == api.origin():
        return address
    raise FileUnreadable(f"not an address of Discord's: {address.host}")


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def _attachments(message: discord.Message) -> Iterator[discord.Attachment]:
    yield from message.attachments
    for snapshot in message.message_snapshots:
        yield from snapshot.attachments
