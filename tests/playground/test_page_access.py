"""Who may connect to the page, and which files it serves."""

from __future__ import annotations

import aiohttp
import pytest

from bot.playground.page.server import CONTENT_SECURITY_POLICY
from tests.playground.page_tab import Served

SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/", "text/html"),
        ("/static/page.css", "text/css"),
        ("/static/highlight.css", "text/css"),
        ("/static/page.js", "text/javascript"),
        ("/static/icon.svg", "image/svg+xml"),
    ],
)
async def test_files_come_with_the_content_policy(served: Served, path: str, media_type: str) -> None:
    """Nothing outside the page's own origin may be loaded, whatever a message holds."""
    async with served.http.get(served.page.url + path) as response:
        assert (response.status, response.content_type) == (200, media_type)
        assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self'")


@pytest.mark.parametrize("path", ["/static/nothing.js", "/static/..%2Fserver.py", "/attachments/1/2/x.png", "/other"])
async def test_what_is_not_there_is_404(served: Served, path: str) -> None:
    """Only the named files are served."""
    async with served.http.get(served.page.url + path) as response:
        assert response.status == 404
        assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "[", ""])
async def test_a_foreign_host_is_refused(served: Served, host: str) -> None:
    """A DNS name that was bound to this machine gets nothing."""
    for path in ("/", "/ws"):
        async with served.http.get(served.page.url + path, headers={"Host": host}) as response:
            assert response.status == 403
            assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://127.0.0.1", "http://localhost:1", "null", "http://127.0.0.1.evil"]
)
async def test_a_socket_from_another_origin_is_refused(served: Served, origin: str) -> None:
    """Any web page could open a WebSocket to a local port."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await served.http.ws_connect(f"{served.page.url}/ws", origin=origin)
    assert refused.value.status == 403


async def test_a_socket_without_an_origin_is_refused(served: Served) -> None:
    """Browsers always send one."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await served.http.ws_connect(f"{served.page.url}/ws")
    assert refused.value.status == 403


async def test_a_huge_frame_closes_the_connection(served: Served) -> None:
    """No command is that long."""
    async with served.http.ws_connect(f"{served.page.url}/ws", origin=served.page.url) as socket:
        await socket.receive(timeout=10)
        await socket.send_str("x" * 600_000)
        assert (await socket.receive(timeout=10)).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG


async def test_stopping_ends_all_connections(served: Served) -> None:
    """And nothing is left subscribed."""
    async with served.http.ws_connect(f"{served.page.url}/ws", origin=served.page.url) as socket:
        await socket.receive(timeout=10)
        await served.page.stop()
        assert (await socket.receive(timeout=10)).type is aiohttp.WSMsgType.CLOSE
    assert served.chat.queues == []


@pytest.mark.parametrize(
    ("media_type", "body", "served_as", "disposition"),
    [("image/png", b"png", "image/png", "inline"), ("image/svg+xml", SVG, "application/octet-stream", "attachment")],
)
async def test_an_attachment_is_never_a_document_of_this_origin(
    served: Served, media_type: str, body: bytes, served_as: str, disposition: str
) -> None:
    """Pictures are drawn, everything else is a download; both without any right to run."""
    attachment = {"id": "1", "filename": "f", "size": len(body), "content_type": media_type, "url": ""}
    served.chat.files["1"] = body
    message_id = served.chat.answer("", attachments=(attachment,))
    async with served.http.get(f"{served.page.url}/attachments/{message_id}/1/f") as response:
        assert await response.read() == body
        assert response.content_type == served_as
        assert response.headers["Content-Disposition"] == disposition
        assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
