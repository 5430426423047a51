# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.network: an unreachable server is not the model's fault."""

import os
import socket
import subprocess
import sys
import urllib.error
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import pytest

import core.payload
from core.payload.ttmatrix_payload.models.network import HubLook, missing_download
from tests.core.payload.conftest import Repro
from tests.core.payload.models.test_phase import HEAD


def wrapped(cause: BaseException) -> BaseException:
    """A library's own error, caused by that of the connection."""
    try:
        try:
            raise cause
        except Exception as inner:
            raise OSError("We could not connect\nto load the files") from inner
    except OSError as error:
        return error


@pytest.mark.parametrize(
    "error",
    [
        urllib.error.URLError("Name or service not known"),
        wrapped(urllib.error.URLError("no")),
        ConnectionError("refused"),
        RuntimeError("Error downloading train-images:\nTried https://x, got:\n<urlopen error no>"),
        OSError("We couldn't connect to 'https://huggingface.co' to load the files"),
        wrapped(type("LocalEntryNotFoundError", (Exception,), {})("offline")),
    ],
)
def test_a_server_that_is_not_reached(error: BaseException) -> None:
    found = missing_download(error)
    assert found is not None
    assert (found.kind, "\n" in str(found)) == ("no-network", False)


@pytest.mark.parametrize(
    "error",
    [
        None,
        ValueError("x"),
        wrapped(ValueError("x")),
        FileNotFoundError("x"),
        urllib.error.HTTPError("http://x", 404, "Not Found", Message(), None),
    ],
)
def test_any_other_failure(error: BaseException | None) -> None:
    assert missing_download(error) is None


def test_what_is_not_cached_is_a_download_only_where_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    error = OSError(
        "Can't load image processor for 'a/b'. If you were trying to load it from 'https://huggingface.co/models'"
    )
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    assert missing_download(error) is None
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert missing_download(error) is not None


def test_errors_in_a_circle_end() -> None:
    one, other = ValueError("x"), ValueError("y")
    one.__context__, other.__context__ = other, one
    assert missing_download(one) is None


def test_a_loader_that_downloads_cannot_run_here(repro: Repro) -> None:
    ran = repro(
        HEAD
        + """
import urllib.request

class ModelLoader(ModelLoader):
    def load_model(self, dtype_override=None):
        urllib.request.urlopen("http://127.0.0.1:9/weights", timeout=5)
"""
    )
    assert ran.code == 2
    assert ran.result and ran.result["problem"]["kind"] == "no-network"
    assert "cannot be had here" in ran.output


OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A hub that is reachable while it is open, with no network settings in the environment."""
    for name in [*OFFLINE, *(name for name in os.environ if name.lower().endswith("_proxy"))]:
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        # Variables set by the code are removed after the test.
        for name in OFFLINE:
            monkeypatch.setenv(name, "")
            monkeypatch.delenv(name)
        yield server


def test_a_hub_within_reach_stays_online(hub: socket.socket) -> None:
    assert not HubLook().settle()
    assert not any(name in os.environ for name in OFFLINE)


def test_without_a_hub_its_libraries_read_their_caches(hub: socket.socket) -> None:
    hub.close()
    assert HubLook().settle()
    assert [os.environ[name] for name in OFFLINE] == ["1", "1", "1"]


@pytest.mark.parametrize(("name", "value"), [("HF_HUB_OFFLINE", "0"), ("https_proxy", "http://proxy.example:3128")])
def test_who_has_settled_it_is_left_alone(
    hub: socket.socket, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    hub.close()
    monkeypatch.setenv(name, value)
    before = dict(os.environ)
    assert not HubLook().settle()
    assert dict(os.environ) == before


def test_servers_are_named_before_they_are_waited_for(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import socket, sys\n"
        f"sys.path.insert(0, {str(Path(core.payload.__file__).parent)!r})\n"
        "from ttmatrix_payload.models.network import say_connections\n"
        "say_connections()\n"
        "for name in ('localhost', 'hub.invalid', 'hub.invalid'):\n"
        "    try:\n"
        "        socket.create_connection((name, 9), 1)\n"
        "    except OSError as error:\n"
        "        print(type(error).__name__, flush=True)\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert lines.count("network: connecting to hub.invalid") == 1
    assert lines.index("network: connecting to hub.invalid") == 1
