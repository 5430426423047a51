# SPDX-License-Identifier: Apache-2.0
"""How many keys everyday tasks take, counted while doing them. Typed texts do not count."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.processes import run_command
from core.base.settings import Settings
from core.domain.model import BringupStatus
from core.evidence import Ending, Observation
from core.sources import Checkout
from tests.support.app import build_app, screen_text, shown_ids, until
from tests.support.evidence import observed
from tests.support.fake_python import use_fake_python
from tests.support.git import committed_checkout
from tests.support.person import Person
from tests.support.recorded import nights, record_runs
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tests.support.tree import INFERENCE, loader_source, sample, write_checkout
from tui.screens.clusters import ClustersScreen
from tui.screens.review.commit import CommitDialog

pytestmark = pytest.mark.slow("whole jobs, with runs and commits")

SIZE = (120, 36)


async def test_to_find_a_model_takes_two_keys(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"))
    async with app.run_test(size=SIZE) as pilot:
        person = Person(app, pilot)
        await person.press("slash")
        await person.write("patch_vit")
        await person.press("enter")
        await person.see(lambda: "patch_vit" in (app.matrix_screen.current or ""))
        assert app.matrix_screen.table.has_focus and all("patch_vit" in id for id in shown_ids(app))
    assert person.keys <= 3


async def test_to_run_a_test_again_and_see_its_log_takes_two_keys(tmp_path: Path, own_home: Path) -> None:
    use_fake_python(own_home, tmp_path)
    settings = Settings(python=str(tmp_path / "python"))
    app = build_app(sample(tmp_path / "tt-xla"), query="tiny has:entry mode:training", settings=settings)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: bool(app.session.runs) and not app.session.runs[0].active, "the first run")
        person = Person(app, pilot)
        await person.press("r")
        await person.see(lambda: len(app.session.runs) == 2)
        await person.press("L")
        await person.see("TTMATRIX-RESULT")
        await person.see(lambda: not app.session.runs[0].active)
    assert person.keys == 2


async def test_to_find_an_error_in_a_log_and_copy_it_takes_four_keys(tmp_path: Path, own_home: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    copied = own_home / "cache" / "clip.txt"
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("3")
        await until(pilot, lambda: "BFLOAT16" in screen_text(app), "the log")
        person = Person(app, pilot)
        await person.press("slash")
        await person.write("same dtype")
        await person.press("enter")
        await person.see(lambda: re.search(r"1 of \d", screen_text(app)) is not None)
        await person.press("v", "C")
        await person.see(copied.is_file)
    assert copied.read_text() == "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16\n"
    assert person.keys == 4


STALE = [f"alpha/pytorch-stale{number:02}-single_device-inference" for number in range(30)]
REASONS = ("DRAM OOM", "no kernel", "wrong layout")


def _three_nights() -> Iterator[Observation]:
    for night in (1, 2, 3):
        for arch in ("n150", "p150"):
            for id in STALE:
                yield observed(
                    Ending.PASSED, test_id=id, arch=arch, run=f"nightly-{night}", when=night * 86400.0, pcc=0.995
                )


def _stale_checkout(root: Path) -> Checkout:
    """Thirty tests that are expected to fail, for three reasons, and have passed for three nights."""
    yaml = "test_config:\n" + "".join(
        f"  {id}:\n    status: KNOWN_FAILURE_XFAIL\n    bringup_status: FAILED_RUNTIME\n"
        f'    reason: "{REASONS[number % 3]}"\n'
        for number, id in enumerate(STALE)
    )
    loaders = {"alpha/pytorch": loader_source([id.split("-")[1] for id in STALE])}
    checkout = write_checkout(root, loaders, {INFERENCE: yaml})
    (root / "ttmatrix-policy.toml").write_text("grace_days = 0\n")
    committed_checkout(checkout)
    keep(checkout, list(_three_nights()))
    return checkout


async def test_to_promote_thirty_reject_two_and_commit_by_reason_takes_twelve_keys(tmp_path: Path) -> None:
    checkout = _stale_checkout(tmp_path / "tt-xla")
    app = build_app(checkout)
    async with app.run_test(size=SIZE) as pilot:
        person = Person(app, pilot)
        await person.press("4")
        await person.see("30 of 30 open")
        await person.press("l", "j", "x", "x")
        await person.see("28 of 30 open")
        await person.press("A")
        await person.see("Accept 28 tests?")
        await person.press("y", "5", "c")
        await person.see(lambda: isinstance(app.screen, CommitDialog) and "and nothing else" in screen_text(app))
        await person.press("tab", "right")
        await person.see("1 of 3")
        await person.press("ctrl+s")
        await person.see(lambda: not app.session.pending.accepted())
        await person.see(" committed ")
    assert person.keys == 12
    log = run_command(["git", "log", "--format=%s"], cwd=checkout.root).stdout.splitlines()
    assert len(log) == 4, log
    text = (checkout.test_config / INFERENCE).read_text()
    assert (text.count("EXPECTED_PASSING"), text.count("KNOWN_FAILURE_XFAIL")) == (28, 2)


async def test_to_give_a_cluster_an_issue_and_commit_takes_eight_keys(tmp_path: Path) -> None:
    checkout = _failing_checkout(tmp_path / "tt-xla")
    app = build_app(checkout)
    async with app.run_test(size=SIZE) as pilot:
        person = Person(app, pilot)
        await person.press("7")
        await person.see(lambda: len(app.navigation.screen(ClustersScreen).table.source) > 0)
        await person.press("i")
        await person.write("tt-xla#4242")
        await person.press("enter")
        await person.see("1 pending")
        await person.press("5", "a", "c")
        await person.see(lambda: isinstance(app.screen, CommitDialog) and "and nothing else" in screen_text(app))
        await person.press("ctrl+s")
        await person.see(lambda: not app.session.pending.changes and "committed" in screen_text(app))
    assert person.keys <= 8
    assert (checkout.test_config / INFERENCE).read_text().count("4242") == 4


def _failing_checkout(root: Path) -> Checkout:
    """Four tests that fail for the same reason, without an issue."""
    ids = STALE[:4]
    yaml = "test_config:\n" + "".join(
        f'  {id}:\n    status: KNOWN_FAILURE_XFAIL\n    bringup_status: FAILED_RUNTIME\n    reason: "DRAM OOM"\n'
        for id in ids
    )
    checkout = write_checkout(
        root, {"alpha/pytorch": loader_source([id.split("-")[1] for id in ids])}, {INFERENCE: yaml}
    )
    committed_checkout(checkout)
    failed: dict[str, Any] = {
        "stage": BringupStatus.FAILED_RUNTIME,
        "reason": "DRAM OOM",
        "when": 86400.0,
        "run": "nightly-1",
    }
    keep(checkout, [observed(Ending.FAILED, test_id=id, arch="n150", **failed) for id in ids])
    return checkout


async def test_to_see_which_loaders_are_worst_on_p150_takes_three_keys(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    app = build_app(checkout)
    async with app.run_test(size=SIZE) as pilot:
        person = Person(app, pilot)
        await person.press("number_sign")
        await person.see(lambda: bool(app.session.view.grid) and len(app.matrix_screen.grid.source) > 1)
        await person.press("l", "greater_than_sign")
        await person.see("▲p150")
        grid = app.matrix_screen.grid
        assert grid.order.by == ("p150",) and grid.source.columns[0].title.startswith("loader")
        worst = "".join(cell.text for cell in grid.source.cells(1)[2])
        assert "  0%" in worst, worst
    assert person.keys == 3
