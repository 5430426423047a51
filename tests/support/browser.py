# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven by its DevTools protocol, and what its terminal received."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pyte

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--remote-debugging-port=0",
)
_TEXT = 1
"""The opcode of a text frame: RFC 6455, 5.2."""


def browser() -> str:
    """The path of a Chromium; empty if there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), "")


class Page:
    """One page: its content, and what its terminal received."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._stream = pyte.ByteStream(screen := pyte.Screen(200, 60))
        self.screen = screen
        self.problems: list[str] = []
        """Errors in the console of the page."""

    @property
    def text(self) -> str:
        """The terminal, as text."""
        return "\n".join(self.screen.display)

    async def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while (message := await self._next()).get("id") != number:
            pass
        result: dict[str, Any] = message["result"]
        return result

    async def until(self, condition: Callable[[], bool]) -> None:
        """Receive messages until `condition` holds."""
        while not condition():
            await self._next()

    async def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page; a promise is awaited."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return found["result"].get("value")

    async def until_loaded(self) -> None:
        """Wait until the page is complete."""
        await self.value("new Promise(done => document.readyState === 'complete' ? done() : (onload = done))")

    async def press(self, key: str) -> None:
        """Press the key of a character."""
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, text=key)

    async def picture(self) -> bytes:
        """The page, as PNG."""
        return base64.b64decode((await self.call("Page.captureScreenshot"))["data"])

    async def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = await self._socket.receive_json(timeout=60)
        parameters = message.get("params", {})
        if message.get("method") == "Network.webSocketFrameReceived":
            frame = parameters["response"]
            if frame["opcode"] != _TEXT:
                self._stream.feed(base64.b64decode(frame["payloadData"]))
        if message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"])
        return message


@asynccontextmanager
async def open_page(url: str, width: int, height: int) -> AsyncIterator[Page]:
    """Open `url` in a new browser; sizes in pixels."""
    # Near the root: the path of its socket is limited to 107 bytes, and a test's own directory can be longer.
    directory = tempfile.mkdtemp(prefix="ttmatrix-", dir="/tmp")
    process = subprocess.Popen(
        [browser(), *_QUIET, f"--user-data-dir={directory}", f"--window-size={width},{height}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": directory},
    )
    try:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if "DevTools listening" in line:
                break
        else:
            raise AssertionError("the browser ended before it listened:\n" + "".join(said))
        listening = said[-1]
        port = listening.split("127.0.0.1:")[1].split("/")[0]
        async with aiohttp.ClientSession() as client:
            async with client.get(f"http://127.0.0.1:{port}/json") as answer:
                pages = json.loads(await answer.text())
            target = next(one for one in pages if one["type"] == "page")
            async with client.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Page(socket)
                for domain in ("Network", "Page", "Log"):
                    await page.call(f"{domain}.enable")
                await page.call("Page.navigate", url=url)
                yield page
    finally:
        process.terminate()
        assert process.stderr is not None
        process.stderr.read()
        process.stderr.close()
        process.wait(60)
        shutil.rmtree(directory, ignore_errors=True)
