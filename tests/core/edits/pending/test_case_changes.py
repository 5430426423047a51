# SPDX-License-Identifier: Apache-2.0
"""Changes of op cases on the workbench: the rules for entries also hold for cases in manifests."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import run_command
from core.base.settings import paths
from core.edits import Operation, OpKind, Present
from core.edits.commit import compose_commits
from core.edits.pending import Decision, Workbench
from core.matrix import Matrix, index
from core.sources import Checkout
from tests.support.git import committed_checkout
from tests.support.tree import sample

FILE = "tests/op_manifests/m.yaml"
TEXT = """\
# Ops of m.
model: m
cases:
  - name: a  # first
    op: torch.add
    rtol: 0.25
    marks: [x]
  - name: b
    op: torch.neg
    inputs:
      - value: null
"""
RTOL = Operation(OpKind.SET, "m::a", FILE, ("rtol",), 0.5)
DEFAULT = Operation(OpKind.SET, "m", FILE, ("atol",), 0.125)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = sample(tmp_path / "tt-xla")
    manifest(checkout).parent.mkdir(parents=True)
    manifest(checkout).write_text(TEXT)
    return committed_checkout(checkout)


@pytest.fixture
def matrix(checkout: Checkout) -> Matrix:
    return index(checkout)


@pytest.fixture
def bench(checkout: Checkout) -> Workbench:
    return Workbench(checkout, paths().journal)


def manifest(checkout: Checkout) -> Path:
    return checkout.root / FILE


def accept(bench: Workbench, matrix: Matrix, *operations: Operation) -> list[int]:
    bench.propose(operations, "why", Present(matrix.files))
    ids = [change.id for change in bench.pending.changes]
    bench.decide(Decision.ACCEPTED, ids)
    return ids


def test_written_and_taken_back_the_file_has_its_old_bytes(bench: Workbench, matrix: Matrix) -> None:
    add = Operation(OpKind.ADD, "m::c", FILE, value={"op": "torch.abs", "inputs": [{"tensor": {"shape": [2]}}]})
    marks = Operation(OpKind.ADD, "m::a", FILE, ("marks",), "push")
    skip = Operation(OpKind.SET, "m::b", FILE, ("skip_if",), {"expr": "True", "reason": "slow"})
    done = bench.write(accept(bench, matrix, RTOL, DEFAULT, add, marks, skip), matrix.schema)
    path = manifest(bench.checkout)
    assert (done.files, done.missing) == ((path,), ())
    assert "defaults:\n  atol: 0.125\n" in path.read_text()
    bench.undo()
    (back,) = bench.pending.changes
    bench.decide(Decision.ACCEPTED, [back.id])
    assert bench.write([back.id], matrix.schema).missing == ()
    assert path.read_text() == TEXT


def test_a_removed_case_comes_back_with_all_that_it_said(bench: Workbench, matrix: Matrix) -> None:
    bench.write(accept(bench, matrix, Operation(OpKind.REMOVE, "m::b", FILE)), matrix.schema)
    assert manifest(bench.checkout).read_text() == TEXT[: TEXT.index("  - name: b")]
    bench.undo()
    bench.decide(Decision.ACCEPTED, [change.id for change in bench.pending.changes])
    bench.write([change.id for change in bench.pending.changes], matrix.schema)
    assert manifest(bench.checkout).read_text() == TEXT


def test_what_others_changed_in_the_same_key_is_a_conflict_and_in_others_stays(
    bench: Workbench, matrix: Matrix
) -> None:
    ids = accept(bench, matrix, RTOL)
    path = manifest(bench.checkout)
    path.write_text(TEXT.replace("[x]", "[x, y]"))
    assert bench.conflicts(Present(matrix.files)) == {}
    path.write_text(TEXT.replace("0.25", "0.75"))
    ((conflict,),) = bench.conflicts(Present(matrix.files)).values()
    assert (conflict.base, conflict.theirs, conflict.ours) == (0.25, 0.75, 0.5)
    with pytest.raises(TTMatrixError, match="changed elsewhere"):
        bench.write(ids, matrix.schema)
    path.write_text(TEXT.replace("[x]", "[x, y]"))
    bench.write(ids, matrix.schema)
    assert path.read_text() == TEXT.replace("[x]", "[x, y]").replace("0.25", "0.5")


def test_what_others_did_already_is_dropped(bench: Workbench, matrix: Matrix) -> None:
    accept(bench, matrix, RTOL)
    manifest(bench.checkout).write_text(TEXT.replace("0.25", "0.5"))
    event = bench.rebase(Present(matrix.files))
    assert event is not None
    assert len(event.dropped) == 1
    assert bench.pending.changes == ()


def test_pending_changes_of_cases_outlive_the_process(bench: Workbench, matrix: Matrix) -> None:
    accept(bench, matrix, RTOL, DEFAULT)
    again = Workbench(bench.checkout, paths().journal)
    assert again.pending == bench.pending
    assert again.conflicts(Present(matrix.files)) == {}


def test_a_commit_holds_exactly_the_change_of_the_manifest(bench: Workbench, matrix: Matrix) -> None:
    root = bench.checkout.root
    # The person's own work: in the same file, and staged elsewhere.
    manifest(bench.checkout).write_text(TEXT.replace("# Ops of m.", "# Ops of mine."))
    (root / "other.txt").write_text("staged\n")
    run_command(["git", "add", "other.txt"], cwd=root)
    ids = accept(bench, matrix, RTOL)
    operations = bench.pending.accepted_operations()
    composition = compose_commits(matrix, operations, planner=bench.planner)
    seen = bench.plan(operations, matrix.schema)
    delivered = bench.deliver(ids, seen, composition.drafts(), matrix.schema, verify=True)
    assert delivered.validation is None
    shown = run_command(["git", "show", "--format=%s", "--stat=200", "HEAD"], cwd=root).stdout
    assert shown.startswith("Update rtol of m::a\n")
    assert FILE in shown and "other.txt" not in shown
    committed = run_command(["git", "show", f"HEAD:{FILE}"], cwd=root).stdout
    assert committed == TEXT.replace("0.25", "0.5")
    assert manifest(bench.checkout).read_text() == committed.replace("# Ops of m.", "# Ops of mine.")
    status = run_command(["git", "status", "--short"], cwd=root).stdout
    assert status == f"A  other.txt\n M {FILE}\n"
    assert bench.uncommitted == ()


def test_a_manifest_that_git_does_not_have_is_written_but_not_committed(bench: Workbench, matrix: Matrix) -> None:
    path = bench.checkout.root / "tests/op_manifests/new.yaml"
    path.write_text(TEXT)
    operation = Operation(OpKind.SET, "m::a", "tests/op_manifests/new.yaml", ("rtol",), 0.5)
    with pytest.raises(TTMatrixError, match=r"tests/op_manifests/new.yaml is not in the last commit") as refused:
        compose_commits(matrix, [operation])
    assert "git add tests/op_manifests/new.yaml" in refused.value.hint
    bench.write(accept(bench, matrix, operation), matrix.schema)
    assert bench.uncommitted == (path,)


def test_files_committed_by_hand_are_forgotten(bench: Workbench, matrix: Matrix) -> None:
    bench.write(accept(bench, matrix, RTOL), matrix.schema)
    bench.look_at_git()
    assert [*bench.uncommitted] == [manifest(bench.checkout)]
    run_command(["git", "commit", "--quiet", "--all", "--message=by hand"], cwd=bench.checkout.root)
    bench.look_at_git()
    assert not bench.uncommitted


def test_a_write_that_was_killed_is_reported_and_can_go_on(bench: Workbench, matrix: Matrix) -> None:
    """The process dies after the file is replaced and before the journal says so."""
    ids = accept(bench, matrix, RTOL)
    script = textwrap.dedent(
        f"""\
        import os, signal
        from pathlib import Path
        from core.edits.pending.workbench import Workbench
        from core.matrix import index
        from core.base.settings import paths
        from core.sources.checkout import Checkout
        from core.edits import planning
        import core.edits.pending.workbench as workbench
        written = planning.write
        def dying(*given):
            written(*given)
            os.kill(os.getpid(), signal.SIGKILL)
        workbench.write = dying
        checkout = Checkout(Path({str(bench.checkout.root)!r}))
        Workbench(checkout, paths().journal).write({ids!r}, index(checkout).schema)
        """
    )
    done = subprocess.run([sys.executable, "-c", script], env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    again = Workbench(bench.checkout, paths().journal)
    assert again.notices() == ["The last write was interrupted after its last file: everything is written."]
    assert again.pending.accepted() == ()
    assert again.uncommitted == (manifest(bench.checkout),)
    assert manifest(bench.checkout).read_text() == TEXT.replace("0.25", "0.5")
