# SPDX-License-Identifier: Apache-2.0
"""`ingest --from-github` with a server that lies: it ends soon, says why, asks nobody else, and loses nothing."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from core.evidence.github import transport
from core.sources import Checkout
from tests.support.cli import Called, call
from tests.support.evidence import TEST_ID
from tests.support.lying_server import REPOSITORY, Liar, Lie, hasty, lies, lying
from tests.support.nightlies import nightly
from tests.support.tree import sample

pytestmark = pytest.mark.slow("some servers say nothing, or little, until they are given up")

LIES = lies()
_MOST_SECONDS = 20.0
_MOST_REQUESTS = 350
"""Three lists of at most 100 pages, and some tries."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample(tmp_path_factory.mktemp("lies") / "tt-xla")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return nightly(tmp_path_factory.mktemp("report") / "x.xml", "n150", {TEST_ID: "pass"}).read_bytes()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The hosts that connections were made to."""
    hosts: set[str] = set()
    connect = socket.create_connection

    def counted(address: tuple[str, int], *more: Any, **named: Any) -> socket.socket:
        hosts.add(address[0])
        return connect(address, *more, **named)

    monkeypatch.setattr(socket, "create_connection", counted)
    monkeypatch.setenv("GH_TOKEN", "secret0123456789")
    with monkeypatch.context() as patch:
        for name in (
            "_SECONDS",
            "_DOCUMENT_SECONDS",
            "_DOWNLOAD_SECONDS",
            "_LENIENT_SECONDS",
            "_DOCUMENT_BYTES",
            "_wait",
        ):
            patch.setattr(transport, name, getattr(transport, name))
        hasty(transport)
        yield hosts


def ingest(checkout: Checkout, server: Liar, monkeypatch: pytest.MonkeyPatch) -> Called:
    monkeypatch.setenv("GITHUB_API_URL", server.api)
    return call("ingest", "--from-github", "--repository", REPOSITORY, "--json", "--repo", checkout.root)


def test_there_are_enough_of_them() -> None:
    assert len(LIES) >= 200


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_ends_in_a_message(
    lie: Lie, checkout: Checkout, report: bytes, asked: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = time.monotonic()
    with lying(report, lie) as server:
        done = ingest(checkout, server, monkeypatch)
    assert time.monotonic() - begun < _MOST_SECONDS
    assert asked == {"127.0.0.1"}
    assert len(server.asked) <= _MOST_REQUESTS
    assert "Traceback" not in done.err
    assert "secret0123456789" not in done.out + done.err
    assert all(line.isprintable() for line in done.err.splitlines()), done.err
    if done.code == 2:
        assert done.json["error"]["title"], done
        assert len(done.err) < 6_000
    else:
        # What was there was read, or was named as what cannot be read.
        assert done.code in (0, 1), done
        assert done.code == 0 or done.json["problems"] or done.json["github"]["refused"]
    with lying(report) as honest:
        again = ingest(checkout, honest, monkeypatch)
    assert again.code == 0, again.err
    assert again.json["new"] + again.json["known"] + again.json["github"]["known"] == 1, again.json
