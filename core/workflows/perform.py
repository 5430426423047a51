# SPDX-License-Identifier: Apache-2.0
"""Do what workflows ask for: run tests, edit and revert loaders, look for users of a class."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from core.base.errors import UsageError
from core.base.files import plain, read_bytes, read_loosely
from core.base.processes import own_identity
from core.base.settings import Settings
from core.base.text import one_line
from core.domain.ids import TestId
from core.evidence.reports import stand_in
from core.matrix import Matrix
from core.providers import info_of
from core.runs import RESULT_PREFIX, RUN_VARIABLE, Outcome, RunSpec, TreeReader, judge, parse_result, read_testcases
from core.runs.execution import launch_all, wait
from core.runs.log import last_line
from core.runs.planning import (
    KINDS,
    Surroundings,
    Survey,
    as_batch,
    find_interpreter,
    own_arch,
    plan_test,
    preflight,
    refuse,
    survey,
)
from core.runs.store import JUNIT, PROVENANCE, Finished, RunRecord, RunResult, RunStore, Started
from core.sources import ModelInfos
from core.workflows.case import CaseEntry
from core.workflows.device import (
    missing_device,
    plan_device,
    read_device_result,
    read_device_run,
    refuse_other_code,
    with_forks,
)
from core.workflows.loader_code import ModelLibrary
from core.workflows.loader_code.edits import SourceEdit, edited_files, put, returning, take_back
from core.workflows.repro import Repro
from core.workflows.requests import Answer
from core.workflows.resolve import entries_of
from core.workflows.session import WorkflowSession

_NO_DEVICE = "a run without a device"
_LOOK_SECONDS = 5.0
"""How often the logs of runs are read while waiting: what is new there is reported."""
_SAY_SECONDS = 15.0
"""How often progress is reported where nothing is new."""
_UNDONE = frozenset({Outcome.LOST, Outcome.CANCELLED})


@dataclass(slots=True)
class WorkflowContext:
    """What the effects act on."""

    matrix: Matrix
    infos: ModelInfos
    settings: Settings
    store: RunStore
    arch: str = ""
    said: Callable[[str], None] = lambda _: None
    """Receives lines about progress."""
    stand_in: bool = False
    """The policy of the checkout accepts a report of our own runner on a CPU in place of one from a device."""
    known: dict[str, RunRecord] = field(default_factory=dict)
    """CPU repros that were run in advance on the checkout in its present state, by test id."""
    _survey: Survey | None = None

    @property
    def root(self) -> Path:
        return self.matrix.checkout.root

    @property
    def surroundings(self) -> Surroundings:
        """Queried once: an interpreter is slow to answer."""
        if self._survey is None:
            python = find_interpreter(self.root, self.settings)
            self._survey = survey(self.matrix.checkout, python, os.environ, starting=True)
        return Surroundings(self.matrix.checkout, self._survey, os.environ, self.store.root)


def run_cpu(world: WorkflowContext, session: WorkflowSession, ids: Sequence[str]) -> Answer:
    """Run the CPU repros of `ids` in parallel, or wait for those that were started before an interruption."""
    if not session.state.report or not session.state.report.edits:
        ready = [world.known.get(id) for id in ids]
        if all(ready):
            return [_result_of(record) for record in ready if record]
    records = _join(world, session, ids)
    return [_result_of(record) for record in records]


def start_cpu(world: WorkflowContext, ids: Sequence[str]) -> list[RunSpec]:
    """Plan CPU repros of `ids` as one batch. Raises TTMatrixError where this machine cannot run any."""
    specs = [plan_test(world.matrix, id, world.settings, runs=world.store.root, arch=world.arch) for id in ids]
    refuse(preflight(KINDS["cpu"], specs, world.surroundings))
    return as_batch(specs)


def launch_shared(world: WorkflowContext, specs: Sequence[RunSpec]) -> None:
    """Start planned CPU repros; variants of one loader share an interpreter if that saves time."""
    slots = KINDS["cpu"].slot_count(world.settings)
    launch_all(world.store, shared(specs, slots), provenance=world.surroundings.survey.to_json())


def collect(world: WorkflowContext, run_ids: Sequence[str], ids: Sequence[str]) -> dict[str, RunRecord]:
    """Wait for the CPU repros among `run_ids` that were started; return the finished ones of `ids`, by id."""

    def plan(guest: Guest) -> RunSpec | None:
        found = [id for id in ids if is_variant(id, guest.variant, host.spec.test_id)]
        if not found:
            return None
        return plan_test(world.matrix, found[0], world.settings, runs=world.store.root, arch=world.arch)

    for host in await_runs(world, _there(world, run_ids)):
        unpack(world.store, host, plan)
    records = world.store.some(_there(world, run_ids))
    return {one.spec.test_id: one for one in records if one.outcome not in _UNDONE and not is_host_without_result(one)}


def is_variant(id: str, variant: str, like: str) -> bool:
    """Whether `id` is the test `like` for that variant: same loader, and equal in everything else."""
    one, other = TestId.parse(id), TestId.parse(like)
    if one is None or other is None or (one.variant or "") != variant:
        return False
    return replace(one, variant=None) == replace(other, variant=None)


def await_runs(world: WorkflowContext, run_ids: Sequence[str]) -> list[RunRecord]:
    """Wait for runs, reporting what they do: starts, ends, new lines of their logs, and how long they may take.

    Returns them in the order given.
    """
    ended: set[str] = set()
    started: set[str] = set()
    said: dict[str, tuple[str, float]] = {}

    def tell(record: RunRecord) -> None:
        run_id = record.spec.run_id
        if record.active and record.started is not None and run_id not in started:
            started.add(run_id)
            world.said(f"started, {_limit(record)}: {record.spec.test_id}")
        if not record.active and run_id not in ended:
            ended.add(run_id)
            took = f" after {record.seconds:.0f} s" if record.seconds is not None else ""
            limit = f" ({_limit(record)})" if record.outcome is Outcome.TIMEOUT else ""
            done = f"{len(ended)} of {len(set(run_ids))}"
            world.said(f"{record.outcome or record.state}{took}{limit}, {done}: {record.spec.test_id}")

    while True:
        records = wait(world.store, run_ids, tell, until=time.monotonic() + _LOOK_SECONDS)
        still = [record for record in records if record.active]
        if not still:
            # A run that has ended leaves the queue in a moment.
            return wait(world.store, run_ids)
        for record in still:
            latest, now = _latest(record), time.monotonic()
            before, at = said.get(record.spec.run_id, ("", 0.0))
            if latest != before or now - at >= _SAY_SECONDS:
                said[record.spec.run_id] = latest, now
                world.said(f"{_state_of(record)}{record.spec.test_id}{f': {latest}' if latest else ''}")


def _latest(record: RunRecord) -> str:
    """What the run printed last: a step, a download, a connection that it waits for."""
    return one_line(last_line(record.log)) if record.started is not None else ""


def _state_of(record: RunRecord) -> str:
    if record.started is None:
        return "queued: "
    return f"running for {max(0.0, time.time() - record.started):.0f} s, {_limit(record)}: "


def _limit(record: RunRecord) -> str:
    timeout = record.spec.timeout
    setting = "device_timeout" if record.spec.kind == "device" else "cpu_timeout"
    return f"at most {timeout:g} s ({setting})" if timeout else f"without a limit ({setting})"


def edit_loader(world: WorkflowContext, session: WorkflowSession, path: str, edit: SourceEdit) -> None:
    """Put an edit into the work tree. Does nothing if that was done already."""
    put(world.root / path, edit, session.edits)


def revert_loader(world: WorkflowContext, session: WorkflowSession, path: str, edit: SourceEdit) -> None:
    """Take an edit back. Does nothing if that was done already."""
    for edited in reversed(edited_files(session.edits)):
        if edited.path == world.root / path and edited.edit.after == edit.after:
            take_back(edited)


def find_users(world: WorkflowContext, output_class: str) -> Answer:
    """The loaders that may return `output_class`, with their training entries and tasks."""
    library = ModelLibrary.beside(find_interpreter(world.root, world.settings))
    models, loaders = world.matrix.checkout.models, world.matrix.loaders.values()
    found = returning(models, loaders, output_class, _seen(world), library)
    return [
        {
            "directory": one.directory,
            "sureness": str(one.confidence),
            "why": one.why,
            "task": _task(world, entries := entries_of(world.matrix, [one.directory])),
            "members": plain(entries),
        }
        for one in found
    ]


def device_command(world: WorkflowContext, ids: Sequence[str]) -> tuple[RunSpec, str]:
    """The one pytest invocation for `ids`, and why it is not possible here (empty if it is)."""
    arch = world.arch or own_arch(world.matrix.schema.archs)
    spec = plan_device(world.matrix, ids, world.settings, runs=world.store.root, arch=arch)
    spec = with_forks(spec, world.surroundings.survey)
    return spec, missing_device(spec, world.surroundings, world.settings)


def run_device(world: WorkflowContext, session: WorkflowSession, spec: RunSpec, ids: Sequence[str]) -> Answer:
    """Run on a device, or wait for a run started before an interruption; returns the result of each test."""
    begun = world.store.some(_there(world, session.began))
    done = [one for one in begun if one.outcome not in _UNDONE]
    if not done:
        session.begin_runs([spec.run_id])
        _launch_alone(world, [spec])
        done = await_runs(world, [spec.run_id])
    else:
        done = await_runs(world, [done[0].spec.run_id])
    record = done[0]
    file = record.directory / JUNIT
    by = stand_in(read_testcases(file, on_cut=str)) if file.is_file() else "" if record.spec.devices else _NO_DEVICE
    return _of_device(world, file, by, read_device_run(record, ids))


def read_report(world: WorkflowContext, session: WorkflowSession, file: Path, ids: Sequence[str]) -> Answer:
    """The device results of `ids` in a JUnit file; a result made without a device names what made it.

    The edits of the session must be in place. Raises TTMatrixError for a file that cannot be read, UsageError for one
    that mentions none of `ids`, that says to be the result of other code, or that was made without a device if the
    policy of the checkout does not accept that.
    """
    refuse_other_code(file, world.root, code_of(session))
    _refuse_other_run(world, file, ids)
    return _of_device(world, file, stand_in(read_testcases(file, on_cut=str)), read_device_result(file, ids))


def code_of(session: WorkflowSession) -> list[str]:
    """The files, relative to the checkout, that a device result of the session depends on."""
    return list(session.state.case.sources)


def _refuse_other_run(world: WorkflowContext, file: Path, ids: Sequence[str]) -> None:
    """Raise UsageError if the file is that of a run here whose code was different."""
    directory = file.absolute().parent
    if file.name != JUNIT or directory.parent != world.store.root.absolute():
        return
    tree = world.store.record(directory.name).tree
    reader = TreeReader(world.matrix.checkout)
    if tree is not None and any(
        (one.loader, one.imports) != (tree.loader, tree.imports) for one in reader.codes(ids).values()
    ):
        detail = "The loader, or what it imports, was not as this workflow has it. Nothing was changed."
        raise UsageError(f"Run {directory.name} is the result of other code", detail, "Paste the printed steps.")


def _of_device(world: WorkflowContext, file: Path, by: str, found: Sequence[Mapping[str, str]]) -> Answer:
    """The answers of `found`, each with `by` if that was no device. Raises UsageError as above."""
    if by and not world.stand_in:
        detail = f"It was made by {by}, which proves nothing about a device. Nothing was changed."
        raise UsageError(f"{file} is not a device report", detail, "Run the test on a machine with a device.")
    return [{**one, "by": by} for one in found]


def _join(world: WorkflowContext, session: WorkflowSession, ids: Sequence[str]) -> list[RunRecord]:
    """The repros of `ids`: those from before an interruption, then the missing ones, shared first and then alone."""
    found = collect(world, session.began, ids)
    for start in (launch_shared, _launch_alone):
        missing = [id for id in ids if id not in found]
        if missing:
            specs = start_cpu(world, missing)
            session.begin_runs([*(one.spec.run_id for one in found.values()), *(spec.run_id for spec in specs)])
            world.said(f"running {len(specs)} CPU {'repro' if len(specs) == 1 else 'repros'}")
            start(world, specs)
            found |= collect(world, session.began, ids)
            if any(one.outcome is Outcome.CANCELLED for one in world.store.some(_there(world, session.began))):
                break
    undone = {one.spec.test_id: one for one in world.store.some(_there(world, session.began))}
    return [found.get(id) or undone[id] for id in ids]


def _launch_alone(world: WorkflowContext, specs: Sequence[RunSpec]) -> None:
    launch_all(world.store, specs, provenance=world.surroundings.survey.to_json())


def _there(world: WorkflowContext, run_ids: Sequence[str]) -> list[str]:
    """Those of `run_ids` that have a directory."""
    return [run for run in dict.fromkeys(run_ids) if world.store.directory(run).is_dir()]


def _result_of(record: RunRecord) -> dict[str, object]:
    return {
        "id": record.spec.test_id,
        "outcome": str(record.outcome or record.state),
        "run": record.spec.run_id,
        "summary": record.summary,
        "result": None if record.result is None else dict(record.result),
    }


def _seen(world: WorkflowContext) -> dict[str, frozenset[str]]:
    """The output classes that CPU repros here have shown, by loader directory."""
    found: dict[str, set[str]] = {}
    for record in world.store.records():
        if record.spec.kind == "cpu" and record.spec.cwd == world.root:
            one = Repro.of(_result_of(record))
            if one.output is not None:
                directory = CaseEntry(one.id, "").directory
                found.setdefault(directory, set()).add(str(one.output.get("class")))
    return {directory: frozenset(names) for directory, names in found.items()}


def _task(world: WorkflowContext, entries: Sequence[CaseEntry]) -> str:
    infos = (info_of(world.infos, member.id) for member in entries)
    return next((info.task for info in infos if info), "")


_ALSO, _VARIANT, _NONCE = "--also=", "--variant=", "--nonce="


@dataclass(frozen=True, slots=True)
class Guest:
    """A variant that runs in the interpreter of another one's run."""

    run_id: str
    """Id of the run that it becomes afterwards."""
    nonce: str
    variant: str


def shared(specs: Sequence[RunSpec], slots: int) -> list[RunSpec]:
    """The runs to start for `specs`: per loader at most as many as keep `slots` busy, the others as their guests."""
    by_loader = [list(group) for _, group in groupby(sorted(specs, key=_alike), key=_alike)]
    lanes = max(1, slots // max(1, len(by_loader)))
    found = [
        _hosting(group[lane::lanes])
        for group in by_loader
        for lane in range(min(lanes, len(group)))
        if group[lane::lanes]
    ]
    order = [spec.run_id for spec in specs]
    return sorted(found, key=lambda spec: order.index(spec.run_id))


def guests(spec: RunSpec) -> list[Guest]:
    """The guests of a run, in the order in which they run; the host comes last."""
    words = [word.removeprefix(_ALSO).split("=", 2) for word in spec.argv if word.startswith(_ALSO)]
    return [Guest(*word) for word in words if len(word) == 3]


def unpack(store: RunStore, host: RunRecord, spec_of: Callable[[Guest], RunSpec | None]) -> None:
    """Create a run for each guest of the ended run `host` that produced a result; skips those created already.

    `spec_of` returns the plan of the run that the guest would have been alone; None: it is not wanted.
    """
    if host.active:
        return
    try:
        text = read_bytes(host.log, None).decode("utf-8", "replace")
    except OSError:
        return
    for guest in guests(host.spec):
        section, text = _section(text, guest.nonce)
        result = parse_result(section, guest.nonce)
        spec = spec_of(guest) if result is not None and not store.directory(guest.run_id).exists() else None
        if result is None or spec is None:
            continue
        spec = _as_guest(spec, guest, host.spec)
        store.create(spec, _provenance(host.directory), log=section, events=_life(host, spec, result))


def _provenance(directory: Path) -> str:
    """The recorded provenance of checkout and interpreter; empty: none."""
    try:
        return read_loosely(directory / PROVENANCE)
    except OSError:
        return ""


def _life(host: RunRecord, spec: RunSpec, result: Mapping[str, Any]) -> tuple[Started, Finished]:
    said = RunResult(result)
    phases = said.phases
    code = 2 if said.problem is not None else 0 if phases and phases[0].ok else 1
    seconds = sum(phase.seconds for phase in phases)
    outcome = judge(code, result)
    return (
        Started(host.started or time.time(), own_identity(), spec.argv, host.tree),
        Finished(time.time(), outcome, seconds, exit_code=code, result=result, edited=host.edited),
    )


def is_host_without_result(record: RunRecord) -> bool:
    """Whether a run with guests ended without a result of its own: one of the guests may have ended it."""
    return bool(guests(record.spec)) and record.result is None


def _alike(spec: RunSpec) -> tuple[str, ...]:
    """What runs must have in common to share an interpreter: everything except the variant."""
    return tuple(word for word in spec.argv if not word.startswith((_VARIANT, _NONCE)))


def _hosting(group: Sequence[RunSpec]) -> RunSpec:
    """The last of `group`, with the others as its guests."""
    *others, host = group
    also = [f"{_ALSO}{one.run_id}={one.nonce}={_variant(one)}" for one in others]
    return replace(host, argv=(*host.argv, *also), timeout=host.timeout * len(group)) if also else host


def _variant(spec: RunSpec) -> str:
    return next((word.removeprefix(_VARIANT) for word in spec.argv if word.startswith(_VARIANT)), "")


def _as_guest(spec: RunSpec, guest: Guest, host: RunSpec) -> RunSpec:
    argv = [f"{_NONCE}{guest.nonce}" if word.startswith(_NONCE) else word for word in spec.argv]
    env = {**spec.env, RUN_VARIABLE: guest.run_id}
    named = {"run_id": guest.run_id, "nonce": guest.nonce, "batch": host.batch, "created": host.created}
    return replace(spec, argv=tuple(argv), env=env, **named)  # type: ignore[arg-type]


def _section(text: str, nonce: str) -> tuple[str, str]:
    """The part of a log up to the result line with `nonce`, and the rest; an empty part if there is no such line."""
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if line.startswith(RESULT_PREFIX) and parse_result(line, nonce) is not None:
            return text[:at], text[at:]
    return "", text
