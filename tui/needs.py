# SPDX-License-Identifier: Apache-2.0
"""What must be there for a command to do anything, in the words that say that it is not. The one table of it.

Help and the command line show these words in place of what the command does, and a press of its key says them.
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from tui.effects import refusal
from tui.keymap import Keymap, with_keys

_COMMAND = re.compile(r"\{([\w.]+)\}")


class Need(StrEnum):
    """A precondition, as it reads where it is not met. `{matrix.group}` is the key of that command."""

    VIEW_BEFORE = "There is no view before this one."
    NEXT_VIEW = "There is no next view."
    PREVIOUS_VIEW = "There is no previous view."
    DIVIDER = "No divider can be moved here."
    PANE = "There is no other pane here."
    TESTS = "No test is marked or under the cursor."
    ROWS = "No test matches the filter."
    TEST = "No single test is under the cursor."
    MODEL = "This is for tests of models."
    TORCH = "A JAX model has no ops of torch."
    OP_CASES = "Only op cases have results on several backends."
    WORKFLOW_FITS = "No workflow fits: workflows are for training entries of PyTorch models on a single device."
    LOADER = "Only tests of models have a loader: {matrix.open} opens the file of this row."
    HISTORY = "Only entries have a history here: git log shows that of other files."
    REAL = "This is a placeholder: there is no model to run yet."
    RUN_HERE = "This test has not been run here yet: {matrix.run} runs it."
    MARKS = "Nothing is marked."
    NO_GRID = "This does not work in a grid: {matrix.grid} shows the table."
    COLUMNS = "There is only one column."
    GROUPS = "The rows are not grouped: {matrix.group} groups them."
    RUN = "No run is listed."
    RUNNING = "These runs have ended."
    QUEUED = "None of these runs is queued."
    TWO_RUNS = (
        "Mark two runs with {runs.mark}, or mark one and go to the other; then {runs.compare} compares their logs."
    )
    OTHER_CHECKOUTS = "There are no runs of other checkouts."
    RUN_FILES = "This run has no files besides its log."
    SOURCE = "This run names no line of a model; one of kind bisect or extract may."
    FAILURE = "This run has passed: there is no failure to explain."
    FILTERS = "The log has no filter: {log.filter} sets one."
    UNDECIDED = "Nothing else is undecided."
    LISTED_TEST = "No test is under the cursor."
    UNDO = "There is no step to undo."
    REDO = "There is no step to redo."
    CHANGE = "No change is under the cursor."
    ACCEPTED = "Nothing is accepted yet: {review.accept} accepts the change under the cursor."
    COMMITTABLE = "Nothing is accepted or written yet."
    CONFLICT = "This change has no conflict."
    CLUSTER = "No cluster is under the cursor."
    TWO_RESULTS = "There are no two runs to compare."
    DIFFERENCE = "No difference is under the cursor."
    PROFILE_ROW = "No run of a profile is under the cursor: {runs.profiles} on a run lists the profiles of its batch."
    OTHER_PROFILE = "There are no two runs to compare yet."
    ROW_RUN = "No run of this row has started yet: {app.runs} shows the queue."
    PROGRAM = "This run wrote no IR: a profile with dump = true writes it (not on eager)."
    TWO_PROGRAMS = "Mark a program with {programs.mark}, go to another one; then {programs.compare} compares them."
    FINDING = "There is no finding under the cursor."
    TEST_OF_FINDING = "This finding is not about a single test."
    FIX = "This finding has no automatic fix: {doctor.open} opens the file."
    WORKFLOW = "There is no workflow yet: {matrix.triage} in the matrix starts one."
    READY = "This workflow has nothing to accept yet."
    DEVICE = "This workflow needs no device run."
    PLANNED = "There is nothing to queue."
    OTHER_HOST = "No other machine is under the cursor: `ttmatrix hosts add` adds one."
    OTHER_HOSTS = "The hosts file names no other machine: `ttmatrix hosts add` adds one."
    HOST_UP = "No worker runs on this machine: {hosts.up} on another machine starts one."
    RUN_THERE = "Nothing runs there."
    REPORTED = "No group, test or run is under the cursor."
    RESULTS = "There are no results: `ttmatrix ingest --from-github` downloads the reports of CI."

    def words(self, keymap: Keymap, *, read_only: bool = False) -> str:
        """The words, with the keys that commands have now, as `advice`."""
        return advice(self.value, keymap, read_only=read_only)


def advice(words: str, keymap: Keymap, *, read_only: bool) -> str:
    """What is so, and which key does something about it; a read-only app says only what is so if it refuses that."""
    if any(refusal(id, read_only=read_only) for id in _COMMAND.findall(words)):
        return f"{words.partition('{')[0].rstrip(' .:')}."
    return with_keys(words, keymap)


BEFORE: Mapping[Need, Need] = {
    Need.MODEL: Need.TEST,
    Need.TORCH: Need.MODEL,
    Need.OP_CASES: Need.TESTS,
    Need.WORKFLOW_FITS: Need.TESTS,
    Need.LOADER: Need.TEST,
    Need.HISTORY: Need.TEST,
    Need.REAL: Need.TEST,
    Need.RUN_HERE: Need.REAL,
    Need.SOURCE: Need.RUN,
    Need.FAILURE: Need.RUN,
    Need.ROW_RUN: Need.PROFILE_ROW,
    Need.RUNNING: Need.RUN,
    Need.QUEUED: Need.RUN,
    Need.RUN_FILES: Need.RUN,
    Need.CONFLICT: Need.CHANGE,
    Need.FIX: Need.FINDING,
    Need.TEST_OF_FINDING: Need.FINDING,
    Need.READY: Need.WORKFLOW,
    Need.DEVICE: Need.WORKFLOW,
}
"""What a need is about: where that is missing too, this is said."""


def with_before(need: Need) -> list[Need]:
    """A need after those that it is about, in the order in which they are checked."""
    return [*(with_before(BEFORE[need]) if need in BEFORE else ()), need]


_OF_RUNS = ("mark", "again", "enter", "detail", "entry", "copy", "search", "filter", "error")
_OF_PROGRAM = ("enter", "mark", "other", "ops", "source", "unfold", "pattern", "first")
_OF_TESTS = ("run", "run_with", "set", "change")
_OF_TEST = ("open", "copy", "copy_node")

NEEDS: Mapping[str, Need] = {
    "app.last": Need.VIEW_BEFORE,
    "app.divider_down": Need.DIVIDER,
    "app.divider_up": Need.DIVIDER,
    **{f"matrix.{name}": Need.TESTS for name in _OF_TESTS},
    **{f"matrix.{name}": Need.TEST for name in _OF_TEST},
    "matrix.bisect": Need.TORCH,
    "matrix.extract": Need.TORCH,
    "matrix.compare": Need.OP_CASES,
    "matrix.triage": Need.WORKFLOW_FITS,
    "matrix.loader": Need.LOADER,
    "matrix.history": Need.HISTORY,
    "matrix.log": Need.RUN_HERE,
    "matrix.mark": Need.ROWS,
    "matrix.mark_all": Need.ROWS,
    "matrix.enter": Need.ROWS,
    "matrix.unmark": Need.MARKS,
    "matrix.range": Need.NO_GRID,
    "matrix.columns": Need.NO_GRID,
    "matrix.arch": Need.ROWS,
    "matrix.pane": Need.PANE,
    "matrix.back": Need.PREVIOUS_VIEW,
    "matrix.forth": Need.NEXT_VIEW,
    "grid.compare": Need.COLUMNS,
    "tree.open": Need.GROUPS,
    "tree.close": Need.GROUPS,
    "tree.open_all": Need.GROUPS,
    "tree.close_all": Need.GROUPS,
    **{f"runs.{name}": Need.RUN for name in _OF_RUNS},
    "runs.source": Need.SOURCE,
    "runs.reason": Need.FAILURE,
    "runs.cancel": Need.RUNNING,
    "runs.compare": Need.TWO_RUNS,
    "runs.everywhere": Need.OTHER_CHECKOUTS,
    "runs.hold": Need.QUEUED,
    "runs.first": Need.QUEUED,
    "runs.last": Need.QUEUED,
    "runs.files": Need.RUN_FILES,
    "log.filters": Need.FILTERS,
    "triage.accept": Need.LISTED_TEST,
    "triage.reject": Need.LISTED_TEST,
    "triage.go": Need.LISTED_TEST,
    "triage.threshold": Need.LISTED_TEST,
    "triage.run": Need.LISTED_TEST,
    "triage.decide": Need.LISTED_TEST,
    "triage.leave": Need.CHANGE,
    "triage.show": Need.LISTED_TEST,
    "triage.mark": Need.LISTED_TEST,
    "triage.undo": Need.UNDO,
    "triage.redo": Need.REDO,
    **{f"{screen}.{name}": Need.UNDECIDED for screen in ("triage", "review") for name in ("skip", "next", "previous")},
    "review.enter": Need.CHANGE,
    "review.accept": Need.CHANGE,
    "review.reject": Need.CHANGE,
    "review.edit": Need.CHANGE,
    "review.note": Need.CHANGE,
    "review.threshold": Need.CHANGE,
    "review.undo": Need.UNDO,
    "review.redo": Need.REDO,
    "review.write": Need.ACCEPTED,
    "review.commit": Need.COMMITTABLE,
    "review.theirs": Need.CONFLICT,
    "review.ours": Need.CONFLICT,
    **{f"clusters.{name}": Need.CLUSTER for name in ("enter", "text", "issue", "run", "propose", "copy")},
    "compare.enter": Need.DIFFERENCE,
    "compare.copy": Need.DIFFERENCE,
    **{f"compare.{name}": Need.TWO_RESULTS for name in ("before", "after", "kind")},
    "profiles.logs": Need.ROW_RUN,
    "profiles.ir": Need.OTHER_PROFILE,
    **{f"profiles.{name}": Need.PROFILE_ROW for name in ("sort", "turn", "export", "test", "copy")},
    **{f"programs.{name}": Need.PROGRAM for name in _OF_PROGRAM},
    "programs.compare": Need.TWO_PROGRAMS,
    "runs.programs": Need.RUN,
    "runs.profiles": Need.RUN,
    "doctor.go": Need.TEST_OF_FINDING,
    "doctor.fix": Need.FIX,
    "doctor.open": Need.FINDING,
    **{f"workflows.{name}": Need.WORKFLOW for name in ("choose", "drop", "go_on", "copy", "go")},
    "workflows.accept": Need.READY,
    "workflows.result": Need.DEVICE,
    "plan.queue": Need.PLANNED,
    "plan.go": Need.LISTED_TEST,
    "hosts.log": Need.RUN_THERE,
    "hosts.up": Need.OTHER_HOST,
    "hosts.up_all": Need.OTHER_HOSTS,
    "hosts.down": Need.HOST_UP,
    "report.go": Need.REPORTED,
    "report.copy": Need.RESULTS,
}
"""By the id of the command; one that is not named always does something where it is valid."""
