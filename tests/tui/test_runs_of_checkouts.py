# SPDX-License-Identifier: Apache-2.0
"""Runs belong to their checkout and to the tree that they ran: two checkouts share one state directory."""

from pathlib import Path

import pytest

from core.base.processes import own_identity
from core.base.settings import Settings
from core.domain.model import Function
from core.matrix.query import VerdictColumns
from core.runs import Outcome, RunSpec
from core.runs.store import Finished, Started, TreeState
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.cli import call
from tests.support.fake_python import use_fake_python
from tests.support.git import committed_checkout, git
from tests.support.tree import sample

ID = "alpha/pytorch-tiny-single_device-training"
QUERY = "tiny has:entry mode:training"


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    use_fake_python(own_home, tmp_path)
    return committed_checkout(sample(tmp_path / "tt-xla"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(python=str(tmp_path / "python"))


@pytest.mark.slow("runs are started")
async def test_a_fresh_clone_shows_nothing_of_another_checkout(
    checkout: Checkout, settings: Settings, tmp_path: Path
) -> None:
    call("run", ID, "--kind", "cpu", "--wait", "--repo", checkout.root)
    git(tmp_path, "clone", "--quiet", str(checkout.root), str(tmp_path / "clone"))
    app = build_app(Checkout(tmp_path / "clone"), query=QUERY, settings=settings)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: len(app.session.all_runs) == 1, "the store is read")
        assert app.session.runs == []
        assert not any(app.session.view.runs.values())
        await pilot.press("L")
        assert app.screen is app.matrix_screen, "there is no log of it"
        await pilot.press("2")
        await until(pilot, lambda: "a shows 1 of other checkouts" in screen_text(app), "a word about the rest")
        await pilot.press("R")
        await until(pilot, lambda: "no batch to rerun" in screen_text(app), "the refusal")
        await pilot.press("escape", "a")
        await until(pilot, lambda: "tt-xla" in screen_text(app), "where it ran")
        await pilot.press("r")
        await until(pilot, lambda: "belongs to another checkout" in screen_text(app), "the refusal")
        await pilot.press("escape", "a")
        assert ID not in screen_text(app)
        assert len(app.session.store.records()) == 1


@pytest.mark.slow("runs are started")
async def test_an_older_result_is_dim_and_says_why(checkout: Checkout, settings: Settings) -> None:
    call("run", ID, "--kind", "cpu", "--wait", "--repo", checkout.root)
    app = build_app(checkout, query=QUERY, settings=settings)
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: app.session.view.runs.get("run") == {ID: "pass"}, "the outcome")
        loader = checkout.models / "alpha/pytorch/loader.py"
        text = loader.read_text()
        loader.write_text(f"{text}# edited\n")
        await pilot.press("f5")
        await until(pilot, lambda: app.session.view.runs.get("run") == {ID: "pass~"}, "the mark of an edit")
        await pilot.press("enter")
        await until(pilot, lambda: "loader edited since" in screen_text(app), "the detail")
        await pilot.press("enter")
        loader.write_text(text)
        for _ in range(3):
            git(checkout.root, "commit", "--quiet", "--allow-empty", "--message=more")
        await pilot.press("f5")
        await until(pilot, lambda: app.session.view.runs.get("run") == {ID: "pass~3"}, "the mark of three commits")
        await pilot.press("2")
        await until(pilot, lambda: "3 commits ago" in screen_text(app), "the column of ages")


def test_numbers_of_another_repository_at_the_same_path_do_not_count(checkout: Checkout) -> None:
    session = build_app(checkout).session
    mine = session.workspace.tree.heads().repository
    for number, (repository, peak) in enumerate(((mine, 600), ("f" * 40, 900)), 1):
        spec = RunSpec(
            run_id=f"20261120-08000{number}-abcdef",
            test_id=ID,
            function=Function.TORCH,
            kind="device",
            arch=session.matrix.schema.archs[0],
            argv=("python", "-m", "pytest"),
            env={},
            cwd=checkout.root,
            timeout=600.0,
            created=f"2026-11-20T08:00:0{number}+00:00",
            nonce="0" * 32,
            slots="cpu",
            slot_count=2,
        )
        tree = TreeState(repository, "", "", "", "", committed=True)
        end = Finished(9.0 + number, Outcome.PASS, 1.0, 0, peak_memory=peak * 2**20)
        session.store.create(spec, events=[Started(1.0 + number, own_identity(), spec.argv, tree), end])
    judged = session.compute_columns(session.workspace, ["runs"])["runs"]
    assert isinstance(judged, VerdictColumns)
    numbers = judged.known_numbers
    assert [row["peak_mb"] for row in numbers[ID].values()] == ["600"]


async def test_another_commit_is_noticed(checkout: Checkout, settings: Settings) -> None:
    call("run", ID, "--kind", "cpu", "--wait", "--repo", checkout.root)
    app = build_app(checkout, query=QUERY, settings=settings)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: bool(app.session.repository), "the first look")
        git(checkout.root, "commit", "--quiet", "--allow-empty", "--message=more")
        await until(pilot, lambda: app.session.view.runs.get("run") == {ID: "pass~1"}, "the mark of one commit")
