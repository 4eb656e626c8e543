"""A place to listen on both wires, for an oracle that holds each payload to Discord's own schemas."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

Direction: TypeAlias = Literal["to_client", "from_client"]


class Wiretap(Protocol):
    """Paths are without the API base. `body` is the parsed JSON, of a multipart request its `payload_json`."""

    def request(self, method: str, path: str, body: Any, content_type: str) -> None: ...

    def response(self, method: str, path: str, status: int, body: Any) -> None: ...

    def gateway(self, event: str, payload: Any, direction: Direction) -> None:
        """`event` is the name of a dispatch (`MESSAGE_CREATE`) or of an opcode (`HELLO`, `IDENTIFY`)."""
        ...


class NoWiretap:
    """The wiretap when nobody listens."""

    def request(self, method: str, path: str, body: Any, content_type: str) -> None:
        pass

    def response(self, method: str, path: str, status: int, body: Any) -> None:
        pass

    def gateway(self, event: str, payload: Any, direction: Direction) -> None:
        pass
