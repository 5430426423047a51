# SPDX-License-Identifier: Apache-2.0
"""The whole job once, without a screen: list, run, edit, diff, commit on the sample checkout, told as it goes."""

from pathlib import Path

from core.cli.context import Context
from core.cli.run_report import record_document
from core.edits.bulk import ENTRY_SCOPE, set_fields
from core.edits.commit import Draft, commit
from core.edits.effect import effect
from core.edits.plan import EditPlan, plan, write
from core.errors import TTMatrixError
from core.matrix.effective import status_on
from core.matrix.fields import select
from core.matrix.index import index
from core.matrix.matrix import Matrix
from core.matrix.query import Query
from core.runs.launch import launch, wait
from core.runs.outcome import Outcome
from core.runs.plan import plan_test
from core.runs.record import RunRecord
from core.runs.spec import shell_command
from core.runs.store import RunStore
from core.runs.tail import LogFile
from core.sources.checkout import find_checkout
from core.text import printable

STALE = "patch_vit/pytorch-Small_Patch8-single_device-training"
"""A test of the sample that is expected to fail and passes."""

_QUERY = "status:xfail mode:training framework:pytorch"
_PROMOTED = {"status": "EXPECTED_PASSING", "bringup_status": "", "reason": ""}
_LOG_LINES = 8
_NAME, _EMAIL = "ttmatrix demo", "demo@ttmatrix.example"
# The machine may be one that nobody has introduced themselves to.
_AS_DEMO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", _NAME), ("EMAIL", _EMAIL))
}


def walk(directory: Path, context: Context) -> None:
    """Do the job on the sample checkout in `directory`. Raises TTMatrixError where a step does not end as it must.

    The transcript goes to standard output, with `--json` to standard error beside the one document.
    """
    matrix = index(find_checkout(directory, upward=False))
    _list(matrix, context)
    record = _run(matrix, context)
    if record.outcome is not Outcome.PASS:
        raise TTMatrixError(f"The run of {STALE} ended with {record.outcome}", record.summary, f"See {record.log}")
    planned = _edit(matrix, context)
    revision = _commit(directory.absolute(), planned, context)
    if context.console.json:
        context.console.document(
            {
                "directory": str(directory.absolute()),
                "id": STALE,
                "run": record_document(record),
                "diff": planned.diff(),
                "commit": revision,
            }
        )


def _list(matrix: Matrix, context: Context) -> None:
    rows = select(matrix, Query.parse(_QUERY))
    _step(context, f"{len(matrix.universe()):,} tests of {len(matrix.loaders)} loaders; {len(rows)} match {_QUERY}")
    for row in rows:
        _say(context, f"  {matrix.ids[row]}")


def _run(matrix: Matrix, context: Context) -> RunRecord:
    store = RunStore(context.paths.runs)
    spec = plan_test(matrix, STALE, context.settings, runs=store.root)
    _step(context, f"Run {STALE} on the CPU")
    _say(context, f"  {shell_command(spec)}")
    (record,) = wait(store, [launch(store, spec).spec.run_id])
    log = LogFile(record.log)
    while log.poll():
        pass
    # The last line is the report for programs.
    for line in log.lines(max(0, log.line_count - 1 - _LOG_LINES), _LOG_LINES):
        _say(context, f"  | {line}")
    _say(context, f"  {record.outcome} after {record.seconds or 0:.1f} s: {record.summary}")
    return record


def _edit(matrix: Matrix, context: Context) -> EditPlan:
    _step(context, "It passes, so its entry is stale: promote it")
    operations = set_fields(matrix, [STALE], ENTRY_SCOPE, _PROMOTED)
    planned = plan(matrix.checkout.test_config, operations, matrix.schema)
    if planned.rejected:
        raise TTMatrixError("The edit was rejected", planned.rejected[0].why)
    _say(context, planned.diff().rstrip())
    for change in effect(matrix, planned):
        _say(context, f"  {change.arch}: {change.before} -> {change.after}")
    return planned


def _commit(root: Path, planned: EditPlan, context: Context) -> str:
    write(planned)
    draft = Draft(f"Expect {STALE} to pass\n\nIts CPU repro passes.", planned.applied)
    (revision,) = commit(find_checkout(root, upward=False), [draft], environ=_AS_DEMO).revisions
    entry = index(find_checkout(root, upward=False)).entries.get(STALE)
    _step(context, f"Committed as {revision[:10]}; nothing is pushed. The file now says {status_on(entry, None)}.")
    return revision


def _step(context: Context, text: str) -> None:
    _say(context, f"\n== {text}")


def _say(context: Context, text: str) -> None:
    console = context.console
    print(printable(text), file=console.err if console.json else console.out)
