# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_network: a server that is not reached is no fault of the model."""

import urllib.error
from email.message import Message

import pytest

from core.payload.ttmatrix_network import missing_download

from .conftest import Repro
from .test_ttmatrix_phase import HEAD


def wrapped(cause: BaseException) -> BaseException:
    """As libraries do: their own error, from the one of the connection."""
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
