# SPDX-License-Identifier: Apache-2.0
"""Serves the app to browsers of this machine: each page has an app of its own, whose bytes are forwarded."""

import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

from core.base.errors import TTMatrixError
from core.cli import AppRequest, Serve
from tui.terminal import page_size
from tui.web.guard import Asked, Guard
from tui.web.page_app import PageApp, converse

_LOOPBACK = "127.0.0.1"
_END_SECONDS = 1.0
"""Seconds that pages may take to end after the server begins to stop."""
_MOST_APPS = 16
"""At once: each takes 150 MB and more."""
_HEARTBEAT_SECONDS = 15.0
_TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
"""The terminal type of xterm.js in the page, whatever terminal the server was started in."""
_SOCKET = "/ws"
_PAGE, _SCRIPT = (Path(__file__).with_name(name) for name in ("page.html", "page.js"))

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def serve(request: AppRequest, asked: Serve) -> int:
    """Serve the app until a signal ends it. Raises TTMatrixError if the port is not available."""
    try:
        listening = socket.create_server((_LOOPBACK, asked.port))
    except OSError as error:
        hint = "Choose another with --port PORT; 0 lets the system choose."
        raise TTMatrixError(f"Cannot serve on port {asked.port}", error.strerror or str(error), hint) from error
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(32)
    os.environ.update(_TERMINAL)

    async def announce(_: web.Application) -> None:
        asked.announce(f"http://{_LOOPBACK}:{port}/?token={token}")

    app = application(app_command(request), token, f"ttmatrix-{port}")
    app.on_startup.append(announce)
    web.run_app(app, sock=listening, access_log=None, print=None, shutdown_timeout=_END_SECONDS)
    return 0


def app_command(request: AppRequest) -> list[str]:
    """The command line that opens the app of a page. `-P`: nothing is imported from the current directory."""
    options = {
        "--repo": str(request.repo or ""),
        "--arch": request.arch,
        "--query": request.query,
        "--screen": request.screen,
        "--theme": request.theme,
    }
    flags = {"--fresh": request.fresh, "--read-only": request.read_only}
    texts = [f"{name}={value}" for name, value in options.items() if value]
    return [sys.executable, "-P", "-m", "tui", *texts, *(name for name, given in flags.items() if given)]


def application(command: Sequence[str], token: str, cookie: str) -> web.Application:
    """The server without its socket. `command` opens an app; browsers store the token as `cookie`."""
    served, guard = Server(""), Guard(token)
    apps: set[PageApp] = set()

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        asked = Asked(
            request.headers.get("Host", ""),
            request.headers.get("Origin", ""),
            request.query.get("token", ""),
            request.cookies.get(cookie, ""),
            websocket=request.path == _SOCKET,
        )
        if refusal := guard.refusal(asked):
            return web.Response(status=403, text=f"{refusal}\n")
        if asked.token:
            # Redirect to an address without the token, so that it is in no history and no screenshot.
            there = web.HTTPSeeOther("/")
            there.set_cookie(cookie, token, httponly=True, samesite="Lax")
            raise there
        return await handler(request)

    async def secured(request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(_headers(request.host))

    async def index(request: web.Request) -> web.Response:
        return web.Response(text=page(request.host), content_type="text/html")

    async def socket(request: web.Request) -> web.StreamResponse:
        if len(apps) >= _MOST_APPS:
            return web.Response(status=503, text=f"{_MOST_APPS} pages are open. Close one of them.\n")
        channel = web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS)
        app = PageApp(command, channel, served.download_manager)
        apps.add(app)
        try:
            await channel.prepare(request)
            await app.start(*page_size(request.query.get("width"), request.query.get("height")))
            await converse(channel, app)
        finally:
            # Also if this handler is cancelled, because the server ends.
            await app.stop()
            apps.discard(app)
        return channel

    async def script(_: web.Request) -> web.FileResponse:
        return web.FileResponse(_SCRIPT)

    app = web.Application(middlewares=[guarded])
    app.on_response_prepare.append(secured)
    app.add_routes(
        [
            web.get("/", index),
            web.get("/page.js", script),
            web.get(_SOCKET, socket),
            web.get("/download/{key}", served.handle_download),
            web.static("/static", served.statics_path),
        ]
    )
    return app


def page(host: str) -> str:
    """The page with its terminal, for a browser that reaches the server as `host`."""
    return _PAGE.read_text(encoding="utf-8").replace("{{ address }}", escape(f"ws://{host}{_SOCKET}"))


def _headers(host: str) -> dict[str, str]:
    """Headers that forbid loading from other sites, embedding in other sites, and sending them our address."""
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        # xterm.js creates style sheets itself.
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data:",
        f"connect-src 'self' ws://{host}",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
