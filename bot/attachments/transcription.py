"""Speech → text, by an endpoint that speaks OpenAI's `POST {base}/audio/transcriptions` (whisper servers, Groq, vLLM and others do).

The file's name and type in the request follow from its bytes, since endpoints choose their reader by the name's ending. The language
is the endpoint's to find out.
"""

from __future__ import annotations

import asyncio
from typing import Final

import httpx
import msgspec
import structlog
from pydantic import SecretStr

from bot.attachments.kinds import Kind
from bot.attachments.readout import NotRead, Reason

MOST_BYTES: Final = 25_000_000
"""OpenAI's limit is 25 MB."""
SECONDS: Final = 60.0
_MOST_ANSWER: Final = 1_000_000
"""Bytes. An hour of speech is some 60,000."""

log = structlog.get_logger()


class TranscriptionEndpoint(msgspec.Struct, frozen=True):
    base_url: str
    """Up to and with `/v1`."""
    model: str
    api_key: SecretStr | None = None


class _Answer(msgspec.Struct):
    text: str


class Transcriber:
    """`client` stays its owner's; its redirects must be off, as httpx has them, since the key would go along."""

    def __init__(self, endpoint: TranscriptionEndpoint, client: httpx.AsyncClient, seconds: float = SECONDS) -> None:
        self._endpoint = endpoint
        self._client = client
        self._seconds = seconds

    async def transcribe(self, data: bytes, kind: Kind) -> str:
        """What is said in it; empty where no words are. Raises NotRead."""
        if len(data) > MOST_BYTES:
            raise NotRead(Reason.TOO_LARGE, limit=MOST_BYTES // 1_000_000)
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._answer(data, kind)
            return msgspec.json.decode(answer, type=_Answer).text.strip()
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, msgspec.MsgspecError, UnicodeDecodeError) as fault:
            status = fault.response.status_code if isinstance(fault, httpx.HTTPStatusError) else None
            log.warning(
                "transcription_failed", fault=type(fault).__name__, status=status, form=kind.form, size=len(data)
            )
            raise NotRead(Reason.NOT_TRANSCRIBED) from fault

    async def _answer(self, data: bytes, kind: Kind) -> bytes:
        key = self._endpoint.api_key
        request = self._client.stream(
            "POST",
            f"{self._endpoint.base_url.rstrip('/')}/audio/transcriptions",
            headers={"Authorization": f"Bearer {key.get_secret_value()}"} if key else {},
            data={"model": self._endpoint.model, "response_format": "json"},
            files={"file": (f"sound.{kind.ending}", data, kind.media_type)},
            timeout=self._seconds,
        )
        async with request as response:
            response.raise_for_status()
            answer = bytearray()
            async for piece in response.aiter_bytes():
                answer += piece
                if len(answer) > _MOST_ANSWER:
                    raise httpx.DecodingError("a transcript beyond all measure", request=response.request)
        return bytes(answer)
