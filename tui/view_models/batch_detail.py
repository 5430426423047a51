# SPDX-License-Identifier: Apache-2.0
"""All about a batch of runs: how far it is, what failed and why, what it does now."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from core.base.text import counted, one_line
from core.runs import FAILURES
from core.runs.planning import Progress
from core.runs.store import RunRecord, RunState
from tui.view_models.batches import RunGroup
from tui.view_models.runs import progress_text, run_look
from tui.view_models.style import seconds_text
from tui.view_models.times import moment_text

_LABEL = 12
_MOST_REASONS, _MOST_NAMED, _MOST_RUNNING, _MOST_NEXT = 8, 3, 8, 3


def batch_text(group: RunGroup, come: Progress, taken: float | None, last_lines: Mapping[str, str]) -> Text:
    """`come` is its progress, `taken` how many seconds it has taken, `last_lines` those of running runs, by run id."""
    lines = [Text(one_line(group.name), "bold"), Text(batch_words(group, come))]
    lines += [*_running(group.records, last_lines), *_failures(group.records)]
    # While it goes on, what changes every second is in the heading.
    facts = _facts(group, None if come.left else taken)
    return Text("\n").join([*lines, Text(), *(_fact(name, value) for name, value in facts if value)])


def batch_words(group: RunGroup, come: Progress) -> str:
    """The progress of a batch; once it has ended, the outcomes of its runs."""
    if come.left:
        return progress_text(come)
    outcomes = Counter(run_look(record).word for record in group.records)
    return ", ".join(f"{number:,} {word}" for word, number in outcomes.most_common())


def _running(records: Sequence[RunRecord], last_lines: Mapping[str, str]) -> Iterator[Text]:
    running = [record for record in records if record.state is RunState.RUNNING]
    for record in running[:_MOST_RUNNING]:
        where = f" on {one_line(record.place)}" if record.place else ""
        said = one_line(last_lines.get(record.spec.run_id, ""))
        yield Text.assemble(("running  ", "bold"), f"{one_line(record.spec.test_id)}{where}  ", (said, "dim"))
    if more := running[_MOST_RUNNING:]:
        yield Text(f"and {counted(len(more), 'more run')}")
    queued = [record for record in records if record.state is RunState.QUEUED]
    for record in queued[:_MOST_NEXT]:
        yield Text.assemble(
            ("waits    ", "dim"), f"{one_line(record.spec.test_id)}  ", (one_line(record.summary), "dim")
        )
    if more := queued[_MOST_NEXT:]:
        yield Text(f"         and {len(more):,} more", "dim")


def _failures(records: Sequence[RunRecord]) -> Iterator[Text]:
    """The failures by their reason, the most frequent one first."""
    by_reason: dict[tuple[str, str], list[RunRecord]] = {}
    for record in records:
        if record.outcome in FAILURES:
            by_reason.setdefault((run_look(record).word, record.summary), []).append(record)
    reasons = sorted(by_reason.items(), key=lambda reason: -len(reason[1]))
    if reasons:
        yield Text()
    for (word, summary), failed in reasons[:_MOST_REASONS]:
        yield Text.assemble((f"{len(failed):,} {word}", "bold red"), f"  {one_line(summary)}")
        tests = list(dict.fromkeys(one_line(record.spec.test_id) for record in failed))
        yield from (Text(f"  {test}", "dim") for test in tests[:_MOST_NAMED])
        if more := tests[_MOST_NAMED:]:
            yield Text(f"  and {len(more):,} more", "dim")
    if others := reasons[_MOST_REASONS:]:
        yield Text(f"and {sum(len(failed) for _, failed in others):,} for other reasons", "dim")


def _facts(group: RunGroup, taken: float | None) -> Iterator[tuple[str, str]]:
    records = group.records
    parent = next((record.spec.parent for record in records if record.spec.parent), "")
    began = min((record.started for record in records if record.started is not None), default=None)
    longest = max(records, key=lambda record: record.seconds or 0.0)
    places = Counter(record.place or "here" for record in records if record.started is not None)
    yield "batch", f"{group.batch}{f', a rerun of {parent}' if parent else ''}"
    yield "started", moment_text(began)
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


def _fact(name: str, value: str) -> Text:
    return Text.assemble((name.ljust(_LABEL), "dim"), one_line(value))
