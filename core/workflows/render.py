# SPDX-License-Identifier: Apache-2.0
"""The report of a workflow as Markdown, in the order in which a reviewer asks."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.base.text import one_line
from core.runs.store import Phase
from core.workflows.case import Case
from core.workflows.driver import Blocked, Progress, in_work_tree, is_committed
from core.workflows.report import CpuLine, Decided, WorkflowReport

_LEAVES = 12
_APPLY = " --apply"
_MODELS = "third_party/tt_forge_models"


def markdown(progress: Progress, yaml_diff: str, *, applies: bool = False) -> str:
    """The whole report, including which edits are in the work tree now.

    `yaml_diff` is the diff of the operations; `applies`: whether writing them was asked for.
    """
    state = progress.session.state
    report = state.report or WorkflowReport()
    sections = [
        _head(state.case, report),
        *_section("CPU", (line for one in report.cpu for line in _cpu(one))),
        *_section("Output", _output(report)),
        *_section("Loader", _loader(report)),
        *_section("Scope", _scope(report)),
        *_section("Device", _device(progress, report, applies=applies)),
        *_section("Expectations", _fenced("diff", yaml_diff)),
        *_section("To choose", _question(state.case, progress.blocked, applies=applies)),
        *_section("For review", (f"- {one_line(line)}" for line in report.review)),
        *_section("Reminders", _reminders(progress, report)),
    ]
    return "\n".join(sections).rstrip("\n") + "\n"


def diff_of(report: WorkflowReport) -> str:
    """One unified diff of the edits that are a part of the result, with paths relative to the checkout."""
    return "".join(edit.diff(path) for path, edit in report.edits.items())


def _head(case: Case, report: WorkflowReport) -> str:
    target = case.target
    before = ", ".join(filter(None, (target.status, str(target.fields.get("bringup_status") or ""))))
    lines = [
        f"# {one_line(case.id)}",
        "",
        f"- loader: `{case.loader}`",
        f"- entry: `{target.file}`: {before}" + (f": {one_line(target.reason)}" if target.reason else ""),
        *([f"- model: {', '.join(map(one_line, case.pages))}"] if case.pages else []),
        *(_before(one) for one in report.earlier),
        f"- workflow: {report.workflow or 'none'}" + (f": {one_line(report.chosen)}" if report.workflow else ""),
    ]
    if report.flavour:
        lines.append(f"- flavour: {report.flavour}")
    if report.decision:
        lines.append(f"- decision: **{report.decision}**: {one_line(report.why)}")
    if report.aborted is not None:
        lines.append(f"- aborted: {one_line(report.aborted)}")
    return "\n".join(lines) + "\n"


def _before(one: Decided) -> str:
    return f"- first, {one.workflow} ({one.flavour}): **{one.decision}**: {one_line(one.why)}"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield f"## {title}\n\n" + "\n".join(found).lstrip("\n") + "\n"


def _cpu(line: CpuLine) -> Iterator[str]:
    one = line.repro
    yield f"- {line.when}, {one_line(one.id)} (run {one.run})"
    if one.low is None and one.full is None:
        yield f"  - {one_line(one.problem or one.summary or one.outcome)}"
    for phase in (one.low, one.full):
        if phase is not None:
            yield f"  - {phase.dtype}: {'ok' if phase.ok else f'{phase.step}: {one_line(phase.error)}'}"
            if not phase.ok and phase is one.low and (inputs := _inputs(phase)):
                yield f"    - inputs: {inputs}"


def _inputs(phase: Phase) -> str:
    leaves = phase.inputs
    words = [f"{leaf.get('name')} {leaf.get('dtype') or leaf.get('type')}" for leaf in leaves[:_LEAVES]]
    return one_line(", ".join(words) + (", ..." if len(leaves) > _LEAVES else ""))


def _output(report: WorkflowReport) -> Iterator[str]:
    """The structure of the output, only if the workflow is about it."""
    target = next((line.repro for line in report.cpu if line.repro.output), None)
    workflows = {report.workflow, *(one.workflow for one in report.earlier)}
    if target is None or target.output is None or "unpack-forward-output" not in workflows:
        return
    yield f"`{target.output.get('class')}` of `{target.output.get('module')}`"
    yield ""
    leaves: Sequence[Mapping[str, object]] = target.output.get("leaves") or ()
    for leaf in leaves[:_LEAVES]:
        yield f"- `{one_line(str(leaf.get('name')))}`: {leaf.get('type')} {leaf.get('dtype') or ''} {leaf.get('shape')}"
    if len(leaves) > _LEAVES:
        yield f"- and {len(leaves) - _LEAVES} more"


def _loader(report: WorkflowReport) -> Iterator[str]:
    for path, edit in report.edits.items():
        yield f"- `{path}:{edit.line}`: {one_line(edit.summary)}"
    for line in report.tried:
        yield f"- reverted: {one_line(line)}"
    yield from (f"- {one_line(line)}" for line in report.reach)
    yield from _fenced("diff", diff_of(report))


def _scope(report: WorkflowReport) -> Iterator[str]:
    named = {member.id for member in report.scope}
    for member in report.scope:
        yield f"- {one_line(member.id)}: {one_line(report.states.get(member.id, 'not decided yet'))}"
    for id, state in report.states.items():
        if id not in named:
            yield f"- {one_line(id)}: {one_line(state)}"


def _device(progress: Progress, report: WorkflowReport, *, applies: bool) -> Iterator[str]:
    blocked = progress.blocked
    if report.device_by:
        yield f"- by {one_line(report.device_by)}: the policy of this checkout accepts that as a device"
    for one in report.device:
        yield f"- {one_line(one.id)}: {one.ending.words}" + (
            f": {one_line(one.reason.splitlines()[0])}" if one.reason else ""
        )
    if report.unverified:
        yield "- not run: there is no device here; the CPU shows the failure, which comes before any compilation"
    if blocked and blocked.command:
        yield from _command(progress, report, blocked)
        yield ""
        yield "Then continue with:"
        yield from _fenced("sh", go_on(blocked, applies=applies))


def _command(progress: Progress, report: WorkflowReport, blocked: Blocked) -> Iterator[str]:
    yield f"Not run here: {one_line(blocked.why)}. A CPU run proves nothing about a device."
    where = "On a machine with a device"
    if blocked.stand_in:
        where = "The policy of this checkout accepts ttmatrix's own runner on a CPU as a device, so run it here"
    if report.edits:
        there = in_work_tree(progress.session)
        where += ", where the loader edit is in place" if there else "; this puts the loader edit in and takes it out"
    yield f"{where}:"
    yield from _fenced("sh", device_steps(progress))


def device_steps(progress: Progress) -> str:
    """The shell lines that make the device run on the edited loader, whether or not the edit is in the work tree."""
    if progress.blocked is None or not progress.blocked.command:
        return ""
    command = progress.blocked.command
    report = progress.session.state.report
    diff = diff_of(report) if report else ""
    if not diff or in_work_tree(progress.session):
        return command
    git = f"git -C {shlex.quote(str(progress.blocked.root))} apply"
    return "\n".join([_applied(git, diff), command, _applied(f"{git} -R", diff)])


def _applied(command: str, diff: str) -> str:
    # Each line of a diff begins with one of a few characters, so none is the delimiter.
    return f"{command} <<'END_OF_EDIT'\n{diff.rstrip(chr(10))}\nEND_OF_EDIT"


def _question(case: Case, blocked: Blocked | None, *, applies: bool) -> Iterator[str]:
    if blocked is None or blocked.question is None:
        return
    yield one_line(blocked.question.question)
    yield ""
    for number, choice in enumerate(blocked.question.choices, 1):
        yield f"{number}. {one_line(choice)}"
    yield ""
    yield f"Choose with: `ttmatrix triage {shlex.quote(case.id)} --choose N{_APPLY if applies else ''}`"


def go_on(blocked: Blocked, *, applies: bool) -> str:
    """The command that resumes after a device run, with the same options; empty if it waits for no device."""
    return f"{blocked.go_on}{_APPLY if applies else ''}" if blocked.go_on else ""


def _reminders(progress: Progress, report: WorkflowReport) -> Iterator[str]:
    """Reminders by the actual state of the work tree, whatever was asked for."""
    yield "- the inference expectations are not touched"
    written = progress.session.applied
    if not report.edits:
        if report.operations and not written:
            yield "- the expectations are not written: `--apply` does that"
        return
    if not in_work_tree(progress.session):
        yield f"- the loader edit is not in the work tree of the submodule {_MODELS}"
        yield "- `--apply` puts it there and writes the expectations"
        return
    committed = is_committed(progress.session)
    where = "committed in" if committed else "uncommitted in the work tree of"
    yield f"- the loader edit is {where} the submodule {_MODELS}"
    if not committed:
        yield "- `ttmatrix loaders --check` runs the pre-commit hooks of the submodule on it"
    if written:
        yield f"- {'' if committed else 'commit it there on a branch of its own, and '}move the pointer of the checkout"
    else:
        yield "- the expectations are not written yet"


def _fenced(kind: str, text: str) -> Iterator[str]:
    if text:
        yield ""
        yield f"```{kind}"
        yield text.rstrip("\n")
        yield "```"
