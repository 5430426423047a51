# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix serve`: the real app over a websocket, and in a browser where there is one."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyte
import pytest

aiohttp = pytest.importorskip("aiohttp", reason="the extra `web` is not installed")
pytest.importorskip("textual_serve", reason="the extra `web` is not installed")

from tests.support.browser import browser, open_page  # noqa: E402
from tests.support.cli import call  # noqa: E402
from tests.support.schemas import complaints  # noqa: E402
from tests.support.tree import sample  # noqa: E402

pytestmark = pytest.mark.slow("a server starts an app for each page")
_PATIENCE_SECONDS = 60


class Served:
    """A server on a small checkout."""

    def __init__(self, root: Path, home: Path, *options: str) -> None:
        self.home = home
        argv = [sys.executable, "-m", "tui", "serve", "--repo", str(root), "--port", "0", "--json", *options]
        self.process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, text=True, env={**os.environ, "TTMATRIX_HOME": str(home)}
        )
        assert self.process.stdout is not None
        lines = iter(self.process.stdout.readline, "")
        text = ""
        for line in lines:
            text += line
            if line == "}\n":
                break
        self.document = json.loads(text)
        self.address: str = self.document["address"]
        parts = urlsplit(self.address)
        self.base, self.host = f"http://{parts.netloc}", parts.netloc

    def end(self) -> int:
        """End it like ctrl+c; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return self.process.wait(_PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(sample(tmp_path_factory.mktemp("web") / "tt-xla").root, tmp_path_factory.mktemp("home"))
    yield server
    assert server.end() == 0


class _Terminal:
    """A page of the app: a websocket, and a screen of its output."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._screen = pyte.Screen(100, 30)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    async def type(self, keys: str) -> None:
        await self._socket.send_json(["stdin", keys])

    async def until(self, words: str) -> None:
        while words not in self.text:
            try:
                message = await self._socket.receive(timeout=_PATIENCE_SECONDS)
            except TimeoutError:
                pytest.fail(f"never shown: {words!r}\n{self.text}")
            assert message.type == aiohttp.WSMsgType.BINARY, f"ended before {words!r}:\n{self.text}"
            self._stream.feed(message.data)

    async def ended(self) -> None:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while (await self._socket.receive()).type == aiohttp.WSMsgType.BINARY:
                pass


@asynccontextmanager
async def _opened(served: Served) -> AsyncIterator[_Terminal]:
    """The app, opened as a browser does: the address, then the page, then its websocket."""
    # A browser has cookies of hosts that are numbers; this client only if it is asked to.
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, headers={"Origin": served.base}) as client:
        async with client.get(served.address) as page:
            assert page.status == 200
            assert "token" not in str(page.url)
        async with client.ws_connect(f"{served.base}/ws?width=100&height=30") as socket:
            yield _Terminal(socket)


async def _status(served: Served, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    async with (
        aiohttp.ClientSession() as client,
        client.get(served.base + path, headers=headers, allow_redirects=False) as answer,
    ):
        return answer.status, dict(answer.headers), await answer.text()


async def test_without_the_token_nothing_is_shown(served: Served) -> None:
    token = urlsplit(served.address).query
    for path in ("/", "/?token=wrong", "/static/js/textual.js", "/page.js", "/ws", "/nothing"):
        status, headers, text = await _status(served, path)
        assert status == 403, path
        assert "Set-Cookie" not in headers
        assert "token" in text or path == "/ws"
    for headers in ({"Host": "rebound.example"}, {"Origin": "http://other.example"}):
        status, _, _ = await _status(served, f"/?{token}", **headers)
        assert status == 403
    status, headers, _ = await _status(served, f"/?{token}")
    assert status == 303
    assert {"HttpOnly", "SameSite=Lax"} < {part.strip() for part in headers["Set-Cookie"].split(";")}
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


async def test_a_websocket_of_another_site_is_refused_with_the_cookie_too(served: Served) -> None:
    name, value = f"ttmatrix-{served.host.split(':')[1]}", urlsplit(served.address).query.partition("=")[2]
    async with aiohttp.ClientSession(cookies={name: value}, cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        client.cookie_jar.update_cookies({name: value}, aiohttp.client.URL(served.base))
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{served.base}/ws", headers={"Origin": "http://other.example"})
        assert refused.value.status == 403


async def test_the_app_is_there_and_refuses_what_would_change_something(served: Served) -> None:
    async with _opened(served) as terminal:
        await terminal.until("read-only")
        await terminal.until("alpha/pytorch")
        await terminal.type("r")
        await terminal.until("Read-only: this would start")
        await terminal.type(":set status=EXPECTED_PASSING\r")
        await terminal.until("Read-only: this would change pending edits.")
        await terminal.type("\x1bq")
        await terminal.ended()
    assert not list(served.home.glob("**/runs/*/spec.json"))
    assert not list(served.home.glob("**/places/*"))


def test_the_document_is_as_its_schema_says(served: Served) -> None:
    assert complaints("serve", served.document) == []
    assert served.document["read_only"] is True


async def test_edits_that_are_allowed_are_done(tmp_path: Path) -> None:
    server = Served(sample(tmp_path / "tt-xla").root, tmp_path / "home", "--allow-edits")
    try:
        async with _opened(server) as terminal:
            await terminal.until("alpha/pytorch")
            await terminal.type("E")
            await terminal.until("bringup_status")
            assert "read-only" not in terminal.text
    finally:
        # An app whose page is gone has ended before the server.
        assert server.end() == 0


def test_a_port_that_is_taken_is_named(served: Served, tmp_path: Path) -> None:
    root = sample(tmp_path / "tt-xla").root
    argv = [sys.executable, "-m", "tui", "serve", "--repo", str(root), "--port", served.host.split(":")[1]]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Cannot serve on port" in done.stderr


@pytest.mark.parametrize("port", ["-1", "x", "65536"])
def test_a_port_is_a_number(port: str) -> None:
    called = call("serve", f"--port={port}")
    assert called.code == 64
    assert "is not a port" in called.err


@pytest.mark.skipif(not browser(), reason="no Chromium is installed")
async def test_a_browser_shows_it_and_takes_keys(served: Served) -> None:
    async with open_page(served.address, 1200, 700) as page:
        await page.until(lambda: "alpha/pytorch" in page.text)
        # Nobody has clicked into the page.
        await page.press("r")
        await page.until(lambda: "Read-only: this would" in page.text)
        picture = await page.picture()
        assert page.problems == []
    assert picture.startswith(b"\x89PNG")
    # A page that shows nothing is a tenth of that.
    assert len(picture) > 40_000
