# SPDX-License-Identifier: Apache-2.0
"""What a command is, where it is valid, and the commands of the app and of each screen."""

from enum import StrEnum
from typing import NamedTuple


class Where(StrEnum):
    """What must be in front for a command to be valid."""

    APP = "everywhere"
    MATRIX = "matrix"
    RUNS = "runs"
    TRIAGE = "triage"
    CLUSTERS = "clusters"
    COMPARE = "compare"
    PROFILES = "profiles"
    PROGRAMS = "programs"
    REVIEW = "review"
    DOCTOR = "doctor"
    WORKFLOWS = "workflows"
    HOSTS = "hosts"
    PLAN = "plan"
    REPORT = "report"
    LIST_AND_TEXT = "in a list beside a text"
    FACETS = "in the facets"
    TABLE = "in a table"
    CELLS = "in a table of cells"
    GRID = "in a grid"
    TREE = "in groups"
    OVERVIEW = "overview"
    RUN_TABLE = "in the runs"
    TRIAGE_TABLE = "in the tests to triage"
    LINES = "in a log or diff"
    TEXT = "in a text"
    LOG = "in a log"


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
    off: bool = False
    """Whether it does nothing now; its help then says why."""


OF_SCREENS: tuple[Command, ...] = (
    Command("app.overview", Where.APP, "0", "switch('overview')", "Overview", "Show the numbers of the matrix"),
    Command("app.matrix", Where.APP, "1", "switch('matrix')", "Matrix", "Show the matrix"),
    Command("app.runs", Where.APP, "2", "switch('runs')", "Runs", "Show the runs and their logs"),
    Command("app.log", Where.APP, "3", "switch('log')", "Log", "Show the log of the highlighted run, full size"),
    Command("app.triage", Where.APP, "4", "switch('triage')", "Triage", "Triage proposals"),
    Command("app.review", Where.APP, "5", "switch('review')", "Review", "Review pending edits"),
    Command("app.doctor", Where.APP, "6", "switch('doctor')", "Doctor", "Show what is wrong with the checkout"),
    Command("app.clusters", Where.APP, "7", "switch('clusters')", "Clusters", "Show failures with the same cause"),
    Command("app.compare", Where.APP, "8", "switch('compare')", "Compare", "Compare two runs"),
    Command(
        "app.workflows", Where.APP, "9", "switch('workflows')", "Workflows", "Show workflows on failing training tests"
    ),
    Command("app.hosts", Where.APP, "f2", "switch('hosts')", "Hosts", "Show the machines, and what runs on each"),
    Command("app.plan", Where.APP, "f3", "switch('plan')", "Plan", "Plan a session: what fits into the time left"),
    Command("app.report", Where.APP, "f4", "switch('report')", "Report", "Show pass rates, broken tests, machines"),
    Command("app.help", Where.APP, "question_mark,f1", "help", "Help", "List the keys that work here", footer=True),
    Command("app.commands", Where.APP, "colon,ctrl+p", "command_line", "Commands", "Type a command, or what it does"),
    Command("app.reload", Where.APP, "f5,ctrl+r", "reload", "Reload", "Read the checkout again"),
    Command("app.back", Where.APP, "escape", "go_back", "Back", "Go back one level; never quits the app"),
    Command("app.last", Where.APP, "minus", "last_view", "Last view", "Toggle between the last two views"),
    Command("app.zoom", Where.APP, "z", "zoom", "Zoom", "Zoom this pane to the whole screen, or back"),
    Command("app.divider_down", Where.APP, "J", "divider(1)", "Divider down", "Move the divider down, or right"),
    Command("app.divider_up", Where.APP, "K", "divider(-1)", "Divider up", "Move the divider up, or left"),
    Command("app.quit", Where.APP, "q", "leave", "Quit", "Close this screen (matrix: quit); runs continue"),
    Command("app.suspend", Where.APP, "ctrl+z", "suspend_process", "Suspend", "Back to the shell; fg returns here"),
    Command("app.redraw", Where.APP, "ctrl+l", "redraw", "Redraw", "Repaint the whole screen"),
    Command("app.interrupt", Where.APP, "ctrl+c", "interrupt", "Stop", "Stop following logs; press twice to quit"),
    Command(
        "matrix.filter",
        Where.MATRIX,
        "slash",
        "filter",
        "Filter",
        "Type a query; enter applies it",
        footer=True,
        ahead=True,
    ),
    Command("matrix.mark", Where.MATRIX, "space", "mark", "Mark", "Mark or unmark the row", footer=True),
    Command("matrix.mark_all", Where.MATRIX, "asterisk", "mark_shown", "Mark all", "Mark all visible rows"),
    Command("matrix.unmark", Where.MATRIX, "ctrl+n", "unmark", "Unmark", "Clear all marks"),
    Command(
        "matrix.run",
        Where.MATRIX,
        "r",
        "run",
        "Run",
        "Run this test, or the marked ones, on the CPU",
        footer=True,
    ),
    Command("matrix.run_with", Where.MATRIX, "R", "run_with", "Run with", "Choose how to run, see the commands"),
    Command(
        "matrix.bisect", Where.MATRIX, "B", "bisect", "Bisect", "Find the op that breaks this model on the backend"
    ),
    Command("matrix.extract", Where.MATRIX, "X", "extract", "Extract", "Write the ops of this model as op cases"),
    Command("matrix.compare", Where.MATRIX, "b", "compare", "Backends", "Compare op cases on two backends"),
    Command("matrix.triage", Where.MATRIX, "T", "triage", "Workflow", "Start a workflow on failing training tests"),
    Command("matrix.log", Where.MATRIX, "L", "log", "Log", "Show the log of this test's last run"),
    Command("matrix.set", Where.MATRIX, "E", "set_fields", "Edit", "Set fields of the marked entries", footer=True),
    Command(
        "matrix.change",
        Where.MATRIX,
        "M",
        "change_entry",
        "Change",
        "Change markers or archs; rename, move, delete",
    ),
    Command("matrix.open", Where.MATRIX, "e", "open_editor", "Editor", "Open $EDITOR at the entry"),
    Command("matrix.loader", Where.MATRIX, "s", "open_loader", "Loader", "Open $EDITOR at this variant in the loader"),
    Command(
        "matrix.history", Where.MATRIX, "H", "history", "History", "Show the commits that changed this test's entry"
    ),
    Command("matrix.range", Where.MATRIX, "v", "mark_range", "Range", "Start a range; press again to mark it"),
    Command("matrix.enter", Where.MATRIX, "enter", "enter", "Open", "Open the detail, or the tests of a group or cell"),
    Command("matrix.detail", Where.MATRIX, "d", "detail", "Detail", "Show or hide the detail panel", footer=True),
    Command("matrix.pane", Where.MATRIX, "tab", "other_pane", "Pane", "Go to the next pane"),
    Command("matrix.facets", Where.MATRIX, "f", "facets", "Facets", "Show or leave the facet panel"),
    Command("matrix.arch", Where.MATRIX, "at", "next_arch", "Arch", "Show values for the next arch"),
    Command("matrix.group", Where.MATRIX, "m", "group", "Group", "Group the rows, or lay out the grid", footer=True),
    Command("matrix.grid", Where.MATRIX, "number_sign", "grid", "Grid", "Show a grid, or the table again", footer=True),
    Command("matrix.columns", Where.MATRIX, "C", "columns", "Columns", "Choose, order and sort by columns"),
    Command("matrix.sort", Where.MATRIX, "o", "next_sort", "Sort", "Sort by the next column; a grid by this column"),
    Command("matrix.turn", Where.MATRIX, "O", "reverse_sort", "Reverse", "Reverse sort"),
    Command("matrix.views", Where.MATRIX, "V", "views", "Views", "Open a saved view, or save this one"),
    Command("matrix.back", Where.MATRIX, "left_square_bracket", "step(-1)", "View back", "Back to the previous view"),
    Command("matrix.forth", Where.MATRIX, "right_square_bracket", "step(1)", "View next", "Forward to the next view"),
    Command("matrix.copy", Where.MATRIX, "y", "copy_id", "Copy", "Copy the id"),
    Command("matrix.copy_node", Where.MATRIX, "Y", "copy_node_id", "Copy node", "Copy the pytest node id"),
    Command(
        "facets.choose", Where.FACETS, "space,enter", "choose", "Choose", "Add the value to the query, or remove it"
    ),
    Command(
        "runs.cancel",
        Where.RUNS,
        "S",
        "cancel_run",
        "Stop run",
        "Stop the marked runs, or this one; asks first",
        footer=True,
    ),
    Command("runs.mark", Where.RUN_TABLE, "space", "mark", "Mark", "Mark or unmark the run", footer=True),
    Command(
        "runs.again",
        Where.RUNS,
        "r",
        "run_again",
        "Run again",
        "Start the marked runs, or this one, again",
        footer=True,
    ),
    Command("runs.rest", Where.RUNS, "R", "run_rest", "Run rest", "Run what failed or did not run in the last batch"),
    Command("runs.compare", Where.RUNS, "c", "compare", "Compare", "Compare the logs of two marked runs", footer=True),
    Command(
        "runs.everywhere", Where.RUNS, "a", "everywhere", "All", "Show runs of every checkout, or only of this one"
    ),
    Command("runs.enter", Where.RUN_TABLE, "enter", "open", "Log", "Show the log of the run on the whole screen"),
    Command("runs.detail", Where.RUNS, "d", "detail", "Detail", "Toggle run details / log"),
    Command("runs.entry", Where.RUNS, "o", "entry", "Entry", "Show the test of the run in the matrix"),
    Command("runs.hold", Where.RUNS, "h", "hold", "Hold", "Hold or release queued runs"),
    Command("runs.first", Where.RUNS, "T", "put_first", "First", "Move queued runs to the front of the queue"),
    Command("runs.last", Where.RUNS, "B", "put_last", "Last", "Move queued runs to the end of the queue"),
    Command("runs.files", Where.RUNS, "f", "pick_file", "Files", "Show another file of the run, or its log"),
    Command("runs.programs", Where.RUNS, "i", "programs", "IR", "Show the IR programs that the run wrote"),
    Command("runs.profiles", Where.RUNS, "p", "profiles", "Profiles", "Show the batch of the run by profile"),
    Command(
        "runs.source", Where.RUNS, "s", "open_source", "Source", "Open $EDITOR at the bisected line or extracted ops"
    ),
    Command("runs.copy", Where.RUNS, "y", "copy_command", "Copy", "Copy the exact command of the run", footer=True),
    Command("runs.reason", Where.RUNS, "Y", "copy_reason", "Copy why", "Copy the line that explains the failure"),
    Command("runs.search", Where.RUN_TABLE, "slash", "ask('/')", "Search", "Find text in the log", ahead=True),
    Command("runs.filter", Where.RUN_TABLE, "ampersand", "ask('&')", "Filter", "Filter the log", ahead=True),
    Command("runs.next_hit", Where.RUN_TABLE, "n", "next_hit(True)", "Next", "Next hit of the search in the log"),
    Command(
        "runs.hit_before", Where.RUN_TABLE, "N", "next_hit(False)", "Previous", "Previous hit of the search in the log"
    ),
    Command("runs.error", Where.RUN_TABLE, "e", "next_error(True)", "Error", "Next error in the log"),
    Command("runs.error_before", Where.RUN_TABLE, "E", "next_error(False)", "Error before", "Previous error"),
    Command("triage.accept", Where.TRIAGE, "a", "accept", "Accept", "Make the proposal a pending change", footer=True),
    Command("triage.reject", Where.TRIAGE, "x", "reject", "Reject", "Reject this proposal", footer=True),
    Command(
        "triage.decide",
        Where.TRIAGE,
        "E",
        "decide_group",
        "Decide",
        "Set status, reason, issue of the group",
        footer=True,
    ),
    Command("triage.leave", Where.TRIAGE_TABLE, "space", "leave_out", "Leave out", "Leave the test out of its group"),
    Command("triage.show", Where.TRIAGE, "o", "show_tests", "Tests", "Show the tests of the group in the matrix"),
    Command("triage.mark", Where.TRIAGE, "M", "mark_tests", "Mark", "Mark the tests of the group in the matrix"),
    Command("triage.threshold", Where.TRIAGE, "p", "threshold", "Threshold", "Accept with another threshold"),
    Command("triage.skip", Where.TRIAGE, "s", "skip", "Skip", "Decide later: go to the next undecided one"),
    Command("triage.accept_rest", Where.TRIAGE, "A", "accept_rest", "Accept all", "Accept the rest of the group; asks"),
    Command("triage.reject_rest", Where.TRIAGE, "X", "reject_rest", "Reject all", "Reject the rest of the group; asks"),
    Command("triage.next", Where.TRIAGE, "n", "next_undecided(1)", "Next", "Next undecided test", footer=True),
    Command("triage.previous", Where.TRIAGE, "N", "next_undecided(-1)", "Previous", "Previous undecided test"),
    Command("triage.undo", Where.TRIAGE, "u", "undo", "Undo", "Undo the last step", footer=True),
    Command("triage.redo", Where.TRIAGE, "U", "redo", "Redo", "Redo the step"),
    Command(
        "triage.group",
        Where.TRIAGE,
        "m",
        "group",
        "Group",
        "Group by cause, change, verdict, loader, reason",
        footer=True,
    ),
    Command("triage.filter", Where.TRIAGE, "slash", "filter", "Filter", "Type words to filter by", ahead=True),
    Command(
        "triage.list",
        Where.TRIAGE,
        "f",
        "next_list",
        "List",
        "Next list (attention, PCC, unknown, blind spots)",
        footer=True,
    ),
    Command("triage.reruns", Where.TRIAGE, "R", "reruns", "Reruns", "List what is worth a rerun, or all again"),
    Command("triage.run", Where.TRIAGE, "r", "rerun", "Rerun", "Run the test or group on the device"),
    Command(
        "triage.host",
        Where.TRIAGE,
        "H",
        "leave_out",
        "Host",
        "Ignore machines that fail alone, or count them",
    ),
    Command("triage.go", Where.TRIAGE, "enter", "go_to_test", "Go to", "Show the test in the matrix; unfold a group"),
    Command(
        "clusters.enter",
        Where.CLUSTERS,
        "enter",
        "enter",
        "Members",
        "Show the cells of the cluster, then a test",
        footer=True,
    ),
    Command(
        "clusters.text", Where.CLUSTERS, "c", "canonical", "One text", "Set one reason in all its entries", footer=True
    ),
    Command(
        "clusters.issue", Where.CLUSTERS, "i", "attach", "Issue", "Link an issue in entries without one", footer=True
    ),
    Command(
        "clusters.run", Where.CLUSTERS, "r", "rerun", "Rerun one", "Run one of its cells on the device", footer=True
    ),
    Command(
        "clusters.propose",
        Where.CLUSTERS,
        "p",
        "propose",
        "Propose",
        "Add all its proposals to the pending changes",
        footer=True,
    ),
    Command("clusters.copy", Where.CLUSTERS, "y", "copy", "Copy", "Copy the reason, or the id of a member"),
    Command("clusters.filter", Where.CLUSTERS, "slash", "filter", "Filter", "Type words to filter by", ahead=True),
    Command("compare.enter", Where.COMPARE, "enter", "go_to_test", "Go to", "Show the test in the matrix", footer=True),
    Command(
        "compare.before", Where.COMPARE, "b", "choose_run('before')", "Before", "Choose the first run", footer=True
    ),
    Command("compare.after", Where.COMPARE, "c", "choose_run('after')", "After", "Choose the second run", footer=True),
    Command("compare.kind", Where.COMPARE, "f", "next_kind", "Kind", "Show differences of the next kind", footer=True),
    Command("compare.runs", Where.COMPARE, "r", "runs", "Runs", "Compare two runs instead of two backends"),
    Command("compare.copy", Where.COMPARE, "y", "copy", "Copy", "Copy the id"),
    Command("compare.profiles", Where.COMPARE, "p", "profiles", "Profiles", "Show tests under several profiles"),
    Command("profiles.logs", Where.PROFILES, "enter", "logs", "Logs", "Logs beside the first profile's", footer=True),
    Command("profiles.ir", Where.PROFILES, "i", "programs", "IR", "Programs beside the first profile's", footer=True),
    Command("profiles.batch", Where.PROFILES, "b", "batch", "Batch", "Choose another batch", footer=True),
    Command("profiles.sort", Where.PROFILES, "o", "next_sort", "Sort", "Sort by the next column", footer=True),
    Command("profiles.turn", Where.PROFILES, "O", "reverse_sort", "Reverse", "Reverse sort"),
    Command("profiles.export", Where.PROFILES, "x", "export", "Export", "Export as CSV or Markdown", footer=True),
    Command("profiles.test", Where.PROFILES, "t", "go_to_test", "Test", "Show the test in the matrix"),
    Command("profiles.copy", Where.PROFILES, "y", "copy", "Copy", "Copy the table as Markdown"),
    Command("programs.enter", Where.PROGRAMS, "enter", "text", "Text", "Go to the text of the program", footer=True),
    Command("programs.mark", Where.PROGRAMS, "space", "mark", "Mark", "Mark the program for comparison", footer=True),
    Command("programs.compare", Where.PROGRAMS, "c", "compare", "Compare", "Compare with the marked one", footer=True),
    Command("programs.other", Where.PROGRAMS, "b", "other_run", "Other run", "Compare with another run", footer=True),
    Command("programs.ops", Where.PROGRAMS, "o", "ops", "Ops", "Toggle text / op counts", footer=True),
    Command("programs.source", Where.PROGRAMS, "s", "source", "Source", "Open $EDITOR where the op comes from"),
    Command("programs.unfold", Where.PROGRAMS, "u", "unfold", "Constants", "Fold or unfold large constants"),
    Command("programs.pattern", Where.PROGRAMS, "p", "pattern", "FileCheck", "Try a FileCheck pattern", footer=True),
    Command("programs.first", Where.PROGRAMS, "P", "first_pattern", "First", "Start a pattern from chosen lines"),
    Command("review.enter", Where.REVIEW, "enter", "enter", "Go to", "Show the test in the matrix; unfold a group"),
    Command("review.accept", Where.REVIEW, "a", "accept", "Accept", "Accept this change", footer=True),
    Command("review.reject", Where.REVIEW, "x", "reject", "Reject", "Reject this change", footer=True),
    Command("review.skip", Where.REVIEW, "s", "skip", "Skip", "Decide later: go to the next undecided one"),
    Command("review.accept_rest", Where.REVIEW, "A", "accept_rest", "Accept all", "Accept the rest of the group; asks"),
    Command("review.reject_rest", Where.REVIEW, "X", "reject_rest", "Reject all", "Reject the rest of the group; asks"),
    Command("review.next", Where.REVIEW, "n", "next_undecided(1)", "Next", "Next undecided change"),
    Command("review.previous", Where.REVIEW, "N", "next_undecided(-1)", "Previous", "Previous undecided change"),
    Command("review.edit", Where.REVIEW, "E", "edit", "Edit", "Edit what this change proposes", footer=True),
    Command("review.threshold", Where.REVIEW, "p", "threshold", "Threshold", "Type another threshold"),
    Command("review.note", Where.REVIEW, "i", "note", "Note", "Note the issue after which it is to be as before"),
    Command(
        "review.group", Where.REVIEW, "m", "group", "Group", "Group by identical change, loader, reason", footer=True
    ),
    Command("review.filter", Where.REVIEW, "slash", "filter", "Filter", "Type words to filter by", ahead=True),
    Command(
        "review.theirs", Where.REVIEW, "t", "take('theirs')", "Take theirs", "Resolve a conflict: keep their value"
    ),
    Command("review.ours", Where.REVIEW, "o", "take('ours')", "Take ours", "Resolve a conflict: write our value"),
    Command("review.undo", Where.REVIEW, "u", "undo", "Undo", "Undo the last step", footer=True),
    Command("review.redo", Where.REVIEW, "U", "redo", "Redo", "Redo the step"),
    Command("review.write", Where.REVIEW, "w", "write", "Write", "Write accepted changes to the files", footer=True),
    Command("review.commit", Where.REVIEW, "c", "commit", "Commit", "Write and commit accepted changes", footer=True),
    Command(
        "review.whole", Where.REVIEW, "d", "whole_diff", "Whole diff", "Toggle this change / all that will be written"
    ),
    Command("doctor.go", Where.DOCTOR, "enter", "go_to_test", "Go to", "Show the test in the matrix", footer=True),
    Command("doctor.fix", Where.DOCTOR, "m", "fix", "Fix", "Add the fix to the pending changes", footer=True),
    Command("doctor.filter", Where.DOCTOR, "slash", "filter", "Filter", "Type words to filter by", ahead=True),
    Command("doctor.open", Where.DOCTOR, "e", "open_place", "Editor", "Open $EDITOR at the place", footer=True),
    Command(
        "workflows.choose",
        Where.WORKFLOWS,
        "enter",
        "choose",
        "Choose",
        "Answer the workflow's question, or read its report",
        footer=True,
    ),
    Command(
        "workflows.accept",
        Where.WORKFLOWS,
        "a",
        "accept",
        "Accept",
        "Keep the loader edit, propose the changes",
        footer=True,
    ),
    Command("workflows.drop", Where.WORKFLOWS, "x", "drop", "Drop", "Delete the workflow and its edits", footer=True),
    Command(
        "workflows.go_on",
        Where.WORKFLOWS,
        "r",
        "go_on",
        "Continue",
        "Continue the workflow where it stopped",
        footer=True,
    ),
    Command(
        "workflows.result",
        Where.WORKFLOWS,
        "D",
        "device_result",
        "Device XML",
        "Continue with the JUnit file of a device run",
        footer=True,
    ),
    Command("workflows.copy", Where.WORKFLOWS, "y", "copy", "Copy", "Copy the command to run, or the report"),
    Command("workflows.go", Where.WORKFLOWS, "o", "go_to_test", "Go to", "Show the test in the matrix"),
    Command("list.pane", Where.LIST_AND_TEXT, "tab", "other_pane", "Pane", "Go to the other pane"),
    Command("hosts.log", Where.HOSTS, "enter", "log", "Log", "Show the log of what runs there", footer=True),
    Command("hosts.up", Where.HOSTS, "u", "up", "Take up", "Start a worker there, so that runs go there", footer=True),
    Command("hosts.up_all", Where.HOSTS, "U", "up_all", "All up", "Take up every host of the hosts file"),
    Command("hosts.down", Where.HOSTS, "D", "down", "Take down", "End the worker of the host; asks first", footer=True),
    Command("hosts.check", Where.HOSTS, "c", "check", "Check", "Ask the machine what it lacks", footer=True),
    Command("plan.queue", Where.PLAN, "enter", "queue", "Queue", "Queue what fits; asks first", footer=True),
    Command("plan.hours", Where.PLAN, "h", "hours", "Hours", "Set the hours of the session", footer=True),
    Command("plan.go", Where.PLAN, "o", "go_to_test", "Go to", "Show the test in the matrix", footer=True),
    Command("report.go", Where.REPORT, "enter", "go", "Go to", "Show the test, or the tests of the row", footer=True),
    Command("report.list", Where.REPORT, "tab,f", "next_list(1)", "List", "Show the next list", footer=True),
    Command("report.list_before", Where.REPORT, "shift+tab", "next_list(-1)", "List before", "Show the previous list"),
    Command("report.by", Where.REPORT, "b", "next_by", "By", "Rates by family, arch, group or loader", footer=True),
    Command("report.period", Where.REPORT, "p", "next_period", "Period", "Change the number of days", footer=True),
    Command("report.host", Where.REPORT, "H", "leave_out", "Host", "Ignore machines that fail alone", footer=True),
    Command("report.copy", Where.REPORT, "y", "copy", "Copy", "Copy the summary of the report"),
    Command("overview.open", Where.OVERVIEW, "enter", "open_link", "Open", "Show what the number counts", footer=True),
    Command("overview.next", Where.OVERVIEW, "tab", "section(1)", "Next", "Next section", footer=True),
    Command("overview.previous", Where.OVERVIEW, "shift+tab", "section(-1)", "Previous", "Previous section"),
)
