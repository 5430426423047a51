# SPDX-License-Identifier: Apache-2.0
"""What a page may send to its app, and how the app of a page begins and ends."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

aiohttp = pytest.importorskip("aiohttp", reason="the extra `web` is not installed")
pytest.importorskip("textual_serve", reason="the extra `web` is not installed")

from textual_serve.download_manager import DownloadManager  # noqa: E402

from tui.web.page_app import PageApp, converse  # noqa: E402

_GREETING = "import sys; print('__GANGLION__', flush=True); out = sys.stdout.buffer; read = sys.stdin.buffer.read\n"
_ECHO = (
    _GREETING + "while kind := read(1):\n"
    "    text = read(int.from_bytes(read(4), 'big'))\n"
    "    if kind == b'M' and b'quit' in text: break\n"
    "    out.write(b'D' + len(text).to_bytes(4, 'big') + text); out.flush()\n"
)
"""An app that paints what it is sent, until it is asked to quit."""
_DEAF = _GREETING + "import time\nwhile True: time.sleep(60)\n"
_CRASHING = _GREETING + "sys.exit(1)\n"


class _Socket:
    """A page's socket: it sends the messages it was given and remembers the answers."""

    def __init__(self, sent: Sequence[object] = ()) -> None:
        self._sent = sent
        self.got: list[object] = []
        self.painted = asyncio.Queue[bytes]()
        self.closed = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[Any]:
        for one in self._sent:
            yield one if isinstance(one, aiohttp.WSMessage) else _text(one)

    async def send_json(self, value: object) -> None:
        self.got.append(value)

    async def send_str(self, text: str) -> None:
        self.got.append(text)

    async def send_bytes(self, data: bytes) -> None:
        await self.painted.put(data)

    async def close(self) -> None:
        self.closed.set()


def _text(value: object) -> Any:
    text = value if isinstance(value, str) else json.dumps(value)
    return aiohttp.WSMessage(aiohttp.WSMsgType.TEXT, text, None)


class _Recorder(PageApp):
    """An app without a process: it remembers the messages it was sent."""

    def __init__(self, socket: Any) -> None:
        super().__init__((), socket, DownloadManager())
        self.told: list[object] = []

    async def send_bytes(self, data: bytes) -> bool:
        self.told.append(data)
        return True

    async def send_meta(self, data: dict[str, str | int | bool | None]) -> bool:
        self.told.append(data)
        return True


@pytest.mark.parametrize(
    ("sent", "told", "answered"),
    [
        (["stdin", "jk"], [b"jk"], []),
        (["stdin", ""], [], []),
        (["stdin", "a\ud800b"], [b"ab"], []),
        (["stdin", 7], [], []),
        (["stdin"], [], []),
        (["resize", {"width": 120, "height": 36}], [{"type": "resize", "width": 120, "height": 36}], []),
        (["resize", {"width": "x"}], [{"type": "resize", "width": 80, "height": 24}], []),
        (["resize", [1, 2]], [], []),
        (["ping", "3"], [], [["pong", "3"]]),
        (["blur"], [{"type": "blur"}], []),
        (["focus"], [{"type": "focus"}], []),
        (["no such thing", 1], [], []),
        ([], [], []),
        ({"stdin": "x"}, [], []),
        ("no json", [], []),
        ("[" * 100_000, [], []),
        (aiohttp.WSMessage(aiohttp.WSMsgType.BINARY, b"x", None), [], []),
    ],
)
async def test_an_app_gets_what_a_page_may_send_and_nothing_else(
    sent: object, told: list[object], answered: list[object]
) -> None:
    """What cannot be read is left out, and what comes after it is heard."""
    socket: Any = _Socket((sent, ["stdin", "after"]))
    app = _Recorder(socket)
    await converse(socket, app)
    assert app.told == [*told, b"after"] and socket.got == answered


async def _started(program: str) -> tuple[Any, PageApp]:
    socket: Any = _Socket()
    app = PageApp((sys.executable, "-c", program), socket, DownloadManager())
    await app.start(80, 24)
    return socket, app


async def _exit_code(app: PageApp) -> int:
    assert app._process is not None
    return await asyncio.wait_for(app._process.wait(), 30)


async def test_a_page_is_painted_by_its_app_which_quits_on_request() -> None:
    socket, app = await _started(_ECHO)
    await app.send_bytes(b"hello")
    assert await asyncio.wait_for(socket.painted.get(), 30) == b"hello"
    await app.stop()
    assert await _exit_code(app) == 0
    await asyncio.wait_for(socket.closed.wait(), 30)
    await app.stop()  # a second time there is nothing to do


async def test_an_app_that_does_not_quit_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.web.page_app._QUIT_SECONDS", 0.1)
    _, app = await _started(_DEAF)
    await app.stop()
    assert await _exit_code(app) < 0


async def test_the_page_of_an_app_that_ends_is_closed() -> None:
    socket, app = await _started(_CRASHING)
    await asyncio.wait_for(socket.closed.wait(), 30)
    assert await _exit_code(app) == 1
    await app.stop()


async def test_an_app_that_was_never_started_can_be_stopped() -> None:
    socket: Any = _Socket()
    await PageApp(("true",), socket, DownloadManager()).stop()
    assert not socket.closed.is_set()
