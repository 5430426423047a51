# SPDX-License-Identifier: Apache-2.0
"""A group of tests with one cause as lines: what they have in common, then each test with its results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.base.checked_numbers import day_of
from core.base.text import counted, one_line
from core.domain.model import Status
from core.edits import MOST_GRADE, Operation
from core.edits.pending import Change
from core.evidence import Observation
from core.evidence.analysis import Commits, commit_lines
from core.evidence.proposals import CauseKind, InboxItem, Shared
from tui.view_models.changes import brief_operations
from tui.view_models.evidence import strip_room, strips_cells
from tui.view_models.fitting import CellLine, fit, paragraph, wrapped
from tui.view_models.style import STATUS_LOOKS, Cell

Series = Mapping[tuple[str, str], Sequence[Observation]]
"""All results of cells, by id and arch, oldest first."""

_INDENT = 2
_NAMED_HOSTS, _NAMED_TESTS, _NAMED_COMMITS, _NAMED_KINDS = 4, 5, 5, 2


def shared_lines(one: Shared, commits: Sequence[Commits], width: int, proposed: str = "") -> list[CellLine]:
    """The common traits of the tests of a group; `proposed` are the words for their proposal."""
    lines: list[CellLine] = []
    if one.error or one.why:
        lines += paragraph(one_line(one.error or one.why), "word", width, _INDENT)
    if proposed:
        lines += paragraph(f"proposed: {one_line(proposed)}", "", width, _INDENT)
    for text in _facts(one):
        lines += paragraph(one_line(text), "", width, _INDENT)
    for id in one.others[:_NAMED_TESTS]:
        lines.append((Cell("  "), Cell(fit(one_line(id), max(1, width - 2), elide=True), "dim")))
    if len(one.others) > _NAMED_TESTS:
        lines.append((Cell(f"  and {len(one.others) - _NAMED_TESTS:,} more", "dim"),))
    unknown = {part.between.unknown for part in commits}
    if len(unknown) == 1 and "" not in unknown:
        return lines + paragraph(f"commits between: {one_line(unknown.pop())}", "dim", width, _INDENT)
    for part in commits:
        head, *rest = commit_lines(part.name, part.between, _NAMED_COMMITS)
        lines += paragraph(head, "", width, _INDENT)
        lines += [line for text in rest for line in paragraph(text, "dim", width, _INDENT * 2)]
        if part.url:
            lines += paragraph(f"  {part.url}", "dim", width, _INDENT * 2)
    return lines


def _facts(one: Shared) -> Iterator[str]:
    """Since when; how many of how many, where; how much that weighs; who else has it."""
    if one.first is not None or one.cause.since:
        since = _place(one.first) if one.first else one.cause.since
        yield f"since {since}" + (f"; before that: {_place(one.before)}" if one.before else "")
    gone = one.cause.kind is CauseKind.GONE
    ran = f" of the {counted(one.of, 'test')} that ran" if one.of and not gone else ""
    ran = f" gone, while {counted(one.of, 'other test')} ran" if one.of and gone else ran
    archs = ", ".join(arch if count == one.tests else f"{arch} ({count:,})" for arch, count in one.archs.items())
    yield f"{one.tests:,}{ran}, on {archs}{_hosts(one.hosts)}" if ran else f"on {archs}{_hosts(one.hosts)}"
    if one.grades:
        low, high = one.grades[0], one.grades[-1]
        yield f"grade {low}{f' to {high}' if high > low else ''} of {MOST_GRADE}"
    if one.others:
        yield f"{counted(len(one.others), 'test')} outside of this group {_ends(len(one.others))} like this too:"
    elif one.error:
        yield "no test outside of this group ends like this"


def _ends(count: int) -> str:
    return "ends" if count == 1 else "end"


def _hosts(hosts: Sequence[str]) -> str:
    if not hosts:
        return ""
    more = f" and {len(hosts) - _NAMED_HOSTS} more" if len(hosts) > _NAMED_HOSTS else ""
    return f"; {counted(len(hosts), 'host')}: {', '.join(hosts[:_NAMED_HOSTS])}{more}"


def _place(row: Observation) -> str:
    day = day_of(row.when)
    return f"{row.run} ({day})" if day else row.run


def proposed_words(changes: Iterable[Change]) -> str:
    """The proposals for the tests of a group, with their own reasons where these differ; most frequent first."""
    found: dict[str, dict[str, None]] = {}
    counts: Counter[str] = Counter()
    for one in changes:
        if one.ops:
            key = brief_operations([op for op in map(_without_reason, one.ops) if op])
            found.setdefault(key, {})[brief_operations(one.ops)] = None
            counts[key] += 1
    said = [
        f"{next(iter(found[key])) if len(found[key]) == 1 else f'{key}, each with its reason'}"
        f"{f' ({count:,})' if len(counts) > 1 else ''}"
        for key, count in counts.most_common(_NAMED_KINDS)
    ]
    rest = len(counts) - _NAMED_KINDS
    return "; or ".join(said) + (f"; and {counted(rest, 'other change')}" if rest > 0 else "")


def statuses_proposed(changes: Iterable[Change]) -> str:
    """The statuses that changes set, in the words of the matrix; `status stays` where they set none."""
    found: dict[str, None] = {}
    for op in (op for one in changes for op in one.ops):
        value = (
            op.value.get("status") if isinstance(op.value, dict) else op.value if op.path[-1:] == ("status",) else None
        )
        if value in list(Status):
            found[STATUS_LOOKS[Status(str(value))].word] = None
    return ", ".join(found) or "status stays"


def _without_reason(op: Operation) -> Operation | None:
    if op.path[-1:] == ("reason",):
        return None
    fields = op.value
    if isinstance(fields, dict):
        return replace(op, value={name: value for name, value in fields.items() if name != "reason"})
    return op


MOST_STRIPS = 300
"""So many tests of a group have their strips below it."""


def group_lines(items: Sequence[InboxItem], series: Series, width: int) -> list[CellLine]:
    """The tests of a group, each with the whole strip of each arch; what `series` lacks has the newest results."""
    lines: list[CellLine] = []
    shown = [(item, _results(item, series)) for item in items[:MOST_STRIPS]]
    room = strip_room(cells for _, cells in shown)
    for item, cells in shown:
        lines.append((Cell(fit(one_line(item.id), width, elide=True), "word"),))
        lines += wrapped([Cell("  "), *strips_cells(cells, room)], width, _INDENT) if cells else []
        if item.proposal and item.proposal.leaves:
            text = f"  will leave CI on {', '.join(item.proposal.leaves)}"
            lines += paragraph(text, "error", width, _INDENT)
    if len(items) > MOST_STRIPS:
        lines += paragraph(
            f"and {len(items) - MOST_STRIPS:,} more: unfold the group to see them", "dim", width, _INDENT
        )
    return lines


def _results(item: InboxItem, series: Series) -> Mapping[str, Sequence[Observation]]:
    found = ((one.arch, series.get((item.id, one.arch)) or item.results.get(one.arch)) for one in item.about)
    return {arch: rows for arch, rows in found if rows}
