# SPDX-License-Identifier: Apache-2.0
"""A server that imitates GitHub's API for Actions, and a second host with the archives."""

import io
import json
import re
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

TOKEN = "ghp_secret0123456789"


@dataclass(frozen=True, slots=True)
class Answer:
    """A one-time replacement for an answer."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    cut: int | None = None
    """Send only this many bytes of it."""


@dataclass
class GitHub:
    """One repository, `team/tt-xla`."""

    runs: list[dict[str, object]] = field(default_factory=list)
    artefacts: dict[int, list[dict[str, object]]] = field(default_factory=dict)
    jobs: dict[int, list[dict[str, object]]] = field(default_factory=dict)
    archives: dict[int, bytes] = field(default_factory=dict)
    logs: dict[int, bytes] = field(default_factory=dict)
    """By job; GitHub has none of the others."""
    other: dict[str, object] = field(default_factory=dict)
    """The JSON at any other path, with its query or without, or an Answer."""
    faults: dict[str, list[Answer]] = field(default_factory=dict)
    """By a part of the path: answers that come before the right one."""
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    """`api` or `blobs`, the path, and the received authorisation."""
    page: int = 2
    """Items per page, whatever the request says: so that a few runs already make several pages."""
    ranges: bool = True
    """Whether the host of logs can begin in the middle."""
    begun: list[str] = field(default_factory=list)
    """Where those began that were asked for so."""
    before_archive: Callable[[int], None] = lambda id: None
    api: str = ""
    blobs: str = ""

    def add_run(self, id: int, number: int, *, workflow: int = 1, commit: str = "c" * 40) -> None:
        """One run of a workflow; the newest one is added last."""
        path = f".github/workflows/{'nightly' if workflow == 1 else 'weekly'}.yml"
        fields = {"id": id, "run_number": number, "name": "On nightly", "path": path, "head_sha": commit}
        self.runs.insert(0, {**fields, "workflow_id": workflow})
        self.artefacts[id] = []
        self.jobs[id] = []

    def add_artefact(self, run: int, id: int, name: str, files: Mapping[str, bytes], *, expired: bool = False) -> None:
        """One archive of a run."""
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, text in files.items():
                archive.writestr(member, text)
        self.archives[id] = data.getvalue()
        fields = {"id": id, "name": name, "size_in_bytes": len(data.getvalue()), "expired": expired}
        address = f"{self.api}/repos/team/tt-xla/actions/artifacts/{id}/zip"
        self.artefacts[run].append({**fields, "archive_download_url": address})

    def answer(self, server: str, path: str) -> Answer:
        """The answer to a request."""
        for part, answers in self.faults.items():
            if part in f"{server}:{path}" and answers:
                return answers.pop(0)
        where = urlsplit(path)
        page = int(parse_qs(where.query).get("page", ["1"])[0])
        if server == "blobs":
            id = int(where.path.rpartition("/")[2])
            if "/logs/" in where.path:
                return Answer(body=self.logs[id])
            self.before_archive(id)
            return Answer(body=self.archives[id])
        if re.fullmatch(r"/repos/team/tt-xla/actions/(workflows/nightly.yml/)?runs", where.path):
            return self._page(path, "workflow_runs", self.runs, page)
        if found := re.fullmatch(r"/repos/team/tt-xla/actions/runs/(\d+)/artifacts", where.path):
            return self._page(path, "artifacts", self.artefacts[int(found[1])], page)
        if found := re.fullmatch(r"/repos/team/tt-xla/actions/runs/(\d+)/jobs", where.path):
            return self._page(path, "jobs", self.jobs[int(found[1])], page)
        if found := re.fullmatch(r"/repos/team/tt-xla/actions/artifacts/(\d+)/zip", where.path):
            return Answer(302, {"Location": f"{self.blobs}/signed-away/{found[1]}?sig=s3cr3t"}, b"")
        return self._other(path, where.path)

    def _other(self, path: str, place: str) -> Answer:
        found = re.fullmatch(r"/repos/team/tt-xla/actions/jobs/(\d+)/logs", place)
        if found and int(found[1]) in self.logs:
            return Answer(302, {"Location": f"{self.blobs}/logs/{found[1]}?sig=s3cr3t"}, b"")
        if key := next((one for one in (path, place) if one in self.other), ""):
            found_there = self.other[key]
            return found_there if isinstance(found_there, Answer) else Answer(body=json.dumps(found_there).encode())
        return Answer(404)

    def _page(self, path: str, name: str, items: list[dict[str, object]], page: int) -> Answer:
        some = items[(page - 1) * self.page : page * self.page]
        headers = {}
        if page * self.page < len(items):
            base = re.sub(r"[?&]page=\d+", "", path)
            headers["Link"] = f'<{self.api}{base}&page={page + 1}>; rel="next", <{self.api}{base}&page=9>; rel="last"'
        return Answer(200, headers, json.dumps({"total_count": len(items), name: some}).encode())


@contextmanager
def github() -> Iterator[GitHub]:
    """Run a server during the block."""
    state = GitHub()
    servers = [_server(state, name) for name in ("api", "blobs")]
    state.api, state.blobs = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    try:
        yield state
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def _from_middle(state: GitHub, answer: Answer, wanted: str) -> Answer:
    """The part of an answer that is asked for, from a host that can do so."""
    found = re.fullmatch(r"bytes=(\d+)-", wanted)
    if not (found and state.ranges and answer.status == 200):
        return answer
    state.begun.append(found[1])
    start, size = int(found[1]), len(answer.body)
    if start >= size:
        return Answer(416)
    headers = {**answer.headers, "Content-Range": f"bytes {start}-{size - 1}/{size}"}
    return replace(answer, status=206, headers=headers, body=answer.body[start:])


def _server(state: GitHub, name: str) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append((name, self.path, self.headers.get("Authorization")))
            answer = _from_middle(state, state.answer(name, self.path), self.headers.get("Range", ""))
            self.send_response(answer.status)
            for key, value in answer.headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: answer.cut])

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server


def reached(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    """For a fixture: commands reach a server with `TOKEN`, and wait for nothing between their attempts."""
    monkeypatch.setenv("GH_TOKEN", TOKEN)
    monkeypatch.setattr("core.evidence.github.transport._wait", lambda seconds: None)
    with github() as state:
        monkeypatch.setenv("GITHUB_API_URL", state.api)
        yield state
