# SPDX-License-Identifier: Apache-2.0
"""The workspace: each answer is worked out once, by whichever thread asks first, and never for another matrix."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import TTMatrixError
from core.base.settings import Settings, paths
from core.domain.model import Function
from core.evidence import Ending
from core.evidence.observation import CaseNumbers
from core.evidence.proposals import WorklistReader, worked_out
from core.evidence.verdicts import Verdict
from core.matrix import index
from core.sources import Checkout
from core.workspace import Evidence, Workspace, look
from tests.support.evidence import observed
from tests.support.git import committed_checkout, git
from tests.support.reports import keep
from tests.support.three_nights import DRIFTED, STALE, nightly_checkout
from tests.support.tree import INFERENCE, YAML, sample


def workspace_on(checkout: Checkout) -> Workspace:
    return Workspace.on(index(checkout), paths(), Settings())


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return nightly_checkout(tmp_path / "tt-xla")


def test_threads_that_ask_together_get_one_answer(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, together = workspace_on(checkout), threading.Barrier(4)
    asked: list[object] = []

    def read(*_: object) -> object:
        asked.append(object())
        return asked[-1]

    monkeypatch.setattr("core.ci.read_ci", read)

    def ask() -> object:
        together.wait()
        return workspace.ci

    with ThreadPoolExecutor(4) as threads:
        found = [one.result() for one in [threads.submit(ask) for _ in range(4)]]
    assert found == asked * 4


def test_what_is_known_can_be_read_while_another_thread_works(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, begun, go_on = workspace_on(checkout), threading.Event(), threading.Event()
    assert workspace.known(Workspace.model_infos) is None
    infos = workspace.model_infos

    def slowly(*_: object) -> object:
        begun.set()
        assert go_on.wait(60)
        return "jobs"

    monkeypatch.setattr("core.ci.read_ci", slowly)
    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(lambda: workspace.ci)
        assert begun.wait(60)
        try:
            assert workspace.known(Workspace.model_infos) is infos
            assert workspace.known(Workspace.ci) is None
        finally:
            go_on.set()
        found = working.result()
        assert workspace.known(Workspace.ci) is found


def test_after_an_error_it_is_worked_out_again(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    workspace = workspace_on(checkout)
    with pytest.raises(TTMatrixError):
        _ = workspace.history
    committed_checkout(checkout)
    assert workspace.replaced(index(checkout)).history.committed


def test_a_late_answer_is_for_the_workspace_that_was_asked(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that began before the checkout was read again neither replaces nor is read as what is known now."""
    old, begun, go_on = workspace_on(checkout), threading.Event(), threading.Event()
    read: list[Any] = []

    def slowly(matrix: object, _: object) -> object:
        read.append(matrix)
        if len(read) == 1:
            begun.set()
            assert go_on.wait(60)
        return matrix

    monkeypatch.setattr("core.ci.read_ci", slowly)
    new = old.replaced(index(checkout))
    with ThreadPoolExecutor(1) as thread:
        late = thread.submit(lambda: old.ci)
        assert begun.wait(60)
        assert new.known(Workspace.ci) is None
        go_on.set()
        late.result()
        assert new.known(Workspace.ci) is None
        assert [id(one) for one in (old.ci, new.ci)] == [id(one) for one in (old.matrix, new.matrix)]


def test_nobody_keeps_an_old_matrix(checkout: Checkout) -> None:
    """Without the garbage collector, which the app seldom runs: only what judges results has cycles of its own."""
    old = workspace_on(checkout)
    assert None not in (old.ci, old.selected, old.findings, old.history, old.describe(STALE))
    assert Evidence(old).clusters and Evidence(old).columns(old.matrix, ["jobs", "history"])
    gone, new = weakref.ref(old.matrix), old.replaced(index(checkout))
    gc.collect()
    gc.disable()
    try:
        del old
        assert gone() is None
    finally:
        gc.enable()
    evidence = Evidence(new)
    assert worked_out(evidence.worklist_steps(WorklistReader())).items and evidence.columns(new.matrix, ["runs"])
    gone, new = weakref.ref(new.matrix), new.replaced(index(checkout))
    evidence = look(new, evidence)
    gc.collect()
    assert gone() is None
    assert evidence.workspace is new and new.place.checkout == checkout


def test_a_workspace_on_the_same_matrix_is_the_same(checkout: Checkout) -> None:
    workspace = workspace_on(checkout)
    assert workspace.replaced(workspace.matrix) is workspace
    assert workspace.replaced(index(checkout)).place is workspace.place


def test_history_is_read_again_after_a_commit(checkout: Checkout) -> None:
    workspace = workspace_on(checkout)
    before = workspace.history
    assert workspace.history is before
    git(checkout.root, "commit", "--quiet", "--allow-empty", "--message=more")
    assert workspace.history is not before


def test_evidence_is_the_same_until_there_is_more(checkout: Checkout) -> None:
    evidence = look(workspace_on(checkout))
    assert evidence.verdicts.of_cell(STALE, "n150") is Verdict.STALE
    assert look(evidence.workspace, evidence) is evidence
    keep(checkout, [observed(Ending.FAILED, "new", test_id=STALE, run="nightly-4", when=4 * 86400.0)])
    newer = look(evidence.workspace, evidence)
    assert newer is not evidence and newer.workspace is evidence.workspace
    assert newer.verdicts.of_cell(STALE, "n150") is not Verdict.STALE


def test_evidence_is_another_under_another_policy_and_on_another_matrix(checkout: Checkout) -> None:
    evidence = look(workspace_on(checkout))
    (checkout.root / "ttmatrix-policy.toml").write_text("minimum_runs = 5\n")
    newer = look(evidence.workspace, evidence)
    assert (evidence.policy.minimum_runs, newer.policy.minimum_runs) == (3, 5)
    again = look(evidence.workspace.replaced(index(checkout)), newer)
    assert again is not newer and again.verdicts.matrix is again.workspace.matrix


def test_without_a_machine_all_of_it_is_judged_again(checkout: Checkout) -> None:
    evidence = Evidence(workspace_on(checkout))
    two = evidence.without(["host-3"])
    assert two.results.runs() == ("nightly-2", "nightly-1")
    assert two.without(["host-3"]) is two and two.without([]) is two
    assert two.last_two_runs() == ("nightly-1", "nightly-2")
    assert len(two.verdicts.seen[DRIFTED]["n150"]) == 2 and len(evidence.verdicts.seen[DRIFTED]["n150"]) == 3


def test_as_of_a_moment_later_results_are_unknown(checkout: Checkout) -> None:
    evidence = Evidence(workspace_on(checkout), as_of=2.5 * 86400)
    assert evidence.results.runs() == ("nightly-2", "nightly-1")
    assert evidence.now == 2.5 * 86400
    assert evidence.columns(evidence.workspace.matrix, ["runs"])


def test_a_run_is_compared_with_one_of_its_sort(tmp_path: Path) -> None:
    """Between two nightlies there may be runs of op cases, which have nothing to do with them."""
    checkout = nightly_checkout(tmp_path / "tt-xla")
    case = observed(test_id="m::a", function=Function.OP_CASE, arch="tt", op=CaseNumbers("pass", "k", 0.1, 0.1))
    keep(checkout, [replace(case, run=f"ops-{number}", when=(number + 0.5) * 86400) for number in (1, 2, 3)])
    evidence = Evidence(workspace_on(checkout))
    assert evidence.results.runs()[:2] == ("ops-3", "nightly-3")
    assert evidence.last_two_runs() == ("nightly-2", "nightly-3")
    assert evidence.last_two_runs("tt") == ("ops-2", "ops-3")
    assert evidence.with_neighbour("nightly-3") == ("nightly-2", "nightly-3")
    assert evidence.with_neighbour("nightly-1") == ("nightly-1", "nightly-2")
    assert evidence.with_neighbour("ops-3") == ("ops-2", "ops-3")
    assert evidence.with_neighbour("nosuch") is None


def test_a_changed_file_gives_a_workspace_with_other_entries(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    workspace = workspace_on(checkout)
    file = checkout.test_config / INFERENCE
    file.write_text(f"{YAML[INFERENCE]}  nosuch/model-x-single_device-inference:\n    status: EXPECTED_PASSING\n")
    before = workspace.findings
    newer = workspace.replaced(index(checkout))
    assert len(newer.findings) > len(before)
    assert workspace.known(Workspace.findings) is before


def test_the_branch_is_known_while_another_thread_works(checkout: Checkout) -> None:
    workspace = workspace_on(checkout)
    with workspace.lock, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(lambda: (workspace.branch, workspace.head_stamps))
        branch, stamps = asked.result(30)
    assert branch == git(checkout.root, "branch", "--show-current").strip()
    assert any(name.endswith("HEAD") for name in stamps)


def test_the_newest_night_is_read_once_by_threads_that_ask_together(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence, read, begun, go_on = (
        Evidence(workspace_on(checkout)),
        list[object](),
        threading.Event(),
        threading.Event(),
    )

    def night(*_: object) -> object:
        read.append(object())
        begun.set()
        assert go_on.wait(60)
        return read[-1]

    monkeypatch.setattr("core.evidence.nightly.newest_night", lambda runs: "nightly-1")
    monkeypatch.setattr(Evidence, "night", night)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(evidence.newest_night)
        assert begun.wait(60)
        second = threads.submit(evidence.newest_night)
        # Without the lock, the second one is at work by now.
        with pytest.raises(TimeoutError):
            second.result(0.2)
        go_on.set()
        found: list[object] = [first.result(60), second.result(60)]
    assert len(read) == 1 and found == read * 2
