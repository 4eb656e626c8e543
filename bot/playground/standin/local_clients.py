"""Only programs on this machine are served, and no web page that a browser on it shows.

A page of any site can make the browser send requests to 127.0.0.1, or to a name of its own that it points there (DNS
rebinding). Browsers tell on themselves: by `Origin`, which no bot sends, and by the name in `Host`.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler


@web.middleware
async def refuse_browsers(request: web.Request, handler: Handler) -> web.StreamResponse:
    if "Origin" in request.headers or not is_loopback(request.headers.get("Host", "")):
        return web.Response(status=403, text="Only for programs on this machine")
    return await handler(request)


def is_loopback(host: str) -> bool:
    """Whether the value of a Host header, with or without a port, means this machine."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False
