# SPDX-License-Identifier: Apache-2.0
"""GitHub's API through `gh`, which knows how its user is signed in: answers as those of an HTTP connection."""

import email.message
import email.parser
import http
import os
import re
import shutil
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

from core.base.errors import TTMatrixError
from core.base.processes import CommandRunner, PipedCommand, run_command
from core.base.text import one_line
from core.evidence.github.watched import Overdue

_QUIET = {
    "GH_PROMPT_DISABLED": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "NO_COLOR": "1",
    "CLICOLOR_FORCE": "0",
    "GH_DEBUG": "",
}
_SECONDS = 20.0
"""To say whether it is signed in."""
_STATUS = re.compile(rb"HTTP/[\d.]+ (\d{3})\b[^\n]*\n")
_HEAD_BYTES = 64 * 1024
_PIECE_BYTES = 256 * 1024
_SHOWN = 200


class Unusable(Exception):
    """`gh` does not answer as it should: it is of another version, not signed in any more, or something else."""


def signed_in(environ: Mapping[str, str] = os.environ, runner: CommandRunner = run_command) -> str | None:
    """The token of `gh`; empty: it has none; None: there is no `gh` that answers."""
    places = [one for one in environ.get("PATH", os.defpath).split(os.pathsep) if one.startswith("/")]
    if shutil.which("gh", path=os.pathsep.join(places)) is None:
        return None
    try:
        done = runner(["gh", "auth", "token"], cwd=Path.home(), env=_QUIET, timeout=_SECONDS)
    except TTMatrixError:
        return None
    token = done.stdout.strip() if done.returncode == 0 else ""
    return token if token.isascii() and token.isprintable() and " " not in token else ""


class GhAnswer:
    """An answer that arrives at the standard output of `gh`."""

    def __init__(self, process: PipedCommand, url: str, silence: float) -> None:
        self.url, self._process, self._silence = url, process, silence
        self._rest = b""
        self.status, self.headers = self._head()

    def read1(self, most: int = -1) -> bytes:
        """What is there next, at most `most` bytes; empty at the end. Raises TimeoutError and Unusable."""
        piece = self._rest or self._next()
        if not piece:
            self._ended()
        cut = len(piece) if most < 0 else most
        self._rest = piece[cut:]
        return piece[:cut]

    def read(self, most: int = -1) -> bytes:
        """Everything, or `most` bytes."""
        whole = bytearray()
        while (most < 0 or len(whole) < most) and (piece := self.read1(most - len(whole) if most >= 0 else -1)):
            whole += piece
        return bytes(whole)

    def _head(self) -> tuple[int, email.message.Message]:
        head = b""
        while not (end := re.search(rb"\r?\n\r?\n", head)):
            piece = self._next()
            if not piece or len(head) > _HEAD_BYTES or not b"HTTP/".startswith(head[:5]):
                raise Unusable(self._said() or "it answers something else than GitHub does")
            head += piece
        self._rest = head[end.end() :]
        status = _STATUS.match(head)
        if status is None:
            raise Unusable("it answers something else than GitHub does")
        return int(status[1]), email.parser.BytesParser().parse(
            BytesIO(head[status.end() : end.end()]), headersonly=True
        )

    def _next(self) -> bytes:
        return self._process.read(_PIECE_BYTES, self._silence)

    def _ended(self) -> None:
        """An answer that ends before `gh` could send it all is none. It fails for each refusal, too."""
        if (code := self._process.wait(self._silence)) and self.status < http.HTTPStatus.BAD_REQUEST:
            raise ConnectionError(self._said() or f"gh ended with {code}")

    def _said(self) -> str:
        return one_line(self._process.errors(_HEAD_BYTES))[:_SHOWN].strip()


class GhOpener:
    """Opens addresses of the API as `WatchedOpener` does. `gh` follows redirects, without its token to other hosts."""

    def __init__(self) -> None:
        self._process: PipedCommand | None = None

    def end(self) -> None:
        """End the answer that another thread reads, without waiting for it."""
        if self._process is not None:
            threading.Thread(target=self._process.stop, daemon=True).start()

    @contextmanager
    def open(self, request: urllib.request.Request, *, silence: float, whole: float) -> Iterator[GhAnswer]:
        """The answer, during the block. Raises as `WatchedOpener.open`, and Unusable."""
        where = urlsplit(request.full_url)
        place = where.path.lstrip("/") + (f"?{where.query}" if where.query else "")
        headers = [f"--header={name}: {value}" for name, value in request.header_items() if name in _PASSED]
        words = ["gh", "api", "--include", "--method=GET", *headers, f"--hostname={_host(where.hostname)}", "--", place]
        over = threading.Event()
        with PipedCommand(words, cwd=Path.home(), env=_QUIET) as process:
            self._process = process

            def end() -> None:
                over.set()
                process.stop()

            timer = threading.Timer(whole, end)
            timer.daemon = True
            timer.start()
            begun = time.monotonic()
            try:
                answer = GhAnswer(process, request.full_url, silence)
                if answer.status >= http.HTTPStatus.MULTIPLE_CHOICES:
                    body = BytesIO(answer.read(_HEAD_BYTES))
                    raise urllib.error.HTTPError(
                        request.full_url,
                        answer.status,
                        "",
                        answer.headers,
                        body,
                    )
                yield answer
            except urllib.error.HTTPError:
                raise
            except Exception as error:
                if over.is_set() or time.monotonic() - begun > whole:
                    raise Overdue from error
                raise
            finally:
                timer.cancel()
                self._process = None
        if over.is_set():
            raise Overdue


_PASSED = ("Range", "Accept", "X-github-api-version")
"""The headers that `gh` is given; it has its own for the rest."""


def _host(api: str | None) -> str:
    """The host as `gh` names it."""
    return (api or "").removeprefix("api.")
