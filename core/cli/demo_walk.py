# SPDX-License-Identifier: Apache-2.0
"""The whole job once, without a screen, on the sample checkout: nightly results, a report, a proposal, a commit."""

from dataclasses import dataclass, replace
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import run_command
from core.base.text import counted, one_line, printable, sentence
from core.cli import records
from core.cli.context import Context
from core.cli.history_report import headline
from core.cli.runs_common import run_record
from core.cli.workflow_report import device_record
from core.edits import EditPlan, effect
from core.edits.commit import CommitDraft, commit
from core.edits.pending import Workbench
from core.evidence import policy_of
from core.history import read_history
from core.matrix import Matrix, index, status_on
from core.matrix.cache import Cache
from core.matrix.query import Query, select
from core.providers import model_infos
from core.runs import shell_command
from core.runs.log import LogFile
from core.runs.store import RunRecord, RunStore
from core.sources import find_checkout
from core.workflows import (
    Blocked,
    Progress,
    UserInput,
    WorkflowContext,
    WorkflowReport,
    WorkflowSession,
    drive,
    leave,
    open_session,
    operations_of,
    plan_of,
    sessions_directory,
    take,
    workflow_lock,
)
from core.workflows.procedures import AUTO

STALE = "patch_vit/pytorch-Small_Patch8-single_device-training"
"""A test of the sample that is expected to fail and passes."""

_QUERY = "status:xfail mode:training framework:pytorch"
_LOG_LINES, _REPORT_LINES = 8, 3
_NO_PROOF = """\
  It passes on the CPU. That proves nothing about a device, so nothing is promoted yet: the workflow stops, names
  the command to run, and waits for its report"""
_NO_HARDWARE = """\
The sample has no hardware, so its ttmatrix-policy.toml accepts the CPU as a device. No real checkout should.
"""
_REPORT_SECONDS = 900.0
_NAME, _EMAIL = "ttmatrix demo", "demo@ttmatrix.example"
# git may have no user name and email on this machine.
_AS_DEMO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", _NAME), ("EMAIL", _EMAIL))
}
_SHELL = "/bin/sh"
_AUTO = "auto"
_BACKENDS = {"eager": "  Without torch-xla nothing is compiled: the model is compared with itself."}


@dataclass(frozen=True, slots=True)
class _Decided:
    """The result of the workflow, with its evidence."""

    progress: Progress
    repro: RunRecord
    blocked: Blocked
    planned: EditPlan

    @property
    def report(self) -> WorkflowReport:
        report = self.progress.session.state.report
        assert report is not None, "it has been driven"
        return report


def walk(directory: Path, context: Context) -> None:
    """Do the job on the sample checkout in `directory`. Raises TTMatrixError if a step does not end as expected.

    The transcript goes to standard output, with `--json` to standard error beside the one document.
    """
    matrix = index(find_checkout(directory, upward=False))
    root = sessions_directory(context.paths.state, matrix.checkout.root)
    _list(matrix, context)
    with workflow_lock(root):
        world = _world(matrix, context)
        decided = _decide(world, root, context)
        revision = _commit(world, decided, context)
    if context.console.json:
        context.console.document(_document(directory.absolute(), decided, revision))


def _list(matrix: Matrix, context: Context) -> None:
    """Show the starting point: what nightlies once showed and entries still say."""
    rows = select(matrix, Query.parse(_QUERY))
    tests, loaders = counted(len(matrix.universe()), "test"), counted(len(matrix.loaders), "loader")
    _step(context, f"{tests} of {loaders}; {len(rows)} match {_QUERY}")
    for row in rows:
        _say(context, f"  {matrix.ids[row]}")
        _say(context, f"      {one_line(str(matrix.entries[matrix.ids[row]].fields.get('reason') or ''))}")
    _step(context, f"One of them, as old nightly runs left it: {STALE}")
    entry = matrix.entries[STALE]
    for name, value in entry.fields.items():
        _say(context, f"  {name}: {one_line(str(value))}")
    timeline = read_history(Cache(matrix.checkout, context.paths.cache / "index"), matrix).counting.get(STALE)
    if timeline is not None and timeline.steps:
        _say(context, f"  since {headline(timeline.steps[0].commit)}")


def _world(matrix: Matrix, context: Context) -> WorkflowContext:
    infos = model_infos(Cache(matrix.checkout, context.paths.cache / "index"), matrix)
    world = WorkflowContext(matrix, infos, context.settings, RunStore(context.paths.runs))
    world.said = lambda text: _say(context, f"  ... {text}")
    world.stand_in = policy_of(matrix.checkout, context.paths).policy.cpu_counts_as_device
    if context.settings.backend == _AUTO:
        # One of the others takes minutes to compile even such a small model.
        versions = world.surroundings.survey.versions or {}
        world.settings = replace(context.settings, backend="xla" if versions.get("torch_xla") else "eager")
    return world


def _decide(world: WorkflowContext, root: Path, context: Context) -> _Decided:
    """Go from the CPU repro to the proposal, by way of the report that the workflow asks for."""
    _step(context, f"ttmatrix triage {STALE}")
    session = open_session(world, root, STALE, AUTO, again=False)
    stopped = drive(world, session, UserInput())
    repro = _repro(world, session, context)
    if stopped.blocked is None or not stopped.blocked.command:
        report = session.state.report
        raise TTMatrixError(f"The triage of {STALE} ended early", report.aborted or report.decision if report else "")
    _say(context, f"{_NO_PROOF} ({one_line(stopped.blocked.why)}).")
    file = _make_report(world, stopped.blocked, context)
    _step(context, stopped.blocked.go_on)
    try:
        progress = drive(world, session, UserInput(device_result=file))
    except TTMatrixError:
        leave(world, stopped)
        raise
    planned = plan_of(world.matrix, operations_of(progress))
    decided = _Decided(progress, repro, stopped.blocked, planned)
    _print_decision(world, decided, context)
    return decided


def _repro(world: WorkflowContext, session: WorkflowSession, context: Context) -> RunRecord:
    report = session.state.report
    if report is None or not report.cpu:
        raise TTMatrixError(f"{STALE} was not run")
    record = world.store.record(report.cpu[0].repro.run)
    _say(context, f"  {shell_command(record.spec)}")
    log = LogFile(record.log)
    while log.poll():
        pass
    # The last line is the report in its form for programs.
    for line in log.lines(max(0, log.line_count - 1 - _LOG_LINES), _LOG_LINES):
        _say(context, f"  | {line}")
    _say(context, f"  {record.outcome} after {record.seconds or 0:.1f} s: {record.summary}")
    if report.aborted is not None:
        raise TTMatrixError(f"The run of {STALE} ended with {record.outcome}", report.aborted, f"See {record.log}")
    return record


def _make_report(world: WorkflowContext, blocked: Blocked, context: Context) -> Path:
    """Run exactly the command that the workflow names."""
    backend = world.settings.backend
    _step(context, f"The device report: here from ttmatrix's own runner on the CPU, backend {backend}")
    _say(context, f"  {_NO_HARDWARE}{_BACKENDS.get(backend, '')}")
    _say(context, f"  {blocked.command}")
    _say(context, "  ... running it; compiling takes most of the time")
    done = run_command([_SHELL, "-c", blocked.command], cwd=world.root, timeout=_REPORT_SECONDS)
    for line in [line for line in done.stdout.splitlines() if line.strip()][-_REPORT_LINES:]:
        _say(context, f"  | {line}")
    if blocked.report is None or not blocked.report.is_file():
        raise TTMatrixError("The runner wrote no report", done.stderr.strip() or done.stdout.strip())
    return blocked.report


def _print_decision(world: WorkflowContext, decided: _Decided, context: Context) -> None:
    report, planned = decided.report, decided.planned
    _say(context, f"  {report.workflow}: {report.decision}: {one_line(report.why)}")
    for one in report.device:
        _say(context, f"  {one_line(one.id)}: {one.ending.words}, by {report.device_by or 'a device'}")
    if planned.rejected:
        raise TTMatrixError("The edit was rejected", planned.rejected[0].why)
    if not planned.applied:
        raise TTMatrixError(f"The report does not show that {STALE} passes", "; ".join(report.review))
    _step(context, "The proposal and its effect")
    _say(context, planned.diff().rstrip())
    for change in effect(world.matrix, planned):
        _say(context, f"  {change.arch}: {change.before} -> {change.after}")


def _commit(world: WorkflowContext, decided: _Decided, context: Context) -> str:
    checkout, bench = world.matrix.checkout, Workbench(world.matrix.checkout, context.paths.journal)
    with bench.alone("writing expectations"):
        take(world, bench, [decided.progress], decided.planned)
    draft = CommitDraft(_message(decided), decided.planned.applied)
    (revision,) = commit(find_checkout(checkout.root, upward=False), [draft], environ=_AS_DEMO).revisions
    entry = index(find_checkout(checkout.root, upward=False)).entries.get(STALE)
    _step(context, f"Committed as {revision[:10]}; nothing is pushed. The file now says {status_on(entry, None)}")
    for line in draft.message.splitlines():
        _say(context, f"  | {line}".rstrip())
    return revision


def _message(decided: _Decided) -> str:
    """The subject, and the evidence by name."""
    report, record = decided.report, decided.repro
    shown = [f"- {one.id}: {one.ending.words}" for one in report.device]
    lines = [
        f"Expect {STALE} to pass",
        "",
        sentence(f"{report.workflow}: {report.why}"),
        "",
        f"Report by {report.device_by or 'a device'}:",
        *shown,
        f"CPU repro {record.spec.run_id}: {record.summary}",
    ]
    return "\n".join(lines)


def _document(directory: Path, decided: _Decided, revision: str) -> records.DemoWalk:
    return records.DemoWalk(
        directory=str(directory),
        id=STALE,
        run=run_record(decided.repro),
        command=decided.blocked.command,
        device=[device_record(one) for one in decided.report.device],
        device_by=decided.report.device_by or None,
        decision=decided.report.decision,
        diff=decided.planned.diff(),
        commit=revision,
    )


def _step(context: Context, text: str) -> None:
    _say(context, f"\n== {text}")


def _say(context: Context, text: str) -> None:
    console = context.console
    print(printable(text), file=console.err if console.json else console.out, flush=True)
