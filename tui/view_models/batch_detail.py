# SPDX-License-Identifier: Apache-2.0
"""All about a batch of runs: how far it is, what failed and why, what it does now."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from core.base.text import one_line
from core.runs import FAILURES
from core.runs.planning import Course, Progress
from core.runs.store import RunRecord, RunState
from tui.view_models.batches import RunGroup
from tui.view_models.fitting import CellLine, fit, words_of, wrapped
from tui.view_models.runs import done_text, outcomes_text, run_look
from tui.view_models.style import Cell, seconds_text
from tui.view_models.times import moment_text

_LABEL = 12
_LEAST_ID = 24
_STYLES = {"title": "bold", "running": "bold", "fail": "bold red", "dim": "dim"}
_MOST_REASONS, _MOST_NAMED, _MOST_RUNNING, _MOST_NEXT = 8, 3, 8, 3


def batch_text(group: RunGroup, course: Course, now: float, last_lines: Mapping[str, str], width: int) -> Text:
    """`course` is that of the group, `now` in seconds since the epoch, `last_lines` those of running runs, by run id.

    In a pane of `width` cells, what changes while runs go on takes a line each, so that nothing below it moves.
    """
    come = course.at(now)
    head = ((group.name, "title"), (batch_words(group, come), ""))
    lines: list[CellLine] = [(Cell(fit(line, width, elide=True).rstrip(), style),) for line, style in head]
    lines += _running(group.records, last_lines, width)
    lines += _failures(group.records, width)
    lines.append(())
    # While it goes on, what changes every second is in the heading.
    for name, value in _facts(group, course.begun, None if come.left else course.taken(now)):
        if value:
            lines += wrapped([Cell(name.ljust(_LABEL), "dim"), *_words(value)], width, _LABEL)
    return Text("\n").join(
        Text.assemble(*((cell.text, _STYLES.get(cell.style, "")) for cell in line)) for line in lines
    )


def _words(text: str) -> list[Cell]:
    return [Cell(word) for word in words_of(text)]


def batch_words(group: RunGroup, come: Progress) -> str:
    """The progress of a batch; once it has ended, the outcomes of its runs."""
    return done_text(come) if come.left else outcomes_text(group.records)


def _running(records: Sequence[RunRecord], last_lines: Mapping[str, str], width: int) -> Iterator[CellLine]:
    running = [record for record in records if record.state is RunState.RUNNING]
    queued = [record for record in records if record.state is RunState.QUEUED]
    shown = (*running[:_MOST_RUNNING], *queued[:_MOST_NEXT])
    room = max(0, width - _LABEL)
    names = min(max(_LEAST_ID, room // 2), max((cell_len(one_line(one.spec.test_id)) for one in shown), default=0))

    def line(what: str, style: str, record: RunRecord, said: str) -> CellLine:
        """A run in one line; what is said of each begins in the same column."""
        return (
            Cell(what.ljust(_LABEL), style),
            Cell(fit(one_line(record.spec.test_id), names, elide=True)),
            Cell(f"  {fit(one_line(said), max(0, room - names - 2))}", "dim"),
        )

    for record in running[:_MOST_RUNNING]:
        where = f"on {record.place}" if record.place else ""
        said = "  ".join(filter(None, (where, last_lines.get(record.spec.run_id, ""))))
        yield line("running", "running", record, said)
    if more := running[_MOST_RUNNING:]:
        yield (Cell(f"{'':{_LABEL}}and {len(more):,} more", "dim"),)
    for record in queued[:_MOST_NEXT]:
        yield line("on hold" if record.held else "next", "dim", record, record.summary)
    if more := queued[_MOST_NEXT:]:
        yield (Cell(f"{'':{_LABEL}}and {len(more):,} more", "dim"),)


def _failures(records: Sequence[RunRecord], width: int) -> Iterator[CellLine]:
    """The failures by their reason, the most frequent one first."""
    by_reason: dict[tuple[str, str], list[RunRecord]] = {}
    for record in records:
        if record.outcome in FAILURES:
            by_reason.setdefault((run_look(record).word, record.summary), []).append(record)
    reasons = sorted(by_reason.items(), key=lambda reason: -len(reason[1]))
    for (word, summary), failed in reasons[:_MOST_REASONS]:
        yield ()
        yield from wrapped([Cell(f"{len(failed):,} {word}".ljust(_LABEL), "fail"), *_words(summary)], width, _LABEL)
        tests = list(dict.fromkeys(record.spec.test_id for record in failed))
        for test in tests[:_MOST_NAMED]:
            yield (Cell(f"{'':{_LABEL}}{fit(one_line(test), width - _LABEL, elide=True).rstrip()}", "dim"),)
        if more := tests[_MOST_NAMED:]:
            yield (Cell(f"{'':{_LABEL}}and {len(more):,} more", "dim"),)
    if others := reasons[_MOST_REASONS:]:
        yield (Cell(f"and {sum(len(failed) for _, failed in others):,} for other reasons", "dim"),)


def _facts(group: RunGroup, begun: float | None, taken: float | None) -> Iterator[tuple[str, str]]:
    records = group.records
    parent = next((record.spec.parent for record in records if record.spec.parent), "")
    longest = max(records, key=lambda record: record.seconds or 0.0)
    places = Counter(record.place or "here" for record in records if record.started is not None)
    yield "batch", f"{group.batch}{f', a rerun of {parent}' if parent else ''}"
    yield "started", moment_text(begun)
    yield "took", seconds_text(taken)
    yield "longest", f"{seconds_text(longest.seconds)}  {longest.spec.test_id}" if longest.seconds else ""
    if set(places) - {"here"}:
        yield "machines", ", ".join(f"{number:,} {place}" for place, number in places.most_common())
    yield "again", again_command(group)


def again_command(group: RunGroup) -> str:
    """The command that starts the runs of a group again."""
    if group.depth:
        return " ".join(("ttmatrix rerun", *sorted(record.spec.run_id for record in group.records)))
    return f"ttmatrix rerun --batch {group.batch}"
