# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.workbench."""

import errno
import os
import re
from pathlib import Path
from typing import Any

import pytest

import core.edits.pending.workbench as module
import core.edits.planning as plan_module
from core.base.errors import TTMatrixError
from core.base.processes import run_command
from core.edits import EditPlan, Operation, OpKind, Present, plan
from core.edits.commit import CommitDraft, Delivered, deliver
from core.edits.pending import Decision, Take, Workbench, proposed
from core.edits.pending.writer_lock import sole_writer
from core.sources import Checkout, Schema, read_expectations
from tests.support.app import own_checkout

TORCH = "torch/test_config_inference_single_device.yaml"
JAX = "jax/test_config_inference_single_device.yaml"
A, B = "a/pytorch-One-single_device-inference", "b/pytorch-single_device-inference"
C = "c/jax-single_device-inference"
SCHEMA = Schema()


@pytest.fixture
def checkout(test_config: Path) -> Checkout:
    return own_checkout(test_config.parents[2])


@pytest.fixture
def bench(checkout: Checkout, tmp_path: Path) -> Workbench:
    return opened(checkout, tmp_path)


def opened(checkout: Checkout, tmp_path: Path) -> Workbench:
    return Workbench(checkout, tmp_path / "home")


def present(bench: Workbench) -> Present:
    return Present(read_expectations(bench.checkout, SCHEMA))


def propose(bench: Workbench, *operations: Operation, accept: bool = True) -> int:
    bench.propose(operations, "why", present(bench))
    id = bench.pending.changes[-1].id
    if accept:
        bench.decide(Decision.ACCEPTED, [id])
    return id


def setting(id: str, value: str, name: str = "reason") -> Operation:
    return Operation(OpKind.SET, id, None, (name,), value)


def text(bench: Workbench, file: str = TORCH) -> str:
    return (bench.checkout.test_config / file).read_text()


def change_elsewhere(bench: Workbench, old: str, new: str, file: str = TORCH) -> None:
    assert old in text(bench, file)
    (bench.checkout.test_config / file).write_text(text(bench, file).replace(old, new))


def test_all_is_there_after_a_restart(bench: Workbench, checkout: Checkout, tmp_path: Path) -> None:
    propose(bench, setting(A, "r"))
    bench.decide(Decision.REJECTED, [propose(bench, setting(B, "s"), accept=False)])
    bench.mark({A, C})
    bench.undo()
    again = opened(checkout, tmp_path)
    assert again.state == bench.state
    assert again.state.marks == {A, C}
    again.redo()
    assert [change.decision for change in again.pending.changes] == [Decision.ACCEPTED, Decision.REJECTED]
    assert again.notices() == []
    assert again.problem is None


def test_write_commit_and_the_way_back(bench: Workbench) -> None:
    before = text(bench)
    first = propose(bench, setting(A, "r"), setting(C, "s"))
    done = bench.write([first], SCHEMA)
    assert [path.parent.name for path in done.files] == ["jax", "torch"]
    assert [[op.file for op in change] for change in done.changes] == [[TORCH, JAX]]
    assert done.missing == ()
    assert not bench.pending.changes
    assert {path.parent.name for path in bench.uncommitted} == {"jax", "torch"}
    drafts = [CommitDraft("say so", bench.state.written)]
    (revision,) = bench.deliver((), EditPlan((), ()), drafts, SCHEMA, verify=False).committed.revisions
    assert len(revision) == 40
    assert bench.uncommitted == ()
    bench.undo()
    (offered,) = bench.pending.changes
    assert offered.decision is Decision.UNDECIDED
    bench.decide(Decision.ACCEPTED, [offered.id])
    bench.write([offered.id], SCHEMA)
    assert text(bench) == before


def test_our_own_write_is_distinguished_from_those_of_others(bench: Workbench) -> None:
    file = str(bench.checkout.test_config / TORCH)
    assert not bench.wrote({file})
    bench.write([propose(bench, setting(A, "r"))], SCHEMA)
    assert bench.wrote({file})
    assert not bench.wrote({file, str(bench.checkout.test_config / JAX)})
    assert not bench.wrote(())
    change_elsewhere(bench, "header", "headline")
    assert not bench.wrote({file})


@pytest.mark.parametrize("operation", [setting(A, "r"), Operation(OpKind.RENAME, A, TORCH, to=f"{A}-new")])
def test_our_own_write_is_nobody_elses_change_however_long_it_takes(
    bench: Workbench, checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: Operation
) -> None:
    before = text(bench)
    first, other = propose(bench, operation), propose(bench, setting(C, "s"))
    second = opened(checkout, tmp_path)

    def slowly(*arguments: Any, **options: Any) -> Delivered:
        done = deliver(*arguments, **options)
        # The files are written, the commit's hooks are not done: all instances read the checkout again meanwhile.
        for one in (bench, second):
            one.catch_up()
            event = one.rebase(present(one))
            assert event is None or not event.dropped
            assert [change.id for change in one.pending.changes] == [first, other]
        return done

    monkeypatch.setattr(module, "deliver", slowly)
    planned = bench.plan(bench.pending.changes[0].ops, SCHEMA)
    bench.deliver([first], planned, [CommitDraft("say so", bench.pending.changes[0].placed())], SCHEMA, verify=False)
    for one in (bench, second):
        one.catch_up()
        one.rebase(present(one))
        assert [change.id for change in one.pending.changes] == [other]
    bench.undo()
    offered = bench.pending.changes[-1]
    assert offered.decision is Decision.UNDECIDED
    bench.decide(Decision.ACCEPTED, [offered.id])
    bench.write([offered.id], SCHEMA)
    assert text(bench) == before


def test_what_somebody_else_writes_into_another_file_meanwhile_is_seen(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, done = propose(bench, setting(A, "r")), propose(bench, setting(C, "s"))
    real = bench._write_files

    def slowly(planned: EditPlan) -> tuple[Path, ...]:
        written = real(planned)
        change_elsewhere(
            bench, text(bench, JAX), re.sub("(?m)^(  c/.*\n)", '\\1    reason: "s"\n', text(bench, JAX)), JAX
        )
        event = bench.rebase(present(bench))
        assert event is not None
        assert event.dropped == (done,)
        return written

    monkeypatch.setattr(bench, "_write_files", slowly)
    bench.write([first], SCHEMA)
    assert not bench.pending.changes


def test_a_write_whose_process_is_gone_is_finished_by_the_next_writer(
    bench: Workbench, checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = propose(bench, setting(A, "r")), opened(checkout, tmp_path)

    def killed(planned: EditPlan) -> tuple[Path, ...]:
        plan_module.write(planned, checkout.test_config)
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "_write_files", killed)
    with pytest.raises(KeyboardInterrupt):
        bench.write([first], SCHEMA)
    second.catch_up()
    second.rebase(present(second))
    assert second.state.writing is not None
    assert second.pending.changes, "it may still be going on"
    second.write([propose(second, setting(C, "s"))], SCHEMA)
    assert not second.pending.changes
    assert "everything is written" in " ".join(second.notices())


def test_what_the_files_do_not_say_is_named(bench: Workbench) -> None:
    done = bench.write([propose(bench, setting(A, "r"))], SCHEMA)
    change_elsewhere(bench, 'reason: "r"', 'reason: "x"')
    assert bench.missing(done.changes, SCHEMA) == done.changes


def test_only_accepted_changes_that_were_asked_for_are_written(bench: Workbench) -> None:
    first, second = propose(bench, setting(A, "r")), propose(bench, setting(B, "s"))
    third = propose(bench, setting(C, "t"), accept=False)
    bench.write([first, third], SCHEMA)
    assert [change.id for change in bench.pending.changes] == [second, third]
    assert text(bench, JAX).count("reason") == 0


def test_what_others_changed_meanwhile_stays(bench: Workbench) -> None:
    id = propose(bench, setting(A, "KNOWN_FAILURE_XFAIL", "status"))
    change_elsewhere(bench, '"old"', '"other words"')
    bench.write([id], SCHEMA)
    assert '"other words"' in text(bench)
    assert text(bench).count("KNOWN_FAILURE_XFAIL") == 2


def test_a_conflict_stops_the_write_until_a_side_is_taken(bench: Workbench) -> None:
    id = propose(bench, setting(B, "mine"), setting(A, "fine"))
    change_elsewhere(bench, '"old"', '"theirs"')
    before = text(bench)
    with pytest.raises(TTMatrixError, match="changed elsewhere too") as caught:
        bench.write([id], SCHEMA)
    assert f"{TORCH}: {B}: reason" in caught.value.detail
    assert text(bench) == before
    (found,) = bench.conflicts(present(bench))[id]
    assert (found.base, found.theirs, found.ours) == ("old", "theirs", "mine")
    bench.resolve(id, [found], Take.THEIRS)
    bench.undo()
    bench.resolve(id, [found], Take.OURS)
    assert bench.conflicts(present(bench)) == {}
    bench.write([id], SCHEMA)
    assert '"mine"' in text(bench)
    assert '"fine"' in text(bench)


def test_theirs_alone_leaves_nothing_to_do(bench: Workbench) -> None:
    id = propose(bench, setting(B, "mine"))
    change_elsewhere(bench, '"old"', '"theirs"')
    bench.resolve(id, bench.conflicts(present(bench))[id], Take.THEIRS)
    assert not bench.pending.changes
    bench.undo()
    assert [change.id for change in bench.pending.changes] == [id]
    bench.resolve(99, [], Take.OURS)


def test_an_entry_renamed_elsewhere_is_followed_into_the_write(bench: Workbench) -> None:
    renamed = A.replace("One", "one")
    id = propose(bench, setting(A, "r"))
    change_elsewhere(bench, A, renamed)
    bench.write([id], SCHEMA)
    assert f'  {renamed}:\n    status: EXPECTED_PASSING # why\n    reason: "r"\n' in text(bench)


def test_what_is_done_already_is_dropped(bench: Workbench) -> None:
    propose(bench, setting(B, "new"))
    change_elsewhere(bench, '"old"', '"new"')
    event = bench.rebase(present(bench))
    assert event is not None
    assert event.dropped == (1,)
    assert not bench.pending.changes
    assert bench.rebase(present(bench)) is None


def test_a_file_that_changes_between_plan_and_write_is_planned_again(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, races = propose(bench, setting(A, "r")), [1]
    real = plan_module.plan_texts

    def racing(*arguments: object) -> object:
        planned = real(*arguments)  # type: ignore[arg-type]
        if races:
            races.pop()
            change_elsewhere(bench, '"old"', '"raced"')
        return planned

    monkeypatch.setattr(plan_module, "plan_texts", racing)
    bench.write([id], SCHEMA)
    assert '"raced"' in text(bench)
    assert 'reason: "r"' in text(bench)


def test_what_cannot_be_done_is_not_written(bench: Workbench) -> None:
    id = propose(bench, setting(A, "r"), setting(B, "BOGUS", "status"))
    before = text(bench)
    with pytest.raises(TTMatrixError, match="cannot be done"):
        bench.write([id], SCHEMA)
    assert text(bench) == before
    assert bench.state.writing is None


def test_another_writer_is_named(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    id = propose(bench, setting(A, "r"))
    monkeypatch.setattr(module, "_WAIT_SECONDS", 0)
    with sole_writer(bench.checkout.root, "being slow", wait=0), pytest.raises(TTMatrixError) as caught:
        bench.write([id], SCHEMA)
    assert "being slow" in caught.value.detail


def test_a_write_that_fails_leaves_all_as_it_was(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    id = propose(bench, setting(A, "r"), setting(C, "s"))
    before = text(bench), text(bench, JAX)

    replace = os.replace

    def full(source: Path, target: Path) -> None:
        if target.parent.name == "torch":
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(TTMatrixError, match="Cannot write"):
            bench.write([id], SCHEMA)
    assert (text(bench), text(bench, JAX)) == before
    assert bench.state.writing is None
    assert [change.decision for change in bench.pending.changes] == [Decision.ACCEPTED]
    bench.write([id], SCHEMA)


def test_two_benches_of_one_checkout_see_each_other(bench: Workbench, checkout: Checkout, tmp_path: Path) -> None:
    other = opened(checkout, tmp_path)
    propose(bench, setting(A, "r"))
    assert other.catch_up()
    assert other.pending == bench.pending
    bench.mark({A})
    other.mark({C})
    bench.mark(set())
    assert opened(checkout, tmp_path).state.marks == {C}


def test_operations_from_a_file_leave_pending_changes_alone(bench: Workbench) -> None:
    propose(bench, setting(A, "r"))
    planned = plan(bench.checkout.test_config, [setting(C, "s")], SCHEMA)
    assert bench.write_plan(planned) == (bench.checkout.test_config / JAX,)
    assert (bench.uncommitted, bench.state.writing, len(bench.pending.changes)) == ((), None, 1)


def test_what_was_committed_by_hand_is_no_longer_waited_for(bench: Workbench) -> None:
    bench.write([propose(bench, setting(A, "r"), setting(C, "s"))], SCHEMA)
    bench.look_at_git()
    assert len(bench.uncommitted) == 2
    run_command(
        ["git", "commit", "--quiet", "--message=by hand", "--", str(bench.uncommitted[0])], cwd=bench.checkout.root
    )
    # As if written a while after git looked at it: `git diff` would record that in the index.
    os.utime(bench.checkout.test_config / JAX, (0, 0))
    index = (bench.checkout.root / ".git" / "index").read_bytes()
    bench.look_at_git()
    assert (bench.checkout.root / ".git" / "index").read_bytes() == index
    assert [path.parent.name for path in bench.uncommitted] == ["torch"]


def test_proposals_come_decided_and_one_undo_takes_all_back(bench: Workbench) -> None:
    seen = present(bench)
    first = proposed([setting(A, "one")], "why", seen)
    bench.propose_decided(Decision.ACCEPTED, [first], seen)
    (taken,) = bench.pending.changes
    assert (taken.ops, taken.decision) == (first.ops, Decision.ACCEPTED)
    second = proposed([setting(B, "two")], "why", seen)
    bench.propose_decided(Decision.REJECTED, [taken, second], seen)
    assert [one.decision for one in bench.pending.changes] == [Decision.REJECTED] * 2
    bench.undo()
    assert bench.pending.changes == (taken,)
    bench.undo()
    assert len(bench.pending.changes) == 0


def test_a_placeholder_is_removed_like_an_entry(bench: Workbench) -> None:
    file = "torch/test_config_placeholders.yaml"
    id = propose(bench, Operation(OpKind.REMOVE, "X", file))
    bench.rebase(present(bench))
    bench.write([id], SCHEMA)
    assert text(bench, file) == "PLACEHOLDER_MODELS:\n"
    assert [path.name for path in bench.uncommitted] == ["test_config_placeholders.yaml"]


@pytest.mark.parametrize(
    "changes",
    [
        [[Operation(OpKind.RENAME, A, TORCH, to="z")]],
        [[Operation(OpKind.MOVE, A, TORCH, to=JAX)]],
        [[Operation(OpKind.SET, A, TORCH, ("reason",), "r")], [Operation(OpKind.MOVE, A, TORCH, to=JAX)]],
        [[Operation(OpKind.MOVE, A, TORCH, to=JAX), Operation(OpKind.SET, A, JAX, ("reason",), "r")]],
        [[Operation(OpKind.REMOVE, A, TORCH), Operation(OpKind.ADD, A, JAX, value={"status": "EXPECTED_PASSING"})]],
    ],
)
def test_an_entry_goes_back_where_it_was_and_there_again(bench: Workbench, changes: list[list[Operation]]) -> None:
    def entries() -> dict[str, dict[str, dict[str, object]]]:
        return {file: {id: dict(of) for id, of in one.items()} for file, one in present(bench).entries.items()}

    before = entries()
    bench.write([propose(bench, *ops) for ops in changes], SCHEMA)
    there = entries()
    for expected in (before, there, before):
        bench.undo()
        (offered,) = bench.pending.changes
        bench.rebase(present(bench))
        assert bench.pending.changes[0].ops == offered.ops
        bench.decide(Decision.ACCEPTED, [offered.id])
        assert bench.write([offered.id], SCHEMA).missing == ()
        assert entries() == expected


def test_an_entry_that_is_made_goes_with_the_one_it_is_made_of(bench: Workbench) -> None:
    id = propose(
        bench, Operation(OpKind.RENAME, A, TORCH, to="z"), Operation(OpKind.SET, "z", TORCH, ("reason",), "of z")
    )
    entry = text(bench)[text(bench).index(f"  {A}:") : text(bench).index(f"  {B}:")]
    change_elsewhere(bench, entry, "")
    path = bench.checkout.test_config / JAX
    path.write_text(text(bench, JAX).rstrip("\n") + "\n\n" + entry)
    bench.rebase(present(bench))
    assert bench.write([id], SCHEMA).missing == ()
    assert present(bench).entries[JAX]["z"]["reason"] == "of z"


def test_one_id_in_two_files_is_two_entries(bench: Workbench) -> None:
    path = bench.checkout.test_config / JAX
    path.write_text(text(bench, JAX).rstrip("\n") + f'\n\n  {A}:\n    status: EXPECTED_PASSING\n    reason: "old"\n')
    ours = Operation(OpKind.SET, A, JAX, ("reason",), "ours")
    id = propose(bench, Operation(OpKind.REMOVE, A, TORCH), ours)
    renamed = propose(bench, Operation(OpKind.RENAME, A, TORCH, to="z"), ours, accept=False)
    assert {base.file for base in bench.pending.changes[-1].bases} == {TORCH, JAX}
    change_elsewhere(bench, '"old"', '"theirs"', JAX)
    assert {id, renamed} <= set(bench.conflicts(present(bench)))
    with pytest.raises(TTMatrixError, match="changed elsewhere"):
        bench.write([id], SCHEMA)
    assert '"theirs"' in text(bench, JAX)
