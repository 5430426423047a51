# SPDX-License-Identifier: Apache-2.0
"""GitHub's API, through `gh` or over HTTPS: retries, rate limits and redirects; only the host of the API gets a token.

Nothing that is answered is believed: pages, bytes, seconds and requests are limited, and so are the hosts.
"""

import email.message
import http
import http.client
import json
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn, Protocol, TypeVar
from urllib.parse import urljoin, urlsplit

from core.base.errors import TTMatrixError
from core.base.processes import CommandRunner, run_command
from core.base.text import one_line
from core.evidence.github.gh import GhOpener, Unusable, signed_in
from core.evidence.github.watched import Overdue, WatchedOpener

T = TypeVar("T")
API = "https://api.github.com"
_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
_SECONDS = 60.0
"""A connection without a byte for that long is closed."""
_TRIES = 5
_LONGEST_WAIT = 120.0
"""Seconds: if the rate limit requires more, the error says until when."""
_DOCUMENT_SECONDS, _DOWNLOAD_SECONDS = 120.0, 1800.0
"""How long one answer may take as a whole."""
_LEAST_RATE, _LENIENT_SECONDS = 1024, 60.0
"""Bytes a second that a download must have on average, once that time is over."""
MOST_REQUESTS, _MOST_SECONDS = 5_000, 4 * 3600.0
"""For everything that is read at once. So many requests are what GitHub allows in an hour."""
_ASKED = 3
"""How often one answer is asked for until it begins where it is wanted."""
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_DOCUMENT_BYTES = 16 * 2**20
_CHUNK_BYTES = 256 * 1024
_HOME = ("localhost", "127.0.0.1", "::1")
_GITHUB = ("github.com", "githubusercontent.com", "blob.core.windows.net")
"""The domains to which the API sends for archives."""
_RANGE = re.compile(r"bytes ([0-9]{1,15})-[0-9]{1,15}/([0-9]{1,15})")
_NEXT = re.compile(r"<([^<>]*)>\s*;[^,]*\brel=\"?next\b")
_MAY_EXPIRE = re.compile(r"/actions/(?:artifacts/\d+/zip|jobs/\d+/logs|runs/\d+/jobs)$")
"""What a run loses with time. Its host of downloads says 404 too, but a signed address may simply be too old."""
_PORTS = (None, 443)
_DAY_SECONDS = 86_400.0
_SHOWN = 300
"""The most characters of what a server said in a message."""


class Expired(Exception):
    """What was asked for is not, or no longer, there (404, 410)."""


class Refused(TTMatrixError):
    """The token may not read it (401, 403)."""


class NotFound(TTMatrixError):
    """There is none of that name (404, 422)."""


class _TryAgain(Exception):
    """An error that a retry may cure."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


def _given_token(environ: Mapping[str, str]) -> str:
    return next(filter(None, (environ.get(name, "").strip() for name in _TOKENS)), "")


def connect(
    say: Callable[[str], None] = lambda text: None,
    environ: Mapping[str, str] = os.environ,
    runner: CommandRunner = run_command,
) -> "Transport":
    """A connection that is signed in."""
    found = Transport(say=say)
    found.sign_in(environ, runner)
    return found


class Answer(Protocol):
    """An answer that arrives."""

    status: int
    url: str

    @property
    def headers(self) -> email.message.Message: ...
    def read(self, amt: int = -1, /) -> bytes: ...
    def read1(self, n: int = -1, /) -> bytes: ...


class Opener(Protocol):
    """What makes requests."""

    def open(
        self, request: urllib.request.Request, *, silence: float, whole: float
    ) -> AbstractContextManager[Answer]: ...

    def end(self) -> None:
        """End the answer that another thread reads."""


class Sink(Protocol):
    """What takes a large answer, and can go on with it after an interruption."""

    def next(self) -> int:
        """The number of the byte that it wants next; what has come is stored before."""
        ...

    def begin(self, start: int, total: int) -> bool:
        """An answer comes that begins at `start` of `total` bytes (0: unknown). False: ask once more, from `next`."""
        ...

    def take(self, piece: bytes) -> None:
        """The next bytes of the answer."""
        ...

    def forget(self) -> None:
        """What it has is of something else: begin anew."""
        ...


class _Beyond(_TryAgain):
    """What was asked for begins behind its end (416)."""


@dataclass
class Transport:
    """Sends requests to one API. Raises TTMatrixError on failure; no message has a token or a signed address."""

    token: str = field(default="", repr=False)
    api: str = field(default_factory=lambda: os.environ.get("GITHUB_API_URL", "") or API)
    say: Callable[[str], None] = lambda text: None
    """Called with a line for each wait."""
    gh: bool = False
    """Whether `gh` makes the requests."""

    def __post_init__(self) -> None:
        self.api = self.api.rstrip("/")
        self._opener: Opener = GhOpener() if self.gh else WatchedOpener()
        self._requests, self._begun = 0, time.monotonic()
        self._stopped = threading.Event()
        secure = _readable(self.api) and (_is_https(self.api) or _at_home(self.api))
        if not secure:
            raise TTMatrixError("The API of GitHub is used over HTTPS only", f"GITHUB_API_URL is {one_line(self.api)}")

    def sign_in(self, environ: Mapping[str, str] = os.environ, runner: CommandRunner = run_command) -> None:
        """Ask through `gh`, if that is signed in; else, and another API, over HTTPS, with a token if there is one."""
        given, gh = _given_token(environ), signed_in(environ, runner)
        self.token = given or gh or ""
        if self.api == API and gh is not None and self.token:
            self.gh, self._opener = True, GhOpener()

    def stop(self) -> None:
        """From another thread: end what is being read, and read no more. The reader gets a TTMatrixError."""
        self._stopped.set()
        self._opener.end()

    def read_from(self, path: str, sink: Sink) -> None:
        """Give the answer to `path` to `sink`, from where it wants it on. Raises Expired and Refused.

        After a broken connection it goes on where it was; a server that cannot do so sends everything once more.
        """
        address = self._at_the_api(path)

        def read() -> None:
            begun, place = time.monotonic(), address
            # The first answer tells the size, after which the sink may want the end only: of the same place.
            for _ in range(_ASKED):
                with self._open(place, _DOWNLOAD_SECONDS, first=sink.next()) as answer:
                    place = answer.url
                    start, total = _span(answer)
                    if sink.begin(start, total):
                        self._give(answer, sink, begun)
                        return

        def read_or_forget() -> None:
            try:
                read()
            except _Beyond:
                sink.forget()
                raise

        self._with_retries(address, read_or_forget)

    def _give(self, answer: Answer, sink: Sink, begun: float) -> None:
        length = 0
        while piece := answer.read1(_CHUNK_BYTES):
            length += len(piece)
            sink.take(piece)
            self._check_rate(length, begun)
        self._check_length(answer, length)

    def json(self, path: str) -> tuple[Any, str]:
        """The answer to `path` (an address, or relative to the API) and the address of its next page; empty: none."""
        address = self._at_the_api(path)

        def read() -> tuple[Any, str]:
            with self._open(address, _DOCUMENT_SECONDS) as answer:
                text = answer.read(_DOCUMENT_BYTES + 1)
                if len(text) > _DOCUMENT_BYTES:
                    self._refuse("answers more than anybody could need", address, f"over {_DOCUMENT_BYTES:,} bytes")
                self._check_length(answer, len(text))
                try:
                    return json.loads(text, parse_constant=_no_number), self._next_page(address, answer.headers)
                except (ValueError, RecursionError) as error:
                    raise _TryAgain("the answer is no JSON") from error

        return self._with_retries(address, read)

    def download(self, path: str, file: Path, most: int) -> None:
        """Write the answer to `path` to `file`: completely, and at most `most` bytes. Raises Expired."""
        address = self._at_the_api(path)

        def read() -> None:
            try:
                out = file.open("wb")
            except OSError as error:
                raise unwritten(error) from error
            with out, self._open(address, _DOWNLOAD_SECONDS) as answer:
                self._check_length(answer, self._copy(answer, out, most))

        self._with_retries(address, read)

    def _copy(self, answer: Answer, out: IO[bytes], most: int) -> int:
        length, begun = 0, time.monotonic()
        while piece := answer.read1(_CHUNK_BYTES):
            length += len(piece)
            if length > most:
                raise TTMatrixError("An artefact is larger than GitHub said", f"more than {most:,} bytes")
            self._check_rate(length, begun)
            try:
                out.write(piece)
            except OSError as error:
                raise unwritten(error) from error
        return length

    def _check_rate(self, length: int, begun: float) -> None:
        seconds = time.monotonic() - begun
        if seconds > _LENIENT_SECONDS and length < seconds * _LEAST_RATE:
            raise Overdue

    def _check_length(self, answer: Answer, length: int) -> None:
        said = _whole_number(answer.headers.get("Content-Length", ""))
        if said is not None and said != length:
            raise _TryAgain(f"{length:,} of {said:,} bytes arrived")

    def _with_retries(self, path: str, read: Callable[[], T]) -> T:
        for tried in range(1, _TRIES + 1):
            try:
                return read()
            except Overdue as error:
                hint = "What was read is stored. Try again later: it continues from there."
                raise TTMatrixError("GitHub answers too slowly", self._shown(path), hint) from error
            except (_TryAgain, http.client.HTTPException, OSError) as error:
                why = _why(error)
                if self._stopped.is_set():
                    raise TTMatrixError("Stopped", "What was read is stored.") from None
                if tried == _TRIES:
                    detail = f"{self._shown(path)}: {why}, {_TRIES} times"
                    hint = "What was read is stored. Try again later: it continues from there."
                    raise TTMatrixError("GitHub does not answer", detail, hint) from None
                after = getattr(error, "after", None)
                seconds = 2.0 ** (tried - 1) if after is None else after
                self.say(f"{self._shown(path)}: {why}; trying again in {seconds:.0f} s")
                _wait(seconds)
        raise AssertionError("it has returned or raised")

    def _shown(self, address: str) -> str:
        return one_line(urlsplit(address).path)[:_SHOWN]

    def _refuse(self, what: str, address: str, detail: str) -> NoReturn:
        raise TTMatrixError(f"GitHub {what}", f"{self._shown(address)}: {one_line(detail)[:_SHOWN]}")

    def _at_the_api(self, path: str) -> str:
        """The address of `path`, which must be one of the API."""
        address = path if "://" in path else f"{self.api}/{path.lstrip('/')}"
        if not _readable(address) or _origin(address) != _origin(self.api):
            self._refuse("names an address that is not its own", self.api, path)
        return address

    @contextmanager
    def _open(self, address: str, seconds: float, first: int = 0) -> Iterator[Answer]:
        begun = time.monotonic()
        for _ in range(_MOST_REDIRECTS):
            if self._stopped.is_set():
                raise TTMatrixError("Stopped", "What was read is stored.")
            self._requests += 1
            if self._requests > MOST_REQUESTS or time.monotonic() - self._begun > _MOST_SECONDS:
                what = f"{self._requests:,} requests; what was read is stored, and the next call continues"
                self._refuse("takes too long", address, what)
            left = max(0.001, begun + seconds - time.monotonic())
            try:
                with self._opener.open(
                    self._request(address, first), silence=min(_SECONDS, left), whole=left
                ) as answer:
                    yield answer
                return
            except urllib.error.HTTPError as error:
                with error:
                    place = error.headers.get("Location", "")
                    if error.code not in _REDIRECTS or not place:
                        raise self._refusal(error) from None
                    address = self._followed(address, place)
            except Unusable as error:
                # Whatever it is: GitHub can be asked without it.
                self._opener = WatchedOpener()
                raise _TryAgain(f"gh cannot be used ({error}), so it is asked over HTTPS", 0.0) from error
            except (ValueError, http.client.InvalidURL) as error:
                self._refuse("names an address that cannot be read", address, str(error))
        self._refuse("redirects too often", address, f"{_MOST_REDIRECTS} times")

    def _followed(self, address: str, place: str) -> str:
        """Where a redirect leads. Only HTTPS, to the hosts of GitHub; a local API may send to local addresses."""
        try:
            found = urljoin(address, place)
        except ValueError:
            found = ""
        if not found or not _readable(found):
            self._refuse("redirects to an address that cannot be read", address, place)
        where, api = urlsplit(found), urlsplit(self.api).hostname or ""
        host = where.hostname or ""
        at_home = api in _HOME and _at_home(found)
        ours = any(host == one or host.endswith(f".{one}") for one in (*_GITHUB, api))
        theirs = ours and _is_https(found) and where.port in _PORTS
        if not (at_home or theirs or _origin(found) == _origin(self.api)):
            what = "redirects to a place that is not HTTPS or not its own"
            self._refuse(what, address, f"{where.scheme}://{host}")
        return found

    def _next_page(self, address: str, headers: email.message.Message) -> str:
        found = _NEXT.search(", ".join(headers.get_all("Link", [])))
        if found is None:
            return ""
        try:
            return self._at_the_api(urljoin(address, found[1].strip()))
        except ValueError:
            self._refuse("names an address that cannot be read", address, found[1])

    def _request(self, address: str, first: int = 0) -> urllib.request.Request:
        request = urllib.request.Request(address, headers={"User-Agent": "ttmatrix"})
        if first:
            request.add_header("Range", f"bytes={first}-")
        if _origin(address) == _origin(self.api):
            request.add_header("Accept", "application/vnd.github+json")
            request.add_header("X-GitHub-Api-Version", "2022-11-28")
            if self.token:
                request.add_header("Authorization", f"Bearer {self.token}")
        return request

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return _Beyond("it has less than before")
        if error.code >= 500:
            return _TryAgain(f"it says {error.code}")
        if error.code == 410 or (error.code == 404 and _MAY_EXPIRE.search(urlsplit(error.url).path)):
            return Expired()
        if (seconds := _limited(error)) is not None:
            if seconds <= _LONGEST_WAIT:
                return _TryAgain("its rate limit is reached", seconds)
            hint = "With a token the limit is 5,000 an hour: set GH_TOKEN, or run gh auth login."
            detail = f"It answers again {_when(seconds)}. What was read is stored."
            return TTMatrixError("The rate limit of GitHub is reached", detail, "" if self.token else hint)
        hints = {
            401: "The token is not valid. Set GH_TOKEN anew, or run gh auth login.",
            403: "The token must be allowed to read Actions of this repository.",
            404: "Is the name of the repository or workflow right? A private one needs a token.",
        }
        if not self.token:
            hints |= dict.fromkeys((401, 403, 404), "Artefacts need a token: set GH_TOKEN, or run gh auth login.")
        where = (
            self._shown(error.url)
            if _origin(error.url) == _origin(self.api)
            else str(urlsplit(error.url).hostname)[:_SHOWN]
        )
        kind = {401: Refused, 403: Refused, 404: NotFound, 422: NotFound}.get(error.code, TTMatrixError)
        return kind(f"GitHub refuses with {error.code}", where, hints.get(error.code, ""))


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)


def _when(seconds: float) -> str:
    """`at 14:05`, for a moment in that many seconds."""
    if seconds > _DAY_SECONDS:
        return "in more than a day"
    return time.strftime("at %H:%M", time.localtime(time.time() + seconds))


def _readable(address: str) -> bool:
    """Whether an address has a host and a port that can be asked, and no user name, which could pass for a host."""
    try:
        where = urlsplit(address)
        return bool(where.hostname) and where.port != 0 and "@" not in where.netloc
    except ValueError:
        return False


def _at_home(address: str) -> bool:
    """Whether it is an address of this machine: a server of tests."""
    where = urlsplit(address)
    return where.hostname in _HOME and where.scheme in ("http", "https")


def _is_https(address: str) -> bool:
    return urlsplit(address).scheme == "https"


def _origin(address: str) -> tuple[str, str]:
    where = urlsplit(address)
    return where.scheme, where.netloc.lower()


def _span(answer: Answer) -> tuple[int, int]:
    """Where an answer begins in the whole, and the size of that; 0: unknown."""
    if answer.status == http.HTTPStatus.PARTIAL_CONTENT:
        found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if found is None:
            raise _TryAgain("it does not say which part it sends")
        return int(found[1]), int(found[2])
    return 0, _whole_number(answer.headers.get("Content-Length", "")) or 0


def _whole_number(text: str) -> int | None:
    """A number in a header; None if there is none that anybody could mean."""
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _limited(error: urllib.error.HTTPError) -> float | None:
    """For how many seconds the rate limit forbids all requests; None: the error is not a rate limit."""
    if error.code not in (403, 429):
        return None
    after = _whole_number(error.headers.get("Retry-After", ""))
    if after is not None:
        return float(after)
    reset = _whole_number(error.headers.get("X-RateLimit-Reset", ""))
    if error.headers.get("X-RateLimit-Remaining", "") == "0" and reset is not None:
        return max(0.0, float(reset) - time.time()) + 1
    return 60.0 if error.code == 429 else None


def unwritten(error: OSError) -> TTMatrixError:
    """The error for an artefact that has no room on the disk."""
    return TTMatrixError("An artefact cannot be stored", error.strerror or str(error), "Make room, and try again.")


def _why(error: Exception) -> str:
    if isinstance(error, _TryAgain):
        return str(error)
    reason = getattr(error, "reason", None)
    return f"no connection ({one_line(str(reason or type(error).__name__))[:_SHOWN]})"
