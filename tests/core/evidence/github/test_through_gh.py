# SPDX-License-Identifier: Apache-2.0
"""GitHub is asked through `gh` where it is and signed in, else over HTTPS: missing, signed out, slow, lying ones."""

import os
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.evidence.github import Expired, Transport, connect, gh as through_gh, transport
from tests.support.github_server import GitHub, reached

hub = pytest.fixture(reached)

_HEAD = "HTTP/2.0 200 OK\\nContent-Type: application/json\\r\\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory on PATH for a `gh`, and a place where it notes what it was asked."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GITHUB_API_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{directory}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(transport, "_wait", lambda seconds: None)
    yield directory


def gh(place: Path, api: str, auth: str = "print('gho_s3cret')") -> None:
    """Write a `gh` whose `auth token` and `api` are lines of Python; `say(head, body)` answers."""
    file = place / "gh"
    file.write_text(f"""#!{sys.executable}
import os, sys, time
words = sys.argv[1:]
with open({str(place / "asked")!r}, "a") as out:
    out.write(repr(words) + "\\n")
def say(head, body=b"{{}}"):
    os.write(1, head.encode() + b"\\r\\n" + body)
if words[:2] == ["auth", "token"]:
    {auth}
else:
    {api}
""")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def asked(place: Path) -> list[str]:
    return [line for line in (place / "asked").read_text().splitlines() if "'api'" in line]


def test_an_answer_with_its_next_page_comes_through_it(place: Path) -> None:
    link = '<https://api.github.com/repositories/1/x?page=2>; rel=\\"next\\"'
    gh(place, f'say("{_HEAD}Link: {link}\\r\\n", b"[1, 2]")')
    found = connect()
    assert found.gh and found.json("repos/o/n/actions/runs?per_page=2") == (
        [1, 2], "https://api.github.com/repositories/1/x?page=2"
    )  # fmt: skip
    (line,) = asked(place)
    assert "'--hostname=github.com', '--', 'repos/o/n/actions/runs?per_page=2'" in line
    assert "s3cret" not in line and "'--include'" in line


def test_an_archive_comes_as_it_is_and_is_bounded(place: Path, tmp_path: Path) -> None:
    gh(place, f'say("{_HEAD}", bytes(range(256)) * 4000)')
    found = connect()
    found.download("repos/o/n/actions/artifacts/1/zip", tmp_path / "x", 2_000_000)
    assert (tmp_path / "x").read_bytes() == bytes(range(256)) * 4000
    with pytest.raises(TTMatrixError, match="larger than"):
        found.download("repos/o/n/actions/artifacts/1/zip", tmp_path / "x", 1_000)


def test_what_has_expired_or_is_refused(place: Path, tmp_path: Path) -> None:
    gh(place, 'say("HTTP/2.0 410 Gone\\n"); sys.exit(1)')
    with pytest.raises(Expired):
        connect().download("repos/o/n/actions/artifacts/1/zip", tmp_path / "x", 9)
    gh(place, 'say("HTTP/2.0 403 Forbidden\\n"); sys.exit(1)')
    with pytest.raises(TTMatrixError, match="refuses with 403"):
        connect().json("repos/o/n/actions/runs")
    gh(place, 'say("HTTP/2.0 500 x\\n"); sys.exit(1)')
    with pytest.raises(TTMatrixError, match="does not answer"):
        connect().json("repos/o/n/actions/runs")
    assert len(asked(place)) == 2 + 5, "an error of the server is tried again"


def test_half_of_an_answer_is_none(place: Path, tmp_path: Path) -> None:
    gh(place, f'say("{_HEAD}", b"[1"); sys.exit(1)')
    with pytest.raises(TTMatrixError, match="does not answer"):
        connect().json("repos/o/n/actions/runs")


def test_without_it_and_signed_out_it_is_https(place: Path) -> None:
    assert not connect().gh
    gh(place, "pass", auth="sys.exit('To get started, run: gh auth login')")
    found = connect()
    assert not found.gh and found.token == ""


def test_another_api_is_asked_over_https(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gh(place, "pass")
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    assert not connect().gh and connect().token == "gho_s3cret"


def test_a_slow_one_is_given_up(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(through_gh, "_SECONDS", 0.3)
    gh(place, "pass", auth="time.sleep(60)")
    assert not connect().gh
    monkeypatch.setattr(through_gh, "_SECONDS", 20.0)
    monkeypatch.setattr(transport, "_DOCUMENT_SECONDS", 0.6)
    gh(place, "time.sleep(60)")
    with pytest.raises(TTMatrixError, match=r"too slowly|does not answer"):
        connect().json("repos/o/n/actions/runs")
    gh(place, f'say("{_HEAD}", b"[")\n    while True: time.sleep(0.1); os.write(1, b" ")')
    with pytest.raises(TTMatrixError, match=r"too slowly|does not answer"):
        connect().json("repos/o/n/actions/runs")


@pytest.mark.parametrize(
    "lie",
    [
        "print('no HTTP')",
        "os.write(1, b'HTTP/')",
        "os.write(1, b'HTTP/2.0 abc x\\r\\n\\r\\n')",
        "os.write(1, b'HTTP/' + b'x' * 10_000_000)",
        "sys.exit('\\x1b[2Junknown flag: --include')",
        "sys.exit(4)",
        "os.abort()",
    ],
)
def test_a_lying_one_is_named_and_passed_over(
    place: Path, lie: str, monkeypatch: pytest.MonkeyPatch, hub: GitHub
) -> None:
    gh(place, lie)
    said: list[str] = []
    found = Transport("x", api=hub.api, say=said.append, gh=True)
    hub.add_run(1, 101)
    answer, _ = found.json("repos/team/tt-xla/actions/runs?per_page=2")
    assert answer["total_count"] == 1
    assert "gh cannot be used" in said[0] and all(line.isprintable() for line in said)


@pytest.mark.parametrize("auth", ["print('a b')", "print('\\x1b[31mx')", "print('x' * 3, end='\\n\\n')", "os.abort()"])
def test_a_token_that_cannot_be_one_is_none(place: Path, auth: str) -> None:
    gh(place, "pass", auth=auth)
    assert connect().token in ("", "xxx")


def test_what_is_read_through_it_can_be_stopped(place: Path, tmp_path: Path) -> None:
    gh(place, f'say("{_HEAD}", b"[")\n    while True: time.sleep(0.05); os.write(1, b" ")')
    found = connect()
    threading.Timer(0.5, found.stop).start()
    with pytest.raises(TTMatrixError, match="Stopped"):
        found.download("repos/o/n/actions/artifacts/1/zip", tmp_path / "x", 10**9)
    with pytest.raises(TTMatrixError, match="Stopped"):
        found.json("repos/o/n/actions/runs")
