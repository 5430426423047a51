# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.requirements.resolve: pip says what it would fetch, and fetches, builds and installs nothing."""

import functools
import importlib
import importlib.metadata
import importlib.util
import io
import json
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.wheels import wheel

resolve: Any = importlib.import_module("core.payload.ttmatrix_payload.requirements.resolve")

OLD = int(importlib.metadata.version("pip").partition(".")[0]) < resolve.FIRST_PIP
pytestmark = [pytest.mark.slow("pip is asked"), pytest.mark.skipif(OLD, reason="needs pip 26 or newer")]
PIP = [sys.executable, "-m", "pip"]


@pytest.fixture
def loader(tmp_path: Path) -> Path:
    place = tmp_path / "model/pytorch"
    place.mkdir(parents=True)
    return place


def said(loader: Path) -> Any:
    return resolve.resolved(loader, PIP, time.monotonic() + 60)


def test_what_pip_would_fetch(wheels: Path, loader: Path) -> None:
    wheel(wheels, "tt_probe", "1.0", requires="tt_probe_base>=2")
    wheel(wheels, "tt_probe_base", "2.0")
    wheel(wheels, "tt_alone", "3.0", requires="tt_absent")
    (loader / "requirements.txt").write_text("# ours\ntt_probe==1.0  # the old one\npytest\ngit+https://nowhere/it\n")
    (loader / "requirements.nodeps.txt").write_text("tt_alone\n")
    assert said(loader) == [
        ("tt_probe==1.0", f"file://{wheels}/tt_probe-1.0-py3-none-any.whl"),
        ("tt_probe_base==2.0", f"file://{wheels}/tt_probe_base-2.0-py3-none-any.whl"),
        ("git+https://nowhere/it", ""),
        ("tt_alone==3.0", f"file://{wheels}/tt_alone-3.0-py3-none-any.whl"),
    ]


@pytest.mark.parametrize("text", ["tt_absent", "--index-url=https://nowhere\npytest"])
def test_where_pip_has_no_answer_there_is_none(wheels: Path, loader: Path, text: str) -> None:
    (loader / "requirements.txt").write_text(text)
    assert said(loader) is None


def test_nothing_of_a_package_is_executed(wheels: Path, loader: Path, tmp_path: Path) -> None:
    setup = f"open({str(tmp_path / 'executed')!r}, 'w')".encode()
    with tarfile.open(wheels / "tt_source-1.0.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo("tt_source-1.0/setup.py")
        entry.size = len(setup)
        archive.addfile(entry, io.BytesIO(setup))
    (loader / "requirements.txt").write_text("tt_source")
    assert said(loader) is None
    assert not (tmp_path / "executed").exists()


@pytest.fixture
def index(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """An index of the wheels without metadata and partial downloads; returns the requests that it got."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            asked.append(self.path)

    serve = functools.partial(Handler, directory=str(wheels))
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_FIND_LINKS", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
        monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
        yield asked
        server.shutdown()
        thread.join()


def test_a_package_that_is_downloaded_to_be_looked_at_is_not(wheels: Path, loader: Path, index: list[str]) -> None:
    wheel(wheels, "tt_large", "1.0")
    wheel(wheels, "tt_next", "1.0")
    with zipfile.ZipFile(wheels / "tt_large-1.0-py3-none-any.whl", "a") as archive:
        archive.writestr("tt_large/weights.bin", bytes(3 * 10**6))
    (loader / "requirements.txt").write_text("tt_large\ntt_next")
    assert said(loader) is None
    assert not [path for path in index if "tt_next" in path], "pip was ended by then"


def test_as_a_command(wheels: Path, loader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel(wheels, "tt_probe", "1.0")
    (loader / "requirements.txt").write_text("tt_probe")
    resolve.main(["60", "", str(loader)])
    mark, _, text = capsys.readouterr().out.strip().partition(" ")
    assert mark == "TTMATRIX-PACKAGES"
    assert json.loads(text) == {str(loader): [["tt_probe==1.0", f"file://{wheels}/tt_probe-1.0-py3-none-any.whl"]]}


def test_an_old_pip_is_not_asked(loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "distribution_version", lambda _: "25.3")
    assert resolve.pip_command("", tmp_path) is None
    assert resolve.pip_command("/other/pip", tmp_path) == [sys.executable, str(tmp_path / "pip")]


def test_what_is_installed_beside_another_pip_does_not_count(
    wheels: Path, loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(wheels, "tt_probe", "1.0")
    (loader / "requirements.txt").write_text("tt_probe")
    beside = tmp_path / "site-packages"
    (beside / "tt_probe-1.0.dist-info").mkdir(parents=True)
    (beside / "tt_probe-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: tt-probe\nVersion: 1.0\n")
    # Found, not imported: pip warns if another test has imported distutils before.
    pip = importlib.util.find_spec("pip")
    assert pip is not None and pip.origin is not None
    (beside / "pip").symlink_to(Path(pip.origin).parent)
    monkeypatch.setattr(resolve, "distribution_version", lambda _: "25.3")
    resolve.main(["60", str(beside / "pip"), str(loader)])
    said = json.loads(capsys.readouterr().out.strip().partition(" ")[2])
    assert said == {str(loader): [["tt_probe==1.0", f"file://{wheels}/tt_probe-1.0-py3-none-any.whl"]]}
