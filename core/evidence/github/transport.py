# SPDX-License-Identifier: Apache-2.0
"""GitHub's API over HTTPS: retries, rate limits and redirects; the token is only sent to the host of the API."""

import email.message
import http.client
import json
import os
import shutil
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from core.errors import TTMatrixError
from core.proc import CommandRunner, run_command

T = TypeVar("T")
API = "https://api.github.com"
_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
_SECONDS = 60.0
"""A connection without a byte for that long is closed."""
_TRIES = 5
_LONGEST_WAIT = 120.0
"""Seconds: if the rate limit requires more, the error says until when."""
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_DOCUMENT_BYTES = 64 * 2**20
_CHUNK_BYTES = 256 * 1024
_HOME = ("localhost", "127.0.0.1", "::1")


class Expired(Exception):
    """The artefact is no longer there (410)."""


class _TryAgain(Exception):
    """An error that a retry may cure."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


_PASSING = (_TryAgain, http.client.HTTPException, urllib.error.URLError, TimeoutError, ConnectionError)


def find_token(environ: Mapping[str, str] = os.environ, runner: CommandRunner = run_command) -> str:
    """The token in the environment, else that of `gh`; empty if neither has one. It is never stored."""
    if token := next(filter(None, (environ.get(name, "").strip() for name in _TOKENS)), ""):
        return token
    if shutil.which("gh") is None:
        return ""
    done = runner(["gh", "auth", "token"], cwd=Path.home(), env={"GH_PROMPT_DISABLED": "1"}, timeout=_SECONDS)
    return done.stdout.strip() if done.returncode == 0 else ""


@dataclass
class Transport:
    """Sends requests to one API. Raises TTMatrixError on failure; no message has a token or a signed address."""

    token: str = field(default="", repr=False)
    api: str = field(default_factory=lambda: os.environ.get("GITHUB_API_URL", "") or API)
    say: Callable[[str], None] = lambda text: None
    """Called with a line for each wait."""

    def __post_init__(self) -> None:
        self.api = self.api.rstrip("/")
        where = urlsplit(self.api)
        if where.scheme != "https" and where.hostname not in _HOME:
            raise TTMatrixError("The API of GitHub is used over HTTPS only", f"GITHUB_API_URL is {self.api}")

    def json(self, path: str) -> tuple[Any, str]:
        """The answer to `path` (an address, or relative to the API) and the address of its next page; empty: none."""

        def read() -> tuple[Any, str]:
            with self._open(path) as answer:
                text = answer.read(_DOCUMENT_BYTES)
                self._check_length(answer, len(text))
                try:
                    return json.loads(text), _next_page(answer.headers)
                except ValueError as error:
                    raise _TryAgain("the answer is no JSON") from error

        return self._with_retries(path, read)

    def download(self, path: str, file: Path, most: int) -> None:
        """Write the answer to `path` to `file`: completely, and at most `most` bytes. Raises Expired."""

        def read() -> None:
            with self._open(path) as answer, file.open("wb") as out:
                length = self._copy(answer, out, most)
                self._check_length(answer, length)

        self._with_retries(path, read)

    def _copy(self, answer: http.client.HTTPResponse, out: IO[bytes], most: int) -> int:
        length = 0
        while piece := answer.read(_CHUNK_BYTES):
            length += len(piece)
            if length > most:
                raise TTMatrixError("An artefact is larger than GitHub said", f"more than {most:,} bytes")
            out.write(piece)
        return length

    def _check_length(self, answer: http.client.HTTPResponse, length: int) -> None:
        said = answer.headers.get("Content-Length", "")
        if said.isdigit() and int(said) != length:
            raise _TryAgain(f"{length:,} of {int(said):,} bytes arrived")

    def _with_retries(self, path: str, read: Callable[[], T]) -> T:
        for tried in range(1, _TRIES + 1):
            try:
                return read()
            except (
                _TryAgain,
                http.client.HTTPException,
                urllib.error.URLError,
                TimeoutError,
                ConnectionError,
            ) as error:
                why = _why(error)
                if tried == _TRIES:
                    detail = f"{self._shown(path)}: {why}, {_TRIES} times"
                    hint = "What was read is stored. Try again later: it continues from there."
                    raise TTMatrixError("GitHub does not answer", detail, hint) from None
                after = getattr(error, "after", None)
                seconds = 2.0 ** (tried - 1) if after is None else after
                self.say(f"{self._shown(path)}: {why}; trying again in {seconds:.0f} s")
                _wait(seconds)
        raise AssertionError("it has returned or raised")

    def _shown(self, path: str) -> str:
        return urlsplit(path).path if "://" in path else path.partition("?")[0]

    @contextmanager
    def _open(self, path: str) -> Iterator[http.client.HTTPResponse]:
        address = path if "://" in path else f"{self.api}/{path.lstrip('/')}"
        for _ in range(_MOST_REDIRECTS):
            try:
                with _OPENER.open(self._request(address), timeout=_SECONDS) as answer:
                    yield answer
                return
            except urllib.error.HTTPError as error:
                with error:
                    place = error.headers.get("Location", "")
                    if error.code not in _REDIRECTS or not place:
                        raise self._refusal(error) from None
                    address = self._followed(address, place)
        raise TTMatrixError("GitHub redirects too often", self._shown(path))

    def _followed(self, address: str, place: str) -> str:
        found = urljoin(address, place)
        where = urlsplit(found)
        if where.scheme != "https" and where.hostname not in _HOME:
            raise TTMatrixError("GitHub redirects to a place that is not HTTPS", f"{where.scheme}://{where.hostname}")
        return found

    def _request(self, address: str) -> urllib.request.Request:
        request = urllib.request.Request(address, headers={"User-Agent": "ttmatrix"})
        if _origin(address) == _origin(self.api):
            request.add_header("Accept", "application/vnd.github+json")
            request.add_header("X-GitHub-Api-Version", "2022-11-28")
            if self.token:
                request.add_header("Authorization", f"Bearer {self.token}")
        return request

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        if error.code >= 500:
            return _TryAgain(f"it says {error.code}")
        if error.code == 410:
            return Expired()
        if (seconds := _limited(error)) is not None:
            if seconds <= _LONGEST_WAIT:
                return _TryAgain("its rate limit is reached", seconds)
            until = time.strftime("%H:%M", time.localtime(time.time() + seconds))
            hint = "With a token the limit is 5,000 an hour: set GH_TOKEN, or run gh auth login."
            detail = f"It answers again at {until}. What was read is stored."
            return TTMatrixError("The rate limit of GitHub is reached", detail, "" if self.token else hint)
        hints = {
            401: "The token is not valid. Set GH_TOKEN anew, or run gh auth login.",
            403: "The token must be allowed to read Actions of this repository.",
            404: "Is the name of the repository or workflow right? A private one needs a token.",
        }
        if not self.token:
            hints |= dict.fromkeys((401, 403, 404), "Artefacts need a token: set GH_TOKEN, or run gh auth login.")
        where = self._shown(error.url) if _origin(error.url) == _origin(self.api) else str(urlsplit(error.url).hostname)
        return TTMatrixError(f"GitHub refuses with {error.code}", where, hints.get(error.code, ""))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Reports redirects as errors; `_open` follows them, because urllib would send the token along."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)


def _origin(address: str) -> tuple[str, str]:
    where = urlsplit(address)
    return where.scheme, where.netloc


def _limited(error: urllib.error.HTTPError) -> float | None:
    """For how many seconds the rate limit forbids all requests; None: the error is not a rate limit."""
    if error.code not in (403, 429):
        return None
    after, left = error.headers.get("Retry-After", ""), error.headers.get("X-RateLimit-Remaining", "")
    if after.isdigit():
        return float(after)
    reset = error.headers.get("X-RateLimit-Reset", "")
    if left == "0" and reset.isdigit():
        return max(0.0, float(reset) - time.time()) + 1
    return 60.0 if error.code == 429 else None


def _next_page(headers: email.message.Message) -> str:
    for part in headers.get("Link", "").split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return address.strip().strip("<>")
    return ""


def _why(error: Exception) -> str:
    if isinstance(error, _TryAgain):
        return str(error)
    reason = getattr(error, "reason", None)
    return f"no connection ({reason or type(error).__name__})"
