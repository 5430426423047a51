# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix watch` reads new runs until it is interrupted, and says once what each night has brought."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.settings import paths
from core.evidence import github, store_file
from core.sources import Checkout
from tests.support.ci_night import Night, ingest
from tests.support.cli import Called, call
from tests.support.github_server import Answer, GitHub, reached
from tests.support.tree import sample

IDS = tuple(f"model{at}/pytorch-tiny-single_device-inference" for at in range(4))
GOOD = dict.fromkeys(IDS, "pass")
OOM = "RuntimeError: TT_FATAL: Out of Memory"

hub = pytest.fixture(reached)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def watch(checkout: Checkout, monkeypatch: pytest.MonkeyPatch, *rounds: Callable[[], object]) -> Called:
    """Watch; between two rounds the next one of `rounds` happens, then it is interrupted."""
    left = [*rounds]
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    monkeypatch.setattr("core.cli.command_ingest._wait", wait)
    done = call("watch", "--every", "5", "--repository", "team/tt-xla", "--repo", checkout.root)
    assert waited == [300.0] * (len(rounds) + 1)
    return done


def test_a_new_night_is_said_once(hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    Night(hub, 20).models("n150", GOOD)

    def another() -> None:
        Night(hub, 21).models("n150", GOOD | {IDS[0]: OOM})

    done = watch(checkout, monkeypatch, lambda: None, another, lambda: None)
    assert done.code == 0
    said = [line for line in done.out.splitlines() if line.startswith("nightly-")]
    assert [line.split(" ")[0] for line in said] == ["nightly-20", "nightly-21"]
    assert "1 new" in said[1]
    assert github.last_asked(store_file(paths().evidence, checkout.root)) > 0


def test_an_error_ends_only_that_round(hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.faults["actions/runs"] = [Answer(404)]
    done = watch(checkout, monkeypatch, lambda: Night(hub, 20).models("n150", GOOD))
    assert "GitHub refuses with 404" in done.err and "nightly-20" in done.out


def test_a_night_that_is_known_is_not_said(hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    Night(hub, 20).models("n150", GOOD)
    ingest(checkout)
    assert "nightly-20 ·" not in watch(checkout, monkeypatch).out


def test_it_has_no_json(hub: GitHub, checkout: Checkout) -> None:
    assert call("watch", "--repository", "team/tt-xla", "--json", "--repo", checkout.root).code == 64


def test_a_night_whose_reports_are_being_read_is_not_the_newest_yet(hub: GitHub, checkout: Checkout) -> None:
    """Nor is one of which an attempt more is being read unknown meanwhile."""
    Night(hub, 20).models("n150", GOOD)
    night = Night(hub, 21)
    night.models("n150", GOOD)
    shown: list[str] = []

    def look(id: int) -> None:
        shown.append(call("nightly", "--json", "--repo", checkout.root).json.get("run", "none"))

    hub.before_archive = look
    ingest(checkout)
    hub.runs[0] |= {"run_attempt": 2, "updated_at": "2026-11-21T12:00:00Z"}
    night.models("n150", {IDS[0]: "pass"}, attempt=2)
    ingest(checkout)
    # The newest run is read first; while the other one is read, it is there.
    assert shown == ["nightly-21", "nightly-21", "nightly-21"]
