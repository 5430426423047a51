# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix serve`: the real app over a websocket, and in a browser where there is one."""

import asyncio
import contextlib
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

import psutil
import pyte
import pytest

aiohttp = pytest.importorskip("aiohttp", reason="the extra `web` is not installed")
pytest.importorskip("aiohttp.test_utils")
pytest.importorskip("textual_serve", reason="the extra `web` is not installed")

from tests.support.browser import browser, open_page  # noqa: E402
from tests.support.cli import call  # noqa: E402
from tests.support.schemas import complaints  # noqa: E402
from tests.support.tree import sample  # noqa: E402
from tui.app.last_place import LastPlace, place_file, write_place  # noqa: E402
from tui.terminal import page_size  # noqa: E402
from tui.web.server import application  # noqa: E402

pytestmark = pytest.mark.slow("a server starts an app for each page")
_PATIENCE_SECONDS = 60


class Served:
    """A server on a small checkout."""

    def __init__(self, root: Path, home: Path, *options: str) -> None:
        self.home = home
        # The matrix was left last; else apps begin with the overview.
        self.place = place_file(home / "state" / "places", root)
        write_place(self.place, LastPlace())
        self.begun = self.place.read_bytes()
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

    async def send(self, *messages: object) -> None:
        for message in messages:
            await self._socket.send_str(message if isinstance(message, str) else json.dumps(message))

    async def ended(self) -> None:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while (await self._socket.receive()).type == aiohttp.WSMsgType.BINARY:
                pass


@asynccontextmanager
async def _opened(served: Served, size: str = "width=100&height=30") -> AsyncIterator[_Terminal]:
    """The app, opened as a browser does: the address, then the page, then its websocket."""
    # A browser has cookies of hosts that are numbers; this client only if it is asked to.
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, headers={"Origin": served.base}) as client:
        async with client.get(served.address) as page:
            assert page.status == 200
            assert "token" not in str(page.url)
        async with client.ws_connect(f"{served.base}/ws?{size}") as socket:
            yield _Terminal(socket)


def _app(served: Served) -> psutil.Process:
    """The app that was started last; others may be about to end."""
    return max(psutil.Process(served.process.pid).children(), key=psutil.Process.create_time)


async def _gone(app: psutil.Process, seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while app.is_running() and app.status() != psutil.STATUS_ZOMBIE:
            await asyncio.sleep(0.05)


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
        await terminal.until("alpha/")
        await terminal.type("r")
        await terminal.until("Read-only: this would start")
        await terminal.type(":set status=EXPECTED_PASSING\r")
        await terminal.until("Read-only: this would change pending edits.")
        await terminal.type("\x1bq")
        await terminal.ended()
    assert not list(served.home.glob("**/runs/*/spec.json"))
    assert list(served.home.glob("**/places/*")) == [served.place] and served.place.read_bytes() == served.begun


def test_the_document_is_as_its_schema_says(served: Served) -> None:
    assert complaints("serve", served.document) == []
    assert served.document["read_only"] is True


async def test_edits_that_are_allowed_are_done(tmp_path: Path) -> None:
    server = Served(sample(tmp_path / "tt-xla").root, tmp_path / "home", "--allow-edits")
    try:
        async with _opened(server) as terminal:
            await terminal.until("alpha/")
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
        await page.until(lambda: "alpha/" in page.text)
        # Nobody has clicked into the page.
        await page.press("r")
        await page.until(lambda: "Read-only: this would" in page.text)
        picture = await page.picture()
        assert page.problems == []
    assert picture.startswith(b"\x89PNG")
    # A page that shows nothing is a tenth of that.
    assert len(picture) > 40_000


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ((100, 30), (100, 30)),
        (("100", "30"), (100, 30)),
        ((1e9, 10**9), (800, 400)),
        ((float("inf"), float("-inf")), (800, 1)),
        ((0, -5), (1, 1)),
        ((float("nan"), None), (80, 24)),
        (("wide", []), (80, 24)),
        ((True, {}), (80, 24)),
        (("9" * 5000, 10**400), (800, 24)),
    ],
)
def test_a_page_gets_a_size_that_a_screen_has(asked: tuple[object, object], given: tuple[int, int]) -> None:
    assert page_size(*asked) == given


async def test_a_page_that_asks_for_a_billion_columns_gets_an_app_of_a_usual_size(served: Served) -> None:
    vast = {"width": 1e9, "height": 1e9}
    async with _opened(served, "width=1000000000&height=1000000000") as terminal:
        await terminal.until("alpha/")
        app = _app(served)
        await terminal.send(
            "no JSON", "[" * 100_000, [], ["resize"], ["resize", 3], ["stdin", {}], {}, ["stdin", "\ud800"]
        )
        await terminal.send(["resize", {"width": "x"}], ["resize", {**vast, "height": -1}], ["resize", vast])
        await terminal.send(["resize", {"width": 100, "height": 30}])
        await terminal.type("r")
        await terminal.until("Read-only: this would start")
        assert app.memory_info().rss < 700 * 2**20
    await _gone(app)


async def test_an_app_that_does_not_answer_ends_with_its_page(served: Served) -> None:
    async with _opened(served) as terminal:
        await terminal.until("alpha/")
        app = _app(served)
        app.send_signal(signal.SIGSTOP)
    await _gone(app)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_apps_end_with_the_server(tmp_path: Path, by: signal.Signals) -> None:
    server = Served(sample(tmp_path / "tt-xla").root, tmp_path / "home")
    with contextlib.suppress(aiohttp.ClientError):
        async with _opened(server) as terminal:
            await terminal.until("alpha/")
            app = _app(server)
            if by is not signal.SIGKILL:
                # It is busy with something else than its end.
                app.send_signal(signal.SIGSTOP)
            server.process.send_signal(by)
            await _gone(app)
    assert server.process.wait(_PATIENCE_SECONDS) == (-by if by is signal.SIGKILL else 0)
    assert server.process.stdout is not None
    server.process.stdout.close()


async def test_there_are_not_more_apps_than_a_machine_can_hold(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.web.server._MOST_APPS", 0)
    app = application(["false"], "t", "c")
    async with aiohttp.test_utils.TestClient(aiohttp.test_utils.TestServer(app)) as client:
        host = f"127.0.0.1:{client.port}"
        answer = await client.get("/ws", headers={"Host": host, "Cookie": "c=t", "Origin": f"http://{host}"})
        assert answer.status == 503
        assert "Close one of them" in await answer.text()
