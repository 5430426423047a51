# SPDX-License-Identifier: Apache-2.0
"""Pending changes in words: what they do, their effect, and their conflicts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.base.text import counted, device_minutes, one_line
from core.ci import job_name
from core.domain.model import Status
from core.edits import ABSENT, Operation, OpKind
from core.edits.pending import Conflict, Rebased
from tui.view_models.style import STATUS_LOOKS

if TYPE_CHECKING:
    from core.edits import CellChange
    from core.sources.ci import Job

_SHOWN_KINDS = 4
_SHOWN_JOBS = 6
_LEAST_MINUTES = 0.05
_FIRST = ("status", "reason")
"""The fields that a row begins with."""


Describe = Callable[[Sequence[Operation]], str]
"""Puts operations in words."""
Assigned = Callable[[str, object], str]
"""Says which value a field gets."""


def describe_operations(operations: Sequence[Operation]) -> str:
    """Describe operations without their ids, each distinct description once; those for one arch together."""
    return _described(operations, _assigned)


def brief_operations(operations: Sequence[Operation]) -> str:
    """As `describe_operations`, for a row: status and reason first, names of fields only where values do not tell."""
    return _described(sorted(operations, key=lambda op: _rank(op.path[-1] if op.path else "")), _briefly)


def _described(operations: Sequence[Operation], assigned: Assigned) -> str:
    acts: dict[str, None] = {}
    by_arch: dict[str, dict[str, None]] = {}
    for op in operations:
        if op.path[:1] == ("arch_overrides",) and len(op.path) > 2:
            by_arch.setdefault(op.path[1], {})[_act(op, ".".join(op.path[2:]), assigned)] = None
        else:
            acts[_act(op, ".".join(op.path), assigned)] = None
    of_archs = (f"{arch}: {', '.join(made)}" for arch, made in by_arch.items())
    return one_line("; ".join((*acts, *of_archs)))


def _rank(field: str) -> int:
    return _FIRST.index(field) if field in _FIRST else len(_FIRST)


def _assigned(field: str, value: object) -> str:
    return f"{field} = {_value(value)}"


def _briefly(field: str, value: object) -> str:
    match field, value:
        case "status", str() if value in list(Status):
            return STATUS_LOOKS[Status(value)].word
        case "reason", str():
            return f'"{value}"'
        case "bringup_status", str():
            return value
        case _:
            return _assigned(field, value)


def _act(op: Operation, name: str, assigned: Assigned) -> str:
    """The effect of an operation on the field `name`."""
    match op.op:
        case OpKind.SET:
            return assigned(name, op.value)
        case OpKind.UNSET:
            return f"no {name}"
        case OpKind.ADD | OpKind.REMOVE | OpKind.RENAME if op.path:
            return _part(op, name)
        case OpKind.ADD:
            fields = op.value.items() if isinstance(op.value, dict) else ()
            return "new entry " + ", ".join(assigned(key, value) for key, value in fields)
        case OpKind.REMOVE:
            return "remove"
        case _:
            return f"{op.op} to {op.to}"


def _part(op: Operation, name: str) -> str:
    """Describe the change of an override or of one list item."""
    if op.is_override and op.op is OpKind.REMOVE:
        return f"no override for {op.path[1]}"
    to = f" to {op.to}" if op.to else ""
    return f"{op.op} {name}{to}" if op.is_override or op.renames_key else f"{name}: {op.op} {_value(op.value)}{to}"


def _value(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_value(inner)}" for key, inner in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def effect_words(changes: "Sequence[CellChange]") -> str:
    """The effect in words: cells that change, CI jobs gained and lost, device time costed or saved."""
    moved = [change for change in changes if change.before is not change.after]
    other = [change for change in changes if change.arch and change.before is change.after and change.fields]
    cases = [change for change in changes if not change.arch]
    by_kind = Counter(f"{_word(change.before)}→{_word(change.after)}" for change in moved)
    cells, words = counted(len(moved), "cell"), []
    if len(by_kind) == 1:
        words.append(f"{cells} {next(iter(by_kind))}")
    elif by_kind:
        kinds = (f"{count:,} {kind}" for kind, count in by_kind.most_common(_SHOWN_KINDS))
        words.append(f"{cells}: {', '.join(kinds)}")
    if other:
        names = dict.fromkeys(field.name for change in other for field in change.fields)
        words.append(f"{counted(len(other), 'cell')}: {', '.join(names)}")
    if cases:
        names = dict.fromkeys(field.name for change in cases for field in change.fields)
        words.append(f"{counted(len(cases), 'op case')}: {', '.join(names)}")
    words += _moves("enter", "enters", [(change.id, change.jobs_gained) for change in changes])
    words += _moves("LEAVE", "LEAVES", [(change.id, change.jobs_lost) for change in changes])
    minutes = sum(change.minutes or 0 for change in changes)
    if cost := device_minutes(minutes):
        words.append(cost)
    return " · ".join(words) or "no effect on any run"


def _moves(verb: str, of_one: str, moves: "Sequence[tuple[str, Sequence[Job]]]") -> Iterator[str]:
    """`16 tests LEAVE 2 CI jobs`: each job counts once, however many tests it is about."""
    jobs = {job_name(job) for _, some in moves for job in some}
    tests = {id for id, some in moves if some}
    if jobs:
        yield f"{counted(len(tests), 'test')} {of_one if len(tests) == 1 else verb} {counted(len(jobs), 'CI job')}"


def job_lines(changes: "Sequence[CellChange]") -> list[tuple[str, str]]:
    """The first CI jobs that tests would lose or gain, lost ones first, as texts with their styles."""
    lost = [(f"loses CI job {job_name(job)}", "error") for change in changes for job in change.jobs_lost]
    gained = [(f"gains CI job {job_name(job)}", "") for change in changes for job in change.jobs_gained]
    lines = list(dict.fromkeys((*lost, *gained)))
    more = [(f"and {counted(len(lines) - _SHOWN_JOBS, 'more job')}", "")] if len(lines) > _SHOWN_JOBS else []
    return lines[:_SHOWN_JOBS] + more


def conflict_lines(conflicts: Sequence[Conflict]) -> list[str]:
    """Lines of a conflict: the old value, the current one from elsewhere, and the wanted one."""
    lines = []
    for one in conflicts:
        place = f"{one.id}: {'.'.join(one.path)}" if one.path else one.id
        sides = (("before", one.base), ("theirs", one.theirs), ("ours", one.ours))
        lines += [f"changed elsewhere: {place}", *(f"  {name + ':':7} {_side(value)}" for name, value in sides)]
    return lines


def rebase_words(event: Rebased | None, clashing: Collection[Sequence[Conflict]], key: str) -> str:
    """The effect of changed files on pending changes; empty: nothing to report. `key` opens the review."""
    words = []
    if event and event.renamed:
        words.append(f"{counted(len(event.renamed), 'rename')} followed")
    if event and event.dropped:
        words.append(f"{counted(len(event.dropped), 'change')} already in the files and dropped")
    if clashing:
        words.append(f"{counted(len(clashing), 'change')} in conflict: the review ({key}) shows both sides")
    return f"Pending changes: {', '.join(words)}." if words else ""


def _side(value: object) -> str:
    if value is ABSENT:
        return "(nothing)"
    if isinstance(value, Mapping):
        return one_line("; ".join(f"{name} = {_value(inner)}" for name, inner in value.items()))
    return one_line(_value(value))


def _word(status: Status | None) -> str:
    return STATUS_LOOKS[status].word if status else "unmarked"
