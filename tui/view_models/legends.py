# SPDX-License-Identifier: Apache-2.0
"""The meanings of a screen's glyphs and letters: the legend in the help, and the line below the table."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len

from core import doctor, evidence
from core.base.text import one_line
from core.domain.model import Status
from core.matrix import Matrix
from core.matrix.query import FIELDS, Scope, values_wanted
from tui.view_models.style import MIXED, STATUS_LOOKS, Cell, arch_names, arch_title


class Meaning(NamedTuple):
    """A glyph or a letter, and what it means."""

    sign: str
    words: str


_STATUS_WORDS = {
    Status.EXPECTED_PASSING: "PASS: expected to pass",
    Status.KNOWN_FAILURE_XFAIL: "XFAIL: a known failure",
    Status.NOT_SUPPORTED_SKIP: "SKIP: not run",
    Status.EXCLUDE_MODEL: "EXCL: the model is excluded",
    Status.UNSPECIFIED: "marked for the arch, without a status",
}
_MARKED = Meaning("▌", "marked; in the facets: the query has this value")
_MARKED_FIX = Meaning("▌", "its fix is among the pending changes")
_OLDER = Meaning("FAIL~1", "the result of an older tree: 1 commit ago; ~ alone: edited since")
_MATRIX = (
    Meaning("mixed", "the status differs between archs"),
    Meaning("✎", "a pending change is about this test"),
    _MARKED,
    Meaning("▖", "some tests of the group are marked"),
    Meaning("▲ ▼", "sorted by this column, up or down"),
    Meaning("▸ ▾", "a group, folded or unfolded; its bar: shares of statuses"),
    Meaning("123", "in the facets: tests with this value that match the query"),
    Meaning("dim id", "a test without an entry"),
    _OLDER,
)
_GRID = (
    Meaning("█ ▓ ▒ ░ ▁", "share that passes: all, from 75%, from 50%, from 25%, less"),
    Meaning("80% 24", "80% of 24 tests with an entry pass (op cases: of 24 results)"),
    Meaning("· 24", "24 tests without an entry; an empty cell has no test"),
    Meaning("▲ ▼ -30", "change in percentage points; on a column head: the sort order"),
    Meaning("‹ ›", "on a column head: more columns to the left, to the right"),
)
_CHANGES = (
    Meaning("? open", "not decided"),
    Meaning("✓ accept", "accepted: the next write includes it"),
    Meaning("✗ reject", "rejected"),
    Meaning("! clash", "the same field was changed elsewhere too"),
    Meaning("▸ ▾", "a group that is folded, or unfolded"),
)
_HOSTS = (
    Meaning("■ □", "slots with a run, and free ones"),
    Meaning("█", "an hour that is left of the reservation; more than 8 do not show"),
    Meaning("lost", "the link or the worker is gone; ttmatrix tries again"),
    Meaning("quarantined", "it has failed, and gets no runs until its check passes"),
    Meaning("refused", "it cannot be used until you change something; the row says what"),
    Meaning("down", "not connected"),
)
_PLAN = (
    Meaning("from takes", "hours and minutes; a cell with several runs takes them one after the other"),
    Meaning("~", "a guess: its duration is not known"),
    Meaning("left over", "it does not fit, or no machine has its arch"),
)
_REPORT = (
    Meaning("•", "plot: all results, or those of the row under the cursor; · all beside a row"),
    Meaning("n p b", "plot: an arch, by the letter that its row has"),
    Meaning("X S", "plot: entries of the status xfail, and skip, at the end of each week"),
    Meaning("█ ▓ ▒ ░ ▁", "share of a week that was as expected: all, from 75%, from 50%, from 25%, less"),
    Meaning("failed", "results of the last week that are no passes"),
)
_RUNS = (
    Meaning("▌", "marked"),
    _OLDER,
    Meaning("█ ░", "progress of the batch: done, and to do"),
    Meaning("✗", "a log line with an error"),
    Meaning("▶ ◆", "a log line that begins a phase or a stage"),
)
_OVERVIEW = (
    Meaning("█ ▓ ▒ ░", "bar: the tests of the row that are PASS, XFAIL, SKIP, EXCL; all bars have one scale"),
    Meaning("number", "how many there are, and a link to them"),
    Meaning("█ under ▓", "first plot: entries at the end of each of twelve weeks, by status"),
    Meaning("curve", "second plot: entries that do not pass; its axis has their numbers, and need not begin at 0"),
)
_DOCTOR = (
    Meaning("yes", "in the column fix: there is an automatic fix"),
    Meaning("done", "in the column fix: it is among the pending changes"),
    _MARKED_FIX,
)
_DIFF = (
    Meaning("▌", "marked"),
    Meaning("+3 -1", "of a CI job: tests that it gains and loses"),
    Meaning(
        "to look at", "of a group: it leaves CI, lowers a gate, matches no test, or has an error or other requirements"
    ),
)
_NIGHTLY = (
    Meaning("died", "a job without a complete report: its tests did not run, so they neither passed nor were fixed"),
    Meaning("new", "fails unexpectedly, and did not before"),
    Meaning("changed", "fails as before, for another reason"),
    Meaning("missing", "the report of its job has other tests, but not this one"),
    Meaning("slower", "differs from the nights before by more than their noise and at least 5%"),
    Meaning("unsure", "differs as much, but fewer than three nights before: no proof"),
    Meaning("still", "fails as before; since which run is said below"),
    Meaning("red", "a job that failed and left a whole report; green: one that ended well"),
)
_JOB_LOG = (_RUNS[3], Meaning("[the last ...]", "first line: of a large log only the end is fetched"))
_PROFILES = (
    Meaning("+12%", "the median against that of the first profile: a difference beyond the noise"),
    Meaning("▲ ▼", "the same on a narrow screen: more, less"),
    Meaning("=", "within the noise"),
    Meaning("?", "fewer than three runs of one of them: their noise is unknown"),
    Meaning("comp s", "seconds of compilation"),
    Meaning("smpl/s", "samples per second"),
)
_PROGRAMS = (
    Meaning("▌", "marked, to be compared"),
    Meaning("…800 bytes #1a2b3c…", "a large constant, with a digest: equal ones have the same"),
)
_PASSES = Meaning("6/7", "6 passes in 7 results; in the row of a group, in the results of all its tests")
_WORKFLOWS = (Meaning("✓", "a step that is done"), Meaning("▸", "the step that is under way"))


@cache
def _results() -> tuple[Meaning, ...]:
    """The letters of a strip of results, oldest first."""
    return tuple(Meaning(letter, f"in a strip of results: {ending.words}") for ending, letter in evidence.MARKS.items())


def legend(screen: str, matrix: Matrix, *, grid: bool = False) -> Sequence[Meaning]:
    """The meanings of a screen's signs, by the screen's name; for the matrix also the letters of its archs."""
    if screen == "matrix":
        return _GRID if grid else (*_archs(matrix), *_statuses(), *_MATRIX)
    found: Mapping[str, Sequence[Meaning]] = {
        "overview": (*_OVERVIEW, *_statuses()),
        "doctor": (*_DOCTOR, *(Meaning(kind, words) for kind, words in doctor.kinds().items())),
        "runs": _RUNS,
        "triage": (*_CHANGES, *_results(), _PASSES),
        "review": _CHANGES,
        "clusters": _results(),
        "compare": _results(),
        "diff": _DIFF,
        "nightly": _NIGHTLY,
        "log of a job": _JOB_LOG,
        "profiles": _PROFILES,
        "programs": _PROGRAMS,
        "workflows": _WORKFLOWS,
        "hosts": _HOSTS,
        "plan": _PLAN,
        "report": _REPORT,
    }
    return found.get(screen, ())


def _archs(matrix: Matrix) -> list[Meaning]:
    letters, names = arch_title(matrix), arch_names(matrix)
    return [
        Meaning(letter if letter == name else f"{letter} {name}", f"column of the arch {arch}")
        for letter, name, arch in zip(letters, names, matrix.schema.archs, strict=True)
    ]


def _statuses() -> list[Meaning]:
    return [Meaning(look.letter, _STATUS_WORDS[status]) for status, look in STATUS_LOOKS.items()]


def arch_legend(matrix: Matrix, width: int) -> list[Cell]:
    """The letters of the archs, then those of the statuses, for one line: `n n150  p p150 ...   P PASS  X XFAIL`.

    With smaller gaps if that is too long for `width` cells; those that still do not fit are left out.
    """
    names = list(zip(arch_title(matrix), arch_names(matrix), strict=True))
    looks = [look for look in (*STATUS_LOOKS.values(), MIXED) if look.letter not in "·~"]
    statuses = [(Cell(f" {look.letter}", look.style), Cell(f" {look.word}", "dim")) for look in looks]
    found: list[Cell] = []
    for gap in ("  ", " "):
        pairs = [(Cell(letter, "running"), Cell(f" {name}{gap}", "dim")) for letter, name in names] + statuses
        ends = accumulate(sum(cell_len(cell.text) for cell in pair) for pair in pairs)
        found = [cell for pair, end in zip(pairs, ends, strict=True) if end <= width for cell in pair]
        if len(found) == 2 * len(pairs):
            break
    return found


def query_help(scope: Scope) -> list[tuple[str, str]]:
    """Each query field as it is typed, with its meaning and the first of its values."""
    rows = []
    for field in FIELDS:
        if field.name:
            values = one_line(values_wanted(scope, f"{field.name}:").partition(": ")[2])
            rows.append((f"{field.name}:", field.help))
            rows += [(f"{field.name}:", f"values: {values}")] if values else []
    return rows
