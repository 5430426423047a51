# SPDX-License-Identifier: Apache-2.0
"""Nights that run, are missing, have another workflow or a wrong clock: what is known of them, in the same words everywhere."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.settings import paths
from core.evidence import CiRun, CiStore, evidence_store
from core.evidence.nightly import freshness, is_stale
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.ci_night import Night, ingest, nightly
from tests.support.cli import call
from tests.support.github_server import GitHub, reached
from tests.support.tree import sample

IDS = tuple(f"model{at}/pytorch-tiny-single_device-inference" for at in range(4))
GOOD = dict.fromkeys(IDS, "pass")
OOM = "RuntimeError: TT_FATAL: Out of Memory"
HOUR = 3_600.0

hub = pytest.fixture(reached)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def run(when: float) -> CiRun:
    """A run of a moment: the time of its creation counts as that of its end where GitHub names no other."""
    return CiRun(1, "nightly-1", 1, "c" * 40, created=when)


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (-5.0, "last night: now"),
        (-40 * HOUR, "last night: in 40 h, by the clock here"),
        (0.5 * HOUR, "last night: 30 min ago"),
        (6.9 * HOUR, "last night: 6 h ago"),
        (36 * HOUR, "last night: 36 h ago"),
        (37 * HOUR, "last night: 37 h ago, stale"),
        (75 * HOUR, "last night: 3 d ago, stale"),
    ],
)
def test_the_age_of_the_newest_night(age: float, words: str) -> None:
    assert freshness(run(1e9 - age), None, 0.0, 1e9) == words


def test_without_a_night() -> None:
    assert freshness(None, None, None, 1e9) == "no results of CI yet"
    assert freshness(None, None, 1e9 - 7200, 1e9) == "last report: 2 h ago"
    assert freshness(None, run(1e9 - HOUR), None, 1e9) == "the first night is running"


def test_one_that_runs_is_said_until_it_cannot_run_any_more() -> None:
    night = run(1e9 - 40 * HOUR)
    assert freshness(night, run(1e9 - HOUR), None, 1e9) == "last night: 40 h ago, next running"
    assert freshness(night, run(1e9 - 25 * HOUR), None, 1e9) == "last night: 40 h ago, stale"
    assert freshness(night, run(1e9 - 50 * HOUR), None, 1e9) == "last night: 40 h ago, stale"
    # An older one that is run again is not the next.
    assert freshness(run(1e9 - 2 * HOUR), run(1e9 - 6 * HOUR), None, 1e9) == "last night: 2 h ago"


@given(st.floats(1, 4e9), st.floats(1, 4e9), st.floats(1, 4e9))
def test_it_fits_beside_other_words(ended: float, created: float, now: float) -> None:
    assert len(freshness(run(ended), run(created), None, now)) < 44


@given(st.floats(0, 90 * HOUR), st.floats(0, 90 * HOUR))
def test_stale_is_what_is_said_to_be(ended: float, created: float) -> None:
    night, running = run(1e9 - ended), run(1e9 - created)
    assert is_stale(night, running, 1e9) == freshness(night, running, None, 1e9).endswith(", stale")


async def test_a_night_that_runs_is_known_to_run_and_its_reports_wait_for_its_end(
    hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Eight hours into the next night.
    monkeypatch.setattr("time.time", lambda: 1_795_334_400.0)
    Night(hub, 20).models("n150", GOOD)
    Night(hub, 22).models("n150", GOOD | {IDS[0]: OOM})
    ended = dict(hub.runs[0])
    hub.runs[0] |= {"status": "in_progress", "conclusion": None, "updated_at": "2026-11-22T01:00:00Z"}
    found = nightly(checkout)
    assert found.out.startswith("nightly-20 ") and "last night: 47 h ago, next running" in found.err
    assert not [path for _, path, _ in hub.asked if "/runs/22/" in path]
    assert [one.name for one in CiStore(evidence_store(checkout, paths())).running()] == ["nightly-22"]
    app = build_app(checkout)
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "last night: 47 h ago, next running" in screen_text(app), "the same words")
    hub.runs[0] |= ended
    found = nightly(checkout)
    assert found.out.startswith("nightly-22 ") and "next running" not in found.err
    # A new attempt runs: what the first one has shown stays.
    hub.runs[0] |= {"status": "in_progress", "conclusion": None, "run_attempt": 2}
    assert nightly(checkout).out.startswith("nightly-22 ")


def test_a_night_that_is_missing_is_said_with_what_asks_for_it(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20, day="2026-11-01").models("n150", GOOD)
    ingest(checkout, "--since", "4000")
    said = call("nightly", "--repo", checkout.root).err
    assert "ago, stale: `ttmatrix ingest --from-github` reads what has come since" in said


def test_a_workflow_that_was_renamed_is_compared_with_the_nightly_before(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    Night(hub, 21, workflow=2, day="2026-11-21").models("n150", GOOD | {IDS[1]: OOM})
    Night(hub, 22, workflow=7).models("n150", GOOD | {IDS[0]: OOM})
    hub.runs[1] |= {"path": ".github/workflows/nightly-experimental.yml"}
    hub.runs[0] |= {"path": ".github/workflows/all-nightly.yml", "run_number": 1}
    found = nightly(checkout).out
    assert found.startswith("all-nightly-1 ") and "of another workflow: this one has no run before it." in found
    assert "Compared with nightly-20 " in found and "1 new" in found
