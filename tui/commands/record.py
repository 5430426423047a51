# SPDX-License-Identifier: Apache-2.0
"""The record of a command: where it is valid, its keys and words, what it needs and changes, and when to mention it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Where(StrEnum):
    """The place that must be in front for a command to be valid."""

    APP = "everywhere"
    MATRIX = "matrix"
    RUNS = "runs"
    DECISIONS = "in changes to decide"
    TRIAGE = "triage"
    CLUSTERS = "clusters"
    COMPARE = "compare"
    DIFF = "diff"
    NIGHTLY = "nightly"
    JOB_LOG = "log of a job"
    PROFILES = "profiles"
    PROGRAMS = "programs"
    REVIEW = "review"
    DOCTOR = "doctor"
    WORKFLOWS = "workflows"
    HOSTS = "hosts"
    PLAN = "plan"
    REPORT = "report"
    LIST_AND_TEXT = "in a list beside a text"
    FILTERED = "in a list that words filter"
    FACETS = "in the facets"
    TABLE = "in a table"
    CELLS = "in a table of cells"
    GRID = "in a grid"
    TREE = "in groups"
    OVERVIEW = "overview"
    RUN_TABLE = "in the runs"
    TRIAGE_TABLE = "in the tests to triage"
    DIFF_TABLE = "in what differs"
    PROGRAM_TABLE = "in the programs"
    PROFILE_TABLE = "in the profiles"
    LINES = "in a log or diff"
    TEXT = "in a text"
    LOG = "in a log"

    @property
    def is_part(self) -> bool:
        """Whether it is a part of screens, and no screen."""
        return self.value.startswith("in ")


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
    MODEL = "This works only for tests of models."
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
    LISTED = "Nothing is listed."
    GROUPS = "The rows are not grouped: {matrix.group} groups them."
    RUNS = "No run is listed."
    RUN = "This is a batch: {runs.enter} shows its runs."
    RUNNING = "These runs have ended."
    QUEUED = "None of these runs is queued."
    TWO_RUNS = (
        "Mark two runs with {runs.mark}, or mark one and go to the other; then {runs.compare} compares their logs."
    )
    OTHER_CHECKOUTS = "There are no runs of other checkouts."
    RUN_FILES = "This run has no files besides its log."
    SOURCE = "This run names no source line; runs of kind bisect and extract do."
    FAILURE = "This run has passed: there is no failure to explain."
    FILTERS = "The log has no filter: {log.filter} sets one."
    UNDECIDED = "Nothing else is undecided."
    TO_DECIDE = "Nothing to decide is under the cursor."
    LISTED_TEST = "No test is under the cursor."
    UNDO = "There is no step to undo."
    REDO = "There is no step to redo."
    CHANGE = "No change is under the cursor."
    ACCEPTED = "Nothing is accepted yet: {decide.accept} accepts the change under the cursor."
    COMMITTABLE = "Nothing is accepted or written yet."
    CONFLICT = "This change has no conflict."
    CLUSTER = "No cluster is under the cursor."
    TWO_RESULTS = "There are fewer than two runs to compare."
    DIFFERENCE = "No difference is under the cursor."
    PROFILE_ROW = "No run of a profile is under the cursor: {runs.profiles} on a run lists the profiles of its batch."
    OTHER_PROFILE = "There are fewer than two runs to compare yet."
    ROW_RUN = "No run of this row has started yet: {app.runs} shows the queue."
    PROGRAM = "This run wrote no IR: a profile with dump = true writes it (not on eager)."
    TWO_PROGRAMS = "Mark a program with {programs.mark}, go to another one; then {programs.compare} compares them."
    STATE_ROW = "No change is under the cursor."
    TOUCHED = "This checkout has none of these tests: check the commit out first."
    NEW_TEST = "No new test here, of this checkout, lacks an entry."
    PENDING = "Nothing is pending."
    CODE = "No lines of code are shown: {diff.code} shows them."
    LEFT_OVER = "No entry here, of this checkout, is without a test."
    NIGHT_LINE = "No line of the night is under the cursor."
    NIGHT_JOB = "No job is under the cursor."
    NIGHT_TESTS = "No test of this checkout is under the cursor."
    NIGHTS = "No run of CI is known: `ttmatrix ingest --from-github` reads them."
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


BEFORE: Mapping[Need, Need] = {
    Need.MODEL: Need.TEST,
    Need.TORCH: Need.MODEL,
    Need.OP_CASES: Need.TESTS,
    Need.WORKFLOW_FITS: Need.TESTS,
    Need.LOADER: Need.TEST,
    Need.HISTORY: Need.TEST,
    Need.REAL: Need.TEST,
    Need.RUN_HERE: Need.REAL,
    Need.GROUPS: Need.LISTED,
    Need.RUN: Need.RUNS,
    Need.SOURCE: Need.RUN,
    Need.FAILURE: Need.RUNS,
    Need.ROW_RUN: Need.PROFILE_ROW,
    Need.RUNNING: Need.RUNS,
    Need.QUEUED: Need.RUNS,
    Need.RUN_FILES: Need.RUN,
    Need.CONFLICT: Need.CHANGE,
    Need.FIX: Need.FINDING,
    Need.NIGHT_LINE: Need.NIGHTS,
    Need.NIGHT_JOB: Need.NIGHT_LINE,
    Need.NIGHT_TESTS: Need.NIGHT_LINE,
    Need.TEST_OF_FINDING: Need.FINDING,
    Need.READY: Need.WORKFLOW,
    Need.DEVICE: Need.WORKFLOW,
}
"""The need that another one depends on: if both are missing, this one is said."""


class Changes(StrEnum):
    """The effect of a command beyond the screen, in words that follow "this would": a read-only app refuses it."""

    EDITS = "change pending edits"
    FILES = "write files"
    RUNS = "start, stop or reorder runs"
    WORKFLOWS = "change workflows"
    HOSTS = "connect or disconnect machines"


class Hint(NamedTuple):
    """A hint about a command for a person's first days: shown once, and only while the command can be used."""

    id: str
    """Saved once it was shown: never renamed."""
    words: str
    """`{matrix.enter}` is the key of that command. Short: it shares a line with what the screen says."""
    turn: int = 0
    """Hints of one place are shown in this order, one each time the screen comes to the front."""
    where: "Where | None" = None
    """The place where it is shown; None: that of its command."""
    also: tuple[str, ...] = ()
    """Other commands that it is about: after one of them no hint is needed."""


class Command(NamedTuple):
    """One thing a person can do. `id` is stable; `keys` are Textual's names, separated by commas."""

    id: str
    where: Where
    keys: str
    action: str
    label: str
    """Two words at most: what the footer says."""
    help: str
    footer: bool = False
    ahead: bool = False
    """Whether it comes before keys typed right after it are handed out: for what changes where typing goes."""
    needs: Need | None = None
    """The need without which it does nothing; None: it always does something where it is valid."""
    changes: Changes | None = None
    """Its effect beyond the screen; None: it shows something, or writes only data of the app: marks, copies."""
    aliases: str = ""
    """Other words that people look for it by."""
    hint: Hint | None = None
    off: bool = False
    """Whether it does nothing now; its help then says why."""
