# SPDX-License-Identifier: Apache-2.0
"""The app of one page: a process that gets what the page sends, and that ends with the page's socket."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from tui.terminal import page_size

_QUIT_SECONDS = 3.0
"""Seconds that an app may take to end by itself after its page is gone."""


class PageApp(AppService):
    """Textual-serve's process of a page, which is started without a shell and killed if it does not end.

    That needs private names of textual-serve 1.1: its version is pinned, too.
    """

    def __init__(self, command: Sequence[str], socket: web.WebSocketResponse, downloads: DownloadManager) -> None:
        async def close() -> None:
            await socket.close()

        super().__init__(
            "",
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=close,
            download_manager=downloads,
        )
        self._argv = command
        self._socket = socket

    async def _open_app_process(self, width: int = 80, height: int = 24) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        env = self._build_environment(width, height)
        self._process = process = await asyncio.create_subprocess_exec(
            *self._argv, stdin=pipe, stdout=pipe, stderr=pipe, env=env
        )
        self._stdin = process.stdin
        return process

    async def run(self) -> None:
        """Forward what the app paints until it ends; then its page has nothing more to show."""
        try:
            with suppress(ConnectionError):
                await super().run()
        finally:
            with suppress(ConnectionError, RuntimeError):
                await self._socket.close()

    async def stop(self) -> None:
        """End the app: it is asked to, and then killed."""
        task, process = self._task, self._process
        if task is None or process is None:
            return
        self._task = None
        try:
            async with asyncio.timeout(_QUIT_SECONDS):
                await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
                await self.send_meta({"type": "quit"})
                await process.wait()
        except TimeoutError:
            pass
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            task.cancel()
            await asyncio.gather(task, process.wait(), return_exceptions=True)


async def converse(socket: web.WebSocketResponse, app: PageApp) -> None:
    """Hand the messages of a page to its app until the socket is closed; what is no message is ignored."""
    async for message in socket:
        if message.type is not WSMsgType.TEXT:
            continue
        with suppress(ValueError, RecursionError):
            envelope = json.loads(message.data)
            if isinstance(envelope, list) and envelope:
                await _take(socket, app, envelope[0], envelope[1] if len(envelope) > 1 else None)


async def _take(socket: web.WebSocketResponse, app: PageApp, kind: object, data: Any) -> None:
    match kind:
        case "stdin" if isinstance(data, str):
            # An empty packet would be the end of all input.
            if typed := data.encode("utf-8", "ignore"):
                await app.send_bytes(typed)
        case "resize" if isinstance(data, dict):
            await app.set_terminal_size(*page_size(data.get("width"), data.get("height")))
        case "ping":
            await socket.send_json(["pong", data])
        case "blur":
            await app.blur()
        case "focus":
            await app.focus()
