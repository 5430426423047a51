# SPDX-License-Identifier: Apache-2.0
"""The actions that are interrupted by faults, and what must hold afterwards."""

import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.base.processes import run_command
from core.edits import EditPlan, Operation, OpKind, Present
from core.edits.commit import CommitDraft
from core.edits.pending import Decision, Workbench
from core.sources import Checkout, Schema, read_expectations
from tests.faults.injected import SMALL_FILES

TORCH = "torch/test_config_inference_single_device.yaml"
JAX = "jax/test_config_inference_single_device.yaml"
A, B, C = "a/pytorch-One-single_device-inference", "b/pytorch-single_device-inference", "c/jax-single_device-inference"
OLD = {
    TORCH: f'test_config:\n  {A}:\n    status: EXCLUDE_MODEL # why\n\n  {B}:\n    reason: "old"\n',
    JAX: f"test_config:\n  {C}:\n    status: EXCLUDE_MODEL",
}
NEW = {
    TORCH: f'test_config:\n  {A}:\n    status: UNSPECIFIED # why\n\n  {B}:\n    reason: "new"\n',
    JAX: f"test_config:\n  {C}:\n    status: EXPECTED_PASSING",
}
MESSAGE = "second\n\n" + "One of many lines that say why.\n" * 4000
"""More than fits into a pipe's buffer."""
_OPERATIONS = (
    Operation(OpKind.SET, A, None, ("status",), "UNSPECIFIED"),
    Operation(OpKind.SET, B, None, ("reason",), "new"),
    Operation(OpKind.SET, C, None, ("status",), "EXPECTED_PASSING"),
)
_STEPS: tuple[Callable[[Workbench], object], ...] = (
    lambda bench: bench.propose(_OPERATIONS, "why", present(bench)),
    lambda bench: bench.decide(Decision.ACCEPTED, [1]),
    lambda bench: bench.undo(),
    lambda bench: bench.redo(),
    lambda bench: bench.propose(_OPERATIONS[:1], "more", present(bench)),
    lambda bench: bench.decide(Decision.REJECTED, [2]),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A checkout and a home, below one directory."""

    directory: Path

    @property
    def checkout(self) -> Checkout:
        return Checkout(self.directory / "tt-xla")

    def bench(self) -> Workbench:
        """The workbench that the next start finds."""
        return Workbench(self.checkout, self.directory / "home" / "journal")

    def texts(self) -> dict[str, str]:
        return {file: (self.checkout.test_config / file).read_bytes().decode() for file in OLD}

    def git(self, *words: str) -> str:
        done = run_command(["git", *words], cwd=self.checkout.root)
        assert done.returncode == 0, done.stderr
        return done.stdout


def present(bench: Workbench) -> Present:
    return Present(read_expectations(bench.checkout, Schema()))


def lay_out(place: Place) -> None:
    """Two committed files, something else staged, and nothing pending."""
    for file, text in OLD.items():
        path = place.checkout.test_config / file
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o640)
    place.git("init", "--quiet", "--template=")
    place.git("config", "user.name", "Somebody")
    place.git("config", "user.email", "somebody@example.com")
    place.git("add", "--all")
    place.git("commit", "--quiet", "--message=first")
    (place.checkout.root / "staged.txt").write_text("mine")
    place.git("add", "staged.txt")


def accept(place: Place) -> None:
    """One accepted change of both files."""
    bench = place.bench()
    for step in _STEPS[:2]:
        step(bench)


def accept_and_write(place: Place) -> None:
    accept(place)
    write(place)


# The actions. Each opens the workbench itself, so that the next start can be hit as well.


def decide(place: Place) -> None:
    bench = place.bench()
    for number, step in enumerate(_STEPS, 1):
        step(bench)
        # Reported like on a screen, after the call returns; by a call that no fault is injected into.
        (place.directory / f"shown-{number}").symlink_to("nowhere")


def write(place: Place) -> None:
    bench = place.bench()
    bench.write([change.id for change in bench.pending.accepted()], Schema())


def commit(place: Place) -> None:
    deliver(place.bench())


def deliver(bench: Workbench) -> None:
    """Commit what was written, and nothing else."""
    drafts = [CommitDraft(MESSAGE, bench.state.written)]
    bench.deliver((), EditPlan((), ()), drafts, Schema(), verify=False)


# The invariants.


def nothing_decided_is_lost(place: Place, fault: str) -> None:
    """The journal contains everything that was shown, and at most the one step in progress."""
    bench = _opened(place)
    shown = len(list(place.directory.glob("shown-*")))
    expected = _states(place.directory.parent / "template")
    found = (bench.pending.changes, len(bench.pending.past), len(bench.pending.future))
    # If the disk refused a write, the person was informed that the change is not saved.
    allowed = expected[shown : shown + 2] if fault.startswith("killed") else expected
    assert found in allowed, (shown, found)


@cache
def _states(template: Path) -> list[tuple[object, int, int]]:
    """The state after each step without faults."""
    bench = Place(template).bench()
    states = list[tuple[object, int, int]]()
    for step in (lambda _: None, *_STEPS):
        step(bench)
        states.append((bench.pending.changes, len(bench.pending.past), len(bench.pending.future)))
    return states


def old_or_new(place: Place, fault: str) -> None:
    """Each file has its old or new text; accepted changes are in the files or still accepted; resuming finishes."""
    _whole_files(place)
    bench = _opened(place)
    texts = place.texts()
    written = [file for file in OLD if texts[file] == NEW[file]]
    halfway = 0 < len(written) < len(OLD)
    assert any("halfway" in notice for notice in bench.notices()) or not halfway
    assert [*place.checkout.test_config.rglob("*.tmp")] == []
    accepted = bench.pending.accepted()
    assert accepted or len(written) == len(OLD)
    bench.write([change.id for change in accepted], Schema())
    assert place.texts() == NEW
    assert not bench.pending.changes
    if fault == SMALL_FILES:
        # The journal may lack the write, and then undo has nothing to offer.
        return
    bench.undo()
    bench.decide(Decision.ACCEPTED, [change.id for change in bench.pending.changes])
    bench.write([change.id for change in bench.pending.changes], Schema())
    assert place.texts() == OLD
    _whole_files(place)


def committed_or_not(place: Place, _: str) -> None:
    """The commit exists completely or not at all, and staged changes are unchanged."""
    _whole_files(place)
    bench = _opened(place)
    assert place.texts() == NEW
    bench.look_at_git()
    if bench.uncommitted:
        assert len(place.git("log", "--format=%s").splitlines()) == 1
        deliver(bench)
    assert place.git("log", "--format=%s").splitlines() == ["second", "first"]
    assert place.git("log", "-1", "--format=%B").strip() == MESSAGE.strip()
    assert place.git("status", "--porcelain").splitlines() == ["A  staged.txt"]
    assert sorted(place.git("show", "--format=", "--name-only").split()) == [
        f"tests/runner/test_config/{file}" for file in sorted(OLD)
    ]


def _opened(place: Place) -> Workbench:
    bench = place.bench()
    assert bench.problem is None, bench.problem
    assert list((place.directory / "home").rglob("*set-aside*")) == []
    return bench


def _whole_files(place: Place) -> None:
    for file, text in place.texts().items():
        assert text in (OLD[file], NEW[file]), text
        assert stat.S_IMODE((place.checkout.test_config / file).stat().st_mode) == 0o640
