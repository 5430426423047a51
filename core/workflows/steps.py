# SPDX-License-Identifier: Apache-2.0
"""The steps that workflows have in common: reproduce, confirm the scope, edit, take back."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from core.workflows.case import Case, CaseEntry
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.report import CpuLine, WorkflowReport, abort
from core.workflows.repro import Repro
from core.workflows.requests import EditLoader, RevertLoader, RunCpu, Steps

BEFORE, AFTER = "before", "after"

_ORDER = ("import", "load_model", "load_inputs", "forward", "unpack", "backward")


def reproduce(report: WorkflowReport, ids: Iterable[str], when: str, why: str) -> Steps[dict[str, Repro]]:
    """Run CPU repros, by id. Before an edit, tests that were run on the same code are not run again."""
    known = report.baseline if when == BEFORE else {}
    wanted_ids = tuple(dict.fromkeys(ids))
    missing = tuple(id for id in wanted_ids if id not in known)
    found: dict[str, Repro] = {}
    if missing:
        raw = yield RunCpu(missing, why)
        found = {one.id: one for one in map(Repro.of, raw)}
        report.cpu += [CpuLine(AFTER if report.edits else BEFORE, one) for one in found.values()]
        if when == BEFORE:
            report.baseline |= found
    return {id: found[id] if id in found else known[id] for id in wanted_ids}


def first_look(case: Case, report: WorkflowReport) -> Steps[Repro]:
    """The CPU repro of the target before any edit; aborts if it produced no result."""
    one = (yield from reproduce(report, [case.id], BEFORE, "as it is"))[case.id]
    if one.problem:
        abort(f"This machine cannot run the model: {one.problem}", environment=True)
    if one.low is None or one.full is None:
        abort(f"The CPU repro came to no result: {one.outcome}: {one.summary}. Nothing was edited.")
    return one


def confirm(
    case: Case,
    report: WorkflowReport,
    target: Repro,
    fits: Callable[[Repro], bool],
    members: Sequence[CaseEntry] | None = None,
) -> Steps[dict[str, Repro]]:
    """The members that fail as the target does, each shown by its own CPU repro; they join the scope."""
    candidates = case.scope if members is None else members
    others = [member for member in candidates if member.id != case.id]
    repros = yield from reproduce(report, [member.id for member in others], BEFORE, "what else an edit may change")
    confirmed = {case.id: target}
    earlier = {member.id for member in report.scope}
    for member in others:
        one = repros[member.id]
        if fits(one):
            confirmed[member.id] = one
            report.take_in(member.id)
        elif member.id in earlier:
            continue  # The workflow before this one has changed it, and decides it.
        elif one.ok:
            report.states[member.id] = "unchanged: passes on CPU as it is"
        else:
            note = f"was left out: {one.problem or one.summary or one.outcome}"
            report.leave_out(member.id, "unchanged: fails differently, or could not be run", note)
    report.scope = [
        *(member for member in (case.target, *others) if member.id in {*confirmed, *earlier}),
        *(member for member in report.scope if member.id not in {case.id, *(one.id for one in others)}),
    ]
    return confirmed


def leave_failing(
    report: WorkflowReport, confirmed: Iterable[str], after: Mapping[str, Repro], fails: Callable[[Repro], bool]
) -> None:
    """Leave members that the edit did not help to a person, unless an edit before it has changed them."""
    for id in confirmed:
        one = after[id]
        if (one.low is None or fails(one)) and id not in report.settled:
            report.scope = [member for member in report.scope if member.id != id]
            report.leave_out(id, "unchanged: still fails with the edit", f"still fails with the edit: {one.summary}")


def set_back(after: Repro, before: Repro) -> bool:
    """Whether a model gets less far than before: then the edit is wrong."""
    if after.low is None or before.low is None or after.ok or before.ok:
        return False
    return _ORDER.index(after.low.step) < _ORDER.index(before.low.step)


def others_passing(case: Case, report: WorkflowReport, confirmed: Iterable[str]) -> list[str]:
    """The other tests of the same code that pass without the edit: they must pass with it."""
    mine = set(confirmed)
    return [
        member.id
        for member in case.scope
        if member.id not in mine and member.id in report.baseline and report.baseline[member.id].ok
    ]


def broken(report: WorkflowReport, ids: Iterable[str], after: Mapping[str, Repro]) -> str:
    """Which of `ids` fail with the edit, as part of a sentence; empty: none."""
    lost = [id for id in ids if not after[id].ok]
    report.review += [f"the edit breaks {id}: {after[id].summary or after[id].outcome}" for id in lost]
    return f"{', '.join(lost)} failed, which passed before" if lost else ""


def put(report: WorkflowReport, path: str, edit: SourceEdit) -> Steps[None]:
    """Make an edit; on top of an earlier one of the same file, both become one."""
    if (earlier := report.edits.get(path)) is not None:
        yield RevertLoader(path, earlier)
        del report.edits[path]
        edit = earlier.then(edit)
    yield EditLoader(path, edit)
    report.edits[path] = edit


def take_back(report: WorkflowReport, why: str) -> Steps[None]:
    """Revert every edit that is in place, except for those of the workflows before this one."""
    for path, edit in reversed(tuple(report.edits.items())):
        kept = report.kept.get(path)
        if edit == kept:
            continue
        yield RevertLoader(path, edit)
        del report.edits[path]
        report.tried.append(f"{path}:{edit.line}: {edit.last_summary}: {why}")
        if kept is not None:
            yield EditLoader(path, kept)
            report.edits[path] = kept
