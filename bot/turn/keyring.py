"""Keys as people enter them: what is given is checked, the key is tried at its provider, and kept if it works.

A key is tried with a question to a model that no provider has: whoever refuses the model has accepted the key, and nothing is
paid for. Listings alone tell too little, as some are open to everybody and some keys may not read them; they decide where the
question's outcome does not. A key that could not be tried waits here, in memory only, for its owner's word.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec

from adapters import registry
from adapters.contract import (
    Endpoint,
    EndpointError,
    ErrorChunk,
    ErrorReason,
    GenerationRequest,
    ProviderError,
    Role,
    StreamAdapter,
    text_message,
)
from adapters.deadlines import Deadlines
from adapters.public_addresses import NOTHING_MORE, AllowedHosts, check_url
from adapters.transport import Transport
from bot.preferences import Scope
from bot.store import Deed, KeptKey, ProviderKeys

MACHINE_CREDENTIALS = frozenset({"bedrock", "vertex"})
"""Where an empty key means the machine's own identity, which is its operator's."""
PROVIDERS = tuple(name for name in registry.NAMES if name not in MACHINE_CREDENTIALS)
NEEDS_ADDRESS = frozenset(PROVIDERS) - registry.NEEDS_KEY
"""Of a server that only who enters it knows."""
LONGEST_KEY, LONGEST_ADDRESS = 500, 300
"""Code points."""
WAIT_SECONDS = 900.0
"""How long a key waits; as long as what was shown with it can be answered (Discord's interactions)."""
MOST_WAITING = 200

_QUESTION = GenerationRequest(
    model="parley-key-test",
    messages=(text_message(Role.USER, "Hi"),),
    max_output_tokens=16,  # the least that OpenAI takes
)
_DEADLINES = Deadlines(connect=8.0, first_byte=20.0, idle=10.0, total=20.0)
_KEY = re.compile(r"[!-~]+")


class Verdict(StrEnum):
    """What a try said. The words for each are `keys-verdict-…` in locales/."""

    WORKS = "works"
    REFUSED = "refused"
    NO_CREDIT = "no-credit"
    UNREACHABLE = "unreachable"
    """Or the address leads to a place that is not public."""
    UNCLEAR = "unclear"


KEPT_UNASKED = Verdict.WORKS
NEVER_KEPT = Verdict.REFUSED


class Owner(msgspec.Struct, frozen=True):
    scope: Scope
    """Server or person."""
    scope_id: int


class Entry(msgspec.Struct, frozen=True):
    """What was entered, as it would be kept."""

    provider: str
    base_url: str
    api_key: str

    def __repr__(self) -> str:
        return f"Entry({self.provider}, {self.base_url!r})"

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(self.base_url or None, self.api_key or None, public_only=True)


class BadEntry(ValueError):
    """`why` is the end of a key in locales/ (`keys-bad-…`)."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Outcome(msgspec.Struct, frozen=True):
    verdict: Verdict
    kept: KeptKey | None = None
    waiting: str = ""
    """By which the key is kept all the same (`keep_waiting`); empty where it was refused, or is kept."""


class _Waiting(msgspec.Struct, frozen=True):
    owner: Owner
    entry: Entry
    verdict: Verdict
    until: float


class Keyring:
    """`hide` is told every key that is entered, so that no log line shows it."""

    def __init__(
        self,
        keys: ProviderKeys,
        transport: Transport,
        allowed: AllowedHosts = NOTHING_MORE,
        hide: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.keys = keys
        self._transport = transport
        self._allowed = allowed
        self._hide = hide
        self._waiting: dict[str, _Waiting] = {}

    def read(self, provider: str, address: str, key: str) -> Entry:
        """From what somebody typed. Raises BadEntry."""
        key, address = key.strip(), address.strip().rstrip("/")
        if provider not in PROVIDERS:
            raise BadEntry("provider")
        if key and (len(key) > LONGEST_KEY or not _KEY.fullmatch(key)):
            raise BadEntry("key")
        self._hide(key)
        if not key and provider in registry.NEEDS_KEY:
            raise BadEntry("no-key")
        if not address and provider in NEEDS_ADDRESS:
            raise BadEntry("no-address")
        if address:
            problem = check_url(address, self._allowed)
            # Behind a query or a fragment no path could be put, and what people put there are keys.
            if problem is not None or len(address) > LONGEST_ADDRESS or "?" in address or "#" in address:
                raise BadEntry(f"address-{problem.value.replace('_', '-') if problem else 'not-a-url'}")
        return Entry(provider, address, key)

    async def enter(self, owner: Owner, entry: Entry, deed: Deed) -> Outcome:
        """Try it; keep it if it works. Raises bot.store.keys.NotAdded."""
        verdict = await self.try_out(registry.adapter(entry.provider), entry.endpoint)
        if verdict is NEVER_KEPT:
            return Outcome(verdict)
        if verdict is KEPT_UNASKED:
            return Outcome(verdict, kept=await self._keep(owner, entry, deed, verdict))
        return Outcome(verdict, waiting=self._put_aside(owner, entry, verdict))

    async def keep_waiting(self, owner: Owner, waiting: str, deed: Deed) -> KeptKey | None:
        """Keep it though it could not be tried. None where it does not wait any more. Raises bot.store.keys.NotAdded."""
        self._drop_old()
        found = self._waiting.get(waiting)
        if found is None or found.owner != owner:
            return None
        del self._waiting[waiting]
        return await self._keep(owner, found.entry, deed, found.verdict)

    async def test(self, owner: Owner, key: KeptKey) -> Verdict | None:
        """Try a kept key again, and remember what came of it. None where it is gone, or cannot be opened."""
        found = await self.keys.endpoints(owner.scope, owner.scope_id, key.provider, key.base_url)
        endpoint = next((each.endpoint for each in found if each.key_id == key.key_id), None)
        if endpoint is None or key.provider not in PROVIDERS:
            return None
        verdict = await self.try_out(registry.adapter(key.provider), endpoint)
        await self.keys.tested(owner.scope, owner.scope_id, key.key_id, verdict.value)
        return verdict

    async def try_out(self, adapter: StreamAdapter, endpoint: Endpoint) -> Verdict:
        answer, listing = await asyncio.gather(self._ask(adapter, endpoint), self._list(adapter, endpoint))
        if answer is None:
            return Verdict.WORKS
        if answer in _BY_ANSWER:
            return _BY_ANSWER[answer]
        if isinstance(listing, _NotListed):
            return _WITHOUT_LISTING.get(answer, Verdict.UNCLEAR)
        return _BY_LISTING.get(listing, Verdict.UNCLEAR)

    async def _ask(self, adapter: StreamAdapter, endpoint: Endpoint) -> ErrorReason | None:
        """None: it was answered, by a server that takes any name for its one model."""
        async with self._transport.open(adapter, _QUESTION, endpoint, _DEADLINES) as stream:
            async for batch in stream.batches():
                for chunk in batch:
                    return chunk.error.reason if isinstance(chunk, ErrorChunk) else None
        return ErrorReason.EMPTY_REPLY

    async def _list(self, adapter: StreamAdapter, endpoint: Endpoint) -> ErrorReason | _NotListed | None:
        """None: models are listed."""
        try:
            if adapter.list_models(endpoint) is None:
                return _NotListed()
        except EndpointError:
            return ErrorReason.BAD_REQUEST
        listed = await self._transport.models(adapter, endpoint)
        return listed.reason if isinstance(listed, ProviderError) else None

    async def _keep(self, owner: Owner, entry: Entry, deed: Deed, verdict: Verdict) -> KeptKey:
        return await self.keys.add(
            owner.scope, owner.scope_id, entry.provider, entry.base_url, entry.api_key, deed, verdict.value
        )

    def _put_aside(self, owner: Owner, entry: Entry, verdict: Verdict) -> str:
        self._drop_old()
        while len(self._waiting) >= MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]
        waiting = secrets.token_hex(8)
        until = asyncio.get_running_loop().time() + WAIT_SECONDS
        self._waiting[waiting] = _Waiting(owner, entry, verdict, until)
        return waiting

    def _drop_old(self) -> None:
        now = asyncio.get_running_loop().time()
        self._waiting = {waiting: found for waiting, found in self._waiting.items() if found.until > now}


class _NotListed:
    """This provider has no list of its models."""


_BY_ANSWER: Mapping[ErrorReason, Verdict] = {
    ErrorReason.AUTH: Verdict.REFUSED,
    ErrorReason.QUOTA: Verdict.NO_CREDIT,
    ErrorReason.RATE_LIMIT: Verdict.WORKS,
    ErrorReason.QUOTA_WINDOW: Verdict.WORKS,
    ErrorReason.CONNECTION: Verdict.UNREACHABLE,
}
"""What the refusal of the question says of the key, where it is certain."""
_BY_LISTING: Mapping[ErrorReason | None, Verdict] = {
    None: Verdict.WORKS,
    ErrorReason.AUTH: Verdict.REFUSED,
    ErrorReason.PERMISSION: Verdict.REFUSED,
    ErrorReason.CONNECTION: Verdict.UNREACHABLE,
}
_WITHOUT_LISTING: Mapping[ErrorReason, Verdict] = {
    ErrorReason.MODEL_NOT_FOUND: Verdict.WORKS,
    ErrorReason.MODEL_UNSUPPORTED: Verdict.WORKS,
    ErrorReason.BAD_REQUEST: Verdict.WORKS,
    ErrorReason.PERMISSION: Verdict.REFUSED,
}
