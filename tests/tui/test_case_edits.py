# SPDX-License-Identifier: Apache-2.0
"""Op cases are edited, reviewed, committed and taken back in the app with the keys that entries have."""

from pathlib import Path

import pytest

from core.base.processes import run_command
from core.base.settings import Settings, paths
from core.edits import Operation, OpKind
from core.matrix import index
from core.matrix.cache import Cache
from core.ops import with_ops
from core.sources import Checkout
from tests.support.app import screen_text, type_text, until
from tests.support.git import committed_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.session import Session

FILE = "tests/op_manifests/m.yaml"
TEXT = """\
model: m
cases:
  - name: a  # first
    op: torch.add
    rtol: 0.25
    marks: [x]
  - name: b
    op: torch.neg
    skip_if: {expr: "True", reason: slow}
"""


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    checkout = sample(tmp_path / "tt-xla")
    (checkout.root / FILE).parent.mkdir(parents=True)
    (checkout.root / FILE).write_text(TEXT)
    return committed_checkout(checkout)


def app_with_ops(checkout: Checkout, query: str) -> TTMatrixApp:
    cache, settings = Cache(checkout, paths().cache / "index"), Settings()
    matrix = with_ops(cache, index(checkout), settings.ops_dirs)
    session = Session.open(matrix, paths(), settings, query=query)
    return TTMatrixApp(session, lambda _: with_ops(cache, index(checkout), settings.ops_dirs))


def operations(app: TTMatrixApp) -> list[Operation]:
    return [op for change in app.session.pending.changes for op in change.ops]


@pytest.mark.slow("the whole job is done")
async def test_a_case_is_edited_reviewed_committed_and_taken_back(checkout: Checkout) -> None:
    app = app_with_ops(checkout, "kind:op op:torch.add")
    path = checkout.root / FILE
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "m::a" in screen_text(app), "the row")
        await pilot.press("E")
        await until(pilot, lambda: "the case" in screen_text(app) and "0.25" in screen_text(app), "the form")
        await type_text(pilot, "2")
        await pilot.press("enter")
        await until(pilot, lambda: "rtol must be from 0 to 1, not 2" in screen_text(app), "what is wrong")
        await pilot.press("ctrl+u")
        await type_text(pilot, "0.5")
        await pilot.press("down", "down", "down", "down")
        await type_text(pilot, "True")
        await pilot.press("down")
        await type_text(pilot, "see #1")
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the proposal")
        await pilot.press("5")
        await until(pilot, lambda: "1 op case: rtol, skip_if" in screen_text(app), "the effect")
        await until(pilot, lambda: FILE in screen_text(app) and "+    rtol: 0.5" in screen_text(app), "the diff")
        await pilot.press("a", "c")
        await until(pilot, lambda: "Commit 1 op case, and nothing else" in screen_text(app), "the dialog")
        await until(pilot, lambda: "Update settings of m::a" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "committed" in screen_text(app), "the commit")
        new = TEXT.replace("0.25", "0.5\n    skip_if:\n      expr: \"True\"\n      reason: 'see #1'")
        assert path.read_text() in (new, new.replace("'see #1'", '"see #1"'))
        await until(pilot, lambda: _rtol(app) == "0.5", "the new value in the matrix")
        await pilot.press("u")
        await until(pilot, lambda: "undoes what was written" in screen_text(app), "the inverse")
        await pilot.press("a", "w")
        await until(pilot, lambda: "Write 1 change?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: path.read_text() == TEXT, "the old bytes")
        await until(pilot, lambda: _rtol(app) == "0.25", "the old value in the matrix")
    changed = run_command(["git", "show", "--format=", "--name-only", "HEAD"], cwd=checkout.root).stdout
    assert changed == f"{FILE}\n"


def _rtol(app: TTMatrixApp) -> str:
    matrix = app.session.view.matrix
    return matrix.columns["rtol"][matrix.rows["m::a"]]


async def test_marks_come_and_go_and_a_case_is_deleted(checkout: Checkout) -> None:
    app = app_with_ops(checkout, "kind:op")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "m::a" in screen_text(app), "the rows")
        await pilot.press("M")
        await until(pilot, lambda: "delete the case from its manifest" in screen_text(app), "the menu")
        await pilot.press("enter")
        await until(pilot, lambda: "Add which mark?" in screen_text(app), "the question")
        await type_text(pilot, "a-b")
        await pilot.press("enter")
        await until(pilot, lambda: "'a-b' is not a name of a marker" in screen_text(app), "what is wrong")
        await pilot.press("ctrl+u")
        await type_text(pilot, "push")
        await pilot.press("enter")
        await until(pilot, lambda: len(operations(app)) == 1, "the mark")
        await pilot.press("M")
        await until(pilot, lambda: "delete the case from its manifest" in screen_text(app), "the menu")
        await type_text(pilot, "delete")
        await pilot.press("enter")
        await until(pilot, lambda: "Delete 1 op case?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: len(operations(app)) == 2, "the deletion")
    assert operations(app) == [
        Operation(OpKind.ADD, "m::a", FILE, ("marks",), "push"),
        Operation(OpKind.REMOVE, "m::a", FILE),
    ]


async def test_the_form_of_several_cases_shows_what_they_share_and_sets_their_defaults(checkout: Checkout) -> None:
    app = app_with_ops(checkout, "kind:op")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "m::b" in screen_text(app), "the rows")
        await pilot.press("space", "space", "E")
        await until(
            pilot, lambda: "2 op cases" in screen_text(app) and "(different values" in screen_text(app), "the form"
        )
        await pilot.press("up", "right")
        await until(pilot, lambda: "the defaults of m" in screen_text(app), "the scope")
        await pilot.press("down")
        await type_text(pilot, "0.125")
        await pilot.press("enter")
        await until(pilot, lambda: bool(operations(app)), "the proposal")
    assert operations(app) == [Operation(OpKind.SET, "m", FILE, ("rtol",), 0.125)]
