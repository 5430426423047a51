# SPDX-License-Identifier: Apache-2.0
"""A server that lies where GitHub's API would be: whatever bytes a lie wants, as fast or as slowly as it wants."""

import gzip
import io
import itertools
import json
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import Any, NamedTuple

REPOSITORY = "team/tt-xla"
_SHA = "c" * 40
_DRIP_SECONDS = 0.02
_MIB = 2**20


class Where(StrEnum):
    """The requests of one `ingest --from-github`."""

    RUNS = "runs"
    JOBS = "jobs"
    ARTEFACTS = "artifacts"
    ARCHIVE = "zip"


class Asked(NamedTuple):
    """One request."""

    server: "Liar"
    path: str
    number: int
    """How many there have been."""


class Lie(NamedTuple):
    """What is answered instead of the truth."""

    where: Where
    says: Callable[[Asked], Iterable[bytes]]


class Liar:
    """One run with one artefact, and a lie about it, if any."""

    def __init__(self, report: bytes, lie: Lie | None = None) -> None:
        self.lie = lie
        self.archive = zipped({"report_1.xml": report})
        self.asked: list[str] = []
        self.over = threading.Event()
        self.api = ""

    def run(self, **fields: object) -> dict[str, object]:
        """What the API says of the run."""
        path = ".github/workflows/nightly.yml"
        return {"id": 1, "run_number": 7, "name": "n", "path": path, "head_sha": _SHA, "workflow_id": 3, **fields}

    def job(self, **fields: object) -> dict[str, object]:
        """What the API says of the job."""
        base = {"id": 5, "name": "test_forge_models / test n150 (n150, run_forge_models, 0)", "run_attempt": 1}
        return {**base, "status": "completed", "conclusion": "success", "steps": [], **fields}

    def artefact(self, **fields: object) -> dict[str, object]:
        """What the API says of the artefact."""
        address = f"{self.api}/repos/{REPOSITORY}/actions/artifacts/5/zip"
        name = "test-reports-a1-1.0-n150-n150_and_expected_passing-5"
        size = len(self.archive)
        # An archive that was read is not read again, so the truth is in another one.
        base = {
            "id": 5 if self.lie else 6,
            "name": name,
            "size_in_bytes": size,
            "expired": False,
            "archive_download_url": address,
        }
        return {**base, **fields}

    def answer(self, path: str) -> Iterable[bytes]:
        """The bytes that are sent for a request."""
        self.asked.append(path)
        where = next((one for one in (Where.ARCHIVE, Where.ARTEFACTS, Where.JOBS) if f"/{one}" in path), Where.RUNS)
        if self.lie is not None and self.lie.where is where:
            return self.lie.says(Asked(self, path, len(self.asked)))
        if where is Where.ARCHIVE:
            return [answer(self.archive)]
        return [answer(listed(where, [_item(Asked(self, path, len(self.asked)), where)]))]


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def listed(where: Where, items: object) -> bytes:
    """A page of a list as the API answers it."""
    name = "workflow_runs" if where is Where.RUNS else str(where)
    return json.dumps({"total_count": 1, name: items}).encode()


def answer(body: bytes = b"{}", status: str = "200 OK", **headers: str) -> bytes:
    """A whole answer; names of headers have underscores."""
    lines = {"Content-Length": str(len(body)), "Connection": "close"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1", "replace") + body


# Lies about lists, which concern runs and artefacts alike.


def _item(asked: Asked, where: Where, **fields: object) -> dict[str, object]:
    if where is Where.JOBS:
        return asked.server.job(**fields)
    return asked.server.run(**fields) if where is Where.RUNS else asked.server.artefact(**fields)


def _next(where: Where, address: Callable[[Asked], str], *, fresh: bool = False, empty: bool = False) -> Lie:
    def says(asked: Asked) -> Iterable[bytes]:
        items = [] if empty else [_item(asked, where, id=asked.number if fresh else 1)]
        yield answer(listed(where, items), Link=f'<{address(asked)}>; rel="next"')

    return Lie(where, says)


def _body(where: Where, body: bytes, **headers: str) -> Lie:
    return Lie(where, lambda asked: [answer(body, **headers)])


def _with(where: Where, **fields: object) -> Lie:
    return Lie(where, lambda asked: [answer(listed(where, [_item(asked, where, **fields)]))])


def _about_lists(where: Where) -> Iterator[tuple[str, Lie]]:
    def own(asked: Asked) -> str:
        return f"{asked.server.api}{asked.path}"

    yield "a next page that is this page", _next(where, own)
    yield "next pages without end", _next(where, lambda asked: f"{own(asked)}&page={asked.number}", fresh=True)
    yield "empty pages without end", _next(where, lambda asked: f"{own(asked)}&page={asked.number}", empty=True)
    for name, address in {
        "on another host": "http://192.0.2.1/x",
        "in a file": "file:///etc/passwd",
        "that is no address": "http://[bad",
        "on a port that is none": "http://127.0.0.1:99999/x",
        "of a user": "http://127.0.0.1@192.0.2.1/x",
        "in a script": "javascript:alert(1)",
        "with letters that no address has": "/über\x85",
    }.items():
        yield f"a next page {name}", _next(where, lambda _, address=address: address)  # type: ignore[misc]
    for name, body in {
        "nothing": b"",
        "no JSON": b"<html>",
        "half of it": b'{"workflow_runs": [',
        "null": b"null",
        "a list": b"[]",
        "a text": b'"x"',
        "a number": b"1",
        "another object": b"{}",
        "deep lists": b"[" * 200_000,
        "deep objects": b'{"a":' * 200_000,
        "bytes that are no text": b"\xff\xfe\xff\x00",
        "compressed bytes": gzip.compress(b"{}"),
        "a number of 5,000 digits": b"9" * 5_000,
    }.items():
        yield f"{name} for a list", _body(where, body)
    of_items: dict[str, object] = {
        "null": None,
        "a text": "abc",
        "texts": ["a", "b"],
        "lists": [[1], [2]],
        "null in a list": [None],
        "nothing in an object": [{}],
        "an object": {"a": 1},
        "a number": 3,
    }
    for name, items in of_items.items():
        yield f"{name} for the items", Lie(where, lambda _, items=items: [answer(listed(where, items))])  # type: ignore[misc]
    for name, value in {
        "infinite": float("inf"),
        "not a number": float("nan"),
        "of 400 digits": 10**400,
        "negative": -1,
        "true": True,
        "a list": [1],
        "an object": {},
        "a text": "../../x",
        "null": None,
    }.items():
        yield f"an id that is {name}", _with(where, id=value)


def _about_runs() -> Iterator[tuple[str, Lie]]:
    lies: dict[str, dict[str, Any]] = {
        "a path of 5,000 characters": {"path": "x" * 5_000},
        "a path that leads out": {"path": "/../../../etc/.."},
        "a path with controls": {"path": "a\x1b]0;x\x07\x00b\n"},
        "a path that is an object": {"path": {"a": [1]}},
        "a name that is null": {"path": "", "name": None},
        "a commit that is an option": {"head_sha": "--output=/tmp/x"},
        "a commit of 100,000 characters": {"head_sha": "a" * 100_000},
        "a number that is a text": {"run_number": "../7"},
        "a workflow that is a list": {"workflow_id": [1]},
    }
    for name, fields in lies.items():
        yield f"{name} of a run", _with(Where.RUNS, **fields)


def _about_jobs() -> Iterator[tuple[str, Lie]]:
    for what, fields in (
        ("no name", {"name": None}),
        ("a name with controls", {"name": "x\x1b[2J\x07 / test a (b, c, 0)"}),
        ("a name of 100,000 letters", {"name": "x" * 100_000}),
        ("steps that are a text", {"steps": "abc"}),
        ("steps that are null", {"steps": [None]}),
        ("a step with a huge number", {"steps": [{"number": 10**400, "name": "x"}]}),
        ("a time that is a list", {"started_at": [1]}),
        ("a time in the year 0", {"started_at": "0000-00-00T00:00:00Z"}),
        ("labels that are a number", {"labels": 7}),
        ("an attempt of -1", {"run_attempt": -1}),
        ("a page elsewhere", {"html_url": "javascript:alert(1)"}),
    ):
        yield f"{what} of a job", _with(Where.JOBS, **fields)


def _about_artefacts() -> Iterator[tuple[str, Lie]]:
    name = "test-reports-"
    lies: dict[str, dict[str, Any]] = {
        "a name of 300 bytes": {"name": name + "x" * 300},
        "a name of 100,000 letters": {"name": name + "ü" * 100_000},
        "a name that leads out": {"name": f"../../{name}"},
        "a name with controls": {"name": f"{name}\x1b[2J\x00\n"},
        "a name that is a list": {"name": [name]},
        "no size": {"size_in_bytes": None},
        "a size of 400 digits": {"size_in_bytes": 10**400},
        "a negative size": {"size_in_bytes": -5},
        "a size that is too small": {"size_in_bytes": 0},
        "an archive in a file": {"archive_download_url": "file:///etc/passwd"},
        "an archive on another host": {"archive_download_url": "https://192.0.2.1/zip"},
        "an archive over FTP": {"archive_download_url": "ftp://127.0.0.1/zip"},
        "an archive in the address": {"archive_download_url": "data:application/zip;base64,UEsFBg=="},
        "an archive that is no address": {"archive_download_url": "http://[bad/zip"},
        "an archive nowhere": {"archive_download_url": ""},
        "an archive that is null": {"archive_download_url": None},
        "an archive at 100,000 characters": {"archive_download_url": f"https://{'a' * 100_000}/zip"},
    }
    for what, fields in lies.items():
        yield f"{what} of an artefact", _with(Where.ARTEFACTS, **fields)


# Lies of HTTP.


def _slowly(data: bytes) -> Iterator[bytes]:
    for at in range(len(data)):
        time.sleep(_DRIP_SECONDS)
        yield data[at : at + 1]


def _without_end(head: bytes, piece: bytes, pause: float = 0.0) -> Callable[[Asked], Iterator[bytes]]:
    def says(_: Asked) -> Iterator[bytes]:
        yield head
        while True:
            time.sleep(pause)
            yield piece

    return says


def _silent(asked: Asked) -> Iterator[bytes]:
    asked.server.over.wait(60)
    yield b""


_HEAD = b"HTTP/1.1 200 OK\r\n"


def _raw(data: bytes) -> Callable[[Asked], Iterable[bytes]]:
    return lambda _: [data]


def _about_http(where: Where) -> Iterator[tuple[str, Lie]]:
    lies: dict[str, Callable[[Asked], Iterable[bytes]]] = {
        "a byte now and then": lambda _: _slowly(answer(b"{}" + b" " * 2_000)),
        "a header byte now and then": lambda _: _slowly(_HEAD + b"X: " + b"a" * 2_000),
        "headers without end": _without_end(_HEAD, b"X: y\r\n"),
        "a header line without end": _without_end(_HEAD + b"X: ", b"a" * 4096),
        "100 Continue without end": _without_end(b"", b"HTTP/1.1 100 Continue\r\n\r\n", _DRIP_SECONDS),
        "a body without end": _without_end(_HEAD + b"\r\n", b" " * 65_536),
        "chunks without end": _without_end(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        "a chunk size without end": _without_end(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0", _DRIP_SECONDS),
        "silence": _silent,
        "nothing at all": _raw(b""),
        "no status": _raw(b"\r\n\r\n"),
        "a status that is no number": _raw(b"HTTP/1.1 abc\r\n\r\n"),
        "an answer of another protocol": _raw(b"SSH-2.0-OpenSSH\r\n"),
        "status 999": _raw(answer(b"{}", "999 x")),
        "status 204": _raw(b"HTTP/1.1 204 x\r\n\r\n"),
        "status 304": _raw(answer(b"", "304 x")),
        "status 418 with controls": _raw(answer(b"\x1b]0;x\x07", "418 \x1b[31mx")),
        "a length that is too large": _raw(answer(b"{}", Content_Length="500")),
        "a length that is too small": _raw(answer(b'{"a": 1}', Content_Length="3")),
        "a negative length": _raw(answer(b"{}", Content_Length="-5")),
        "a length of 5,000 digits": _raw(answer(b"{}", Content_Length="9" * 5_000)),
        "a length in other digits": _raw(answer(b"{}", Content_Length="²")),
        "a chunk that is no number": _raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
        "a chunk that breaks off": _raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\nffff\r\n{}"),
        "a redirect to itself": lambda asked: [answer(b"", "302 x", Location=asked.path)],
        "a redirect round and round": lambda asked: [answer(b"", "302 x", Location=f"{asked.path}&x")],
    }
    for place in (
        "file:///etc/passwd",
        "http://192.0.2.1/x",
        "https://192.0.2.1/x",
        "https://api.github.com.example.com/x",
        "https://127.0.0.1@192.0.2.1/x",
        "//192.0.2.1/x",
        "http://[bad",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "data:text/plain,x",
        "gopher://127.0.0.1/",
        "http://\xfcber/ \x01",
        "http:///x",
        "",
    ):
        lies[f"a redirect to {place!r}"] = lambda _, place=place: [answer(b"", "302 x", Location=place)]  # type: ignore[misc]
    for status in ("429 x", "403 x"):
        for name, value in (
            ("Retry-After", "9" * 400),
            ("Retry-After", "²"),
            ("Retry-After", "-1"),
            ("Retry-After", "Infinity"),
            ("Retry-After", "Wed, 21 Oct 2099 07:28:00 GMT"),
            ("Retry-After", "0"),
            ("X-RateLimit-Reset", "9" * 30),
            ("X-RateLimit-Reset", "1e9"),
            ("X-RateLimit-Reset", "-5"),
        ):
            limit = {name: value, "X-RateLimit-Remaining": "0"}
            said = answer(b"{}", status, **limit)
            lies[f"{name} {value[:20]!r} with {status[:3]}"] = _raw(said)
    for name, says in lies.items():
        yield name, Lie(where, says)


def _about_archives() -> Iterator[tuple[str, Lie]]:
    bomb = zipped({"a.xml": b" " * (40 * _MIB)})
    for name, data in {
        "a page": b"<html>no archive</html>",
        "an empty one": zipped({}),
        "half of one": zipped({"a.xml": b"x" * 5_000})[:-40],
        "one that unpacks to a thousand times its size": bomb,
        "one whose names lead out": zipped({"../../a.xml": b"<testsuite/>", "/etc/a.xml": b"<testsuite/>"}),
        "one with a name of 60,000 characters": zipped({"x" * 60_000 + ".xml": b"<testsuite/>"}),
        "one within one": zipped({"a.zip": zipped({"a.xml": b"<testsuite/>"})}),
        "one with 30,000 files": zipped({f"{number}.xml": b"" for number in range(30_000)}),
        "larger than said": b"x" * (4 * _MIB),
    }.items():
        yield f"an archive: {name}", _body(Where.ARCHIVE, data)


def lies() -> dict[str, Lie]:
    """All of them, by what is said and where."""
    found: dict[str, Lie] = {}
    for where in (Where.RUNS, Where.JOBS, Where.ARTEFACTS):
        found |= {f"{name} ({where})": lie for name, lie in _about_lists(where)}
    for where in Where:
        found |= {f"{name} ({where})": lie for name, lie in _about_http(where)}
    for name, lie in itertools.chain(_about_runs(), _about_jobs(), _about_artefacts(), _about_archives()):
        found[name] = lie
    return found


@contextmanager
def lying(report: bytes, lie: Lie | None = None) -> Iterator[Liar]:
    """Run a server during the block."""
    state = Liar(report, lie)
    listening = socket.create_server(("127.0.0.1", 0))
    state.api = f"http://127.0.0.1:{listening.getsockname()[1]}"
    threading.Thread(target=_serve, args=(listening, state), daemon=True).start()
    try:
        yield state
    finally:
        state.over.set()
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def _serve(listening: socket.socket, state: Liar) -> None:
    with suppress(OSError):
        while not state.over.is_set():
            connection, _ = listening.accept()
            threading.Thread(target=_converse, args=(connection, state), daemon=True).start()


def _converse(connection: socket.socket, state: Liar) -> None:
    with connection, suppress(OSError):
        head = b""
        while b"\r\n\r\n" not in head:
            if not (piece := connection.recv(65_536)):
                return
            head += piece
        for piece in state.answer(head.split(b" ")[1].decode("latin-1")):
            if state.over.is_set():
                return
            connection.sendall(piece)
        connection.shutdown(socket.SHUT_WR)
        # Until the other side has read it all: closing at once could throw it away.
        connection.settimeout(1)
        connection.recv(1)


def hasty(transport: Any) -> None:
    """Have the transport wait for a second at most where it waits for minutes."""
    for name, value in {
        "_SECONDS": 0.25,
        "_DOCUMENT_SECONDS": 0.5,
        "_DOWNLOAD_SECONDS": 0.8,
        "_LENIENT_SECONDS": 0.2,
        "_DOCUMENT_BYTES": _MIB,
        "_wait": lambda seconds: None,
    }.items():
        assert name in vars(transport)
        vars(transport)[name] = value
