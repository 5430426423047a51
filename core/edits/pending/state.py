# SPDX-License-Identifier: Apache-2.0
"""The pending state of one checkout, as a pure fold over the events of its journal."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.edits.apply import (
    ABSENT,
    EntryStates,
    Fields,
    Key,
    after,
    key_after,
    leaves,
    same,
    value_at,
    with_value,
    without_nulls,
)
from core.edits.facts import Cited
from core.edits.operations import Operation, OpKind
from core.edits.pending.change import (
    BaseEntry,
    Change,
    Decided,
    Pending,
    Put,
    StepEdit,
    UndoStep,
    causes_of,
    evidence_of,
)
from core.edits.pending.events import (
    FilesCommitted,
    JournalEvent,
    Marked,
    Numbered,
    Rebased,
    Redone,
    Reminded,
    Stepped,
    Undone,
    WriteAbandoned,
    WriteBegan,
    WriteDone,
)
from core.edits.pending.reminders import with_reminder

ChangeMap = Callable[[Change], Change]


@dataclass(frozen=True, slots=True)
class PendingState:
    """The pending changes of one checkout, with undo steps, written files and marks."""

    pending: Pending = field(default_factory=Pending)
    marks: frozenset[str] = frozenset()
    seen: Mapping[Key, str] = field(default_factory=dict)
    """Digest of every entry at the last look at the files."""
    uncommitted: tuple[str, ...] = ()
    """Files that were written here and are not committed yet, relative to the test_config directory."""
    written: tuple[Operation, ...] = ()
    """The operations that were written to them, each with its file: only these belong into a commit."""
    evidence: Mapping[str, tuple[Cited, ...]] = field(default_factory=dict)
    """What justifies `written`, by id."""
    reminders: tuple[Change, ...] = ()
    """The ways back of what was written until an issue is closed, each with it (`Change.restore`)."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """The causes of `written`, by id."""
    writing: WriteBegan | None = None
    """A write that began and did not end."""


def apply(state: PendingState, event: JournalEvent) -> PendingState:
    """`state` after `event`. Parts of the event about changes that are gone are ignored."""
    return fold(state, (event,))


def fold(state: PendingState, events: Iterable[JournalEvent]) -> PendingState:
    """`state` after all `events`. Costs as much as the events change, not as much as the whole state."""
    folding = _Folding(state)
    for event in events:
        folding.take(event)
    return folding.state()


def events_for(state: PendingState) -> list[JournalEvent]:
    """The fewest events that give this state: `fold(PendingState(), events_for(state)) == state`."""
    pending = state.pending
    events: list[JournalEvent] = (
        [WriteDone((), state.uncommitted, state.written, state.evidence, state.causes)] if state.uncommitted else []
    )
    events += [Stepped(step) for step in (*pending.past, *reversed(pending.future))]
    events += [Undone()] * len(pending.future)
    events.append(Numbered(pending.next_id))
    if state.seen:
        events.append(Rebased(come=state.seen))
    if state.marks:
        events.append(Marked(added=state.marks))
    if state.reminders:
        events.append(Reminded(noted=state.reminders))
    if state.writing:
        events.append(state.writing)
    return events


class _Folding:
    """A pending state while events are applied to it."""

    def __init__(self, state: PendingState) -> None:
        self._before = state
        self._changes = {change.id: change for change in state.pending.changes}
        self._past = list(state.pending.past)
        self._future = list(state.pending.future)
        self._next_id = state.pending.next_id
        self._marks: set[str] | None = None
        self._seen: dict[Key, str] | None = None
        self._reminders = state.reminders

    def state(self) -> PendingState:
        changes = tuple(self._changes[id] for id in sorted(self._changes))
        return replace(
            self._before,
            pending=Pending(changes, tuple(self._past), tuple(self._future), self._next_id),
            marks=self._before.marks if self._marks is None else frozenset(self._marks),
            seen=self._before.seen if self._seen is None else self._seen,
            reminders=self._reminders,
        )

    def take(self, event: JournalEvent) -> None:
        match event:
            case Stepped():
                self._push(event.step)
            case Undone():
                self._undo()
            case Redone():
                self._redo()
            case WriteDone():
                self._written(event)
            case Rebased():
                self._rebased(event)
            case Marked():
                self._marks = set(self._before.marks) if self._marks is None else self._marks
                self._marks |= event.added
                self._marks -= event.removed
            case Reminded():
                self._remind(event)
            case Numbered():
                self._next_id = max(self._next_id, event.next_id)
            case _:
                self._before = _about_files(self._before, event)

    def _push(self, step: UndoStep) -> None:
        if not step.edits:
            return
        # An offered inverse must survive the next step: it becomes a proposal like others.
        for undone in self._future:
            if undone.offers:
                self._past.append(_reversed(undone))
        self._future.clear()
        self._past.append(step)
        self._do(step)

    def _do(self, step: UndoStep) -> None:
        for edit in step.edits:
            self._next_id = max(self._next_id, edit.id + 1)
            if isinstance(edit, Decided):
                if edit.id in self._changes:
                    self._changes[edit.id] = replace(self._changes[edit.id], decision=edit.after)
            elif edit.after is None:
                self._changes.pop(edit.id, None)
            else:
                self._changes[edit.id] = edit.after

    def _undo(self) -> None:
        if self._past:
            self._do(_reversed(self._past[-1]))
            self._future.append(self._past.pop())

    def _redo(self) -> None:
        if self._future:
            self._do(self._future[-1])
            self._past.append(self._future.pop())

    def _written(self, event: WriteDone) -> None:
        written = [self._changes[id] for id in event.ids if id in self._changes]
        files = dict.fromkeys((*self._before.uncommitted, *event.files))
        ops = (*self._before.written, *event.ops, *(op for change in written for op in change.placed()))
        evidence = {**self._before.evidence, **event.evidence, **evidence_of(written)}
        causes = {**self._before.causes, **event.causes, **causes_of(written)}
        self._before = replace(
            self._before,
            writing=None,
            uncommitted=tuple(files),
            written=ops,
            evidence=evidence,
            causes=causes,
        )
        if written:
            self._forget(frozenset(event.ids))
            self._map_changes(follow_write(written))
            self._remind(Reminded(added=tuple(written)))
            if back := inverse(written):
                self._push(UndoStep((Put(replace(back, id=self._next_id), None),), offers=True))

    def _remind(self, event: Reminded) -> None:
        for one in event.noted:
            self._reminders = with_reminder(self._reminders, one)
        for one in event.added:
            if one.restore and (back := inverse([one])):
                self._reminders = with_reminder(self._reminders, replace(back, restore=one.restore, facts=one.facts))
        if event.removed:
            self._reminders = tuple(one for one in self._reminders if one.restore not in event.removed)

    def _rebased(self, event: Rebased) -> None:
        if event.come or event.gone:
            self._seen = dict(self._before.seen) if self._seen is None else self._seen
            for key in event.gone:
                self._seen.pop(key, None)
            self._seen.update(event.come or {})
        if event.renamed:
            self._map_changes(follow_renames(event.renamed))
        # A normal step, so that it can be undone: another branch may have other contents tomorrow.
        self._push(UndoStep(tuple(Put(self._changes[id], None) for id in event.dropped if id in self._changes)))

    def _forget(self, ids: frozenset[int]) -> None:
        """Remove these changes from all steps."""
        for id in ids:
            self._changes.pop(id, None)
        self._each_step(lambda edits: tuple(edit for edit in edits if edit.id not in ids))

    def _map_changes(self, mapped: ChangeMap) -> None:
        self._changes = {id: mapped(change) for id, change in self._changes.items()}
        self._reminders = tuple(map(mapped, self._reminders))
        self._each_step(lambda edits: tuple(_mapped(edit, mapped) for edit in edits))

    def _each_step(self, new: Callable[[Sequence[StepEdit]], tuple[StepEdit, ...]]) -> None:
        for steps in (self._past, self._future):
            renewed = (replace(step, edits=new(step.edits)) for step in steps)
            steps[:] = [step for step in renewed if step.edits]


def _about_files(state: PendingState, event: WriteBegan | WriteAbandoned | FilesCommitted) -> PendingState:
    match event:
        case WriteBegan():
            return replace(state, writing=event)
        case WriteAbandoned():
            return replace(state, writing=None)
        case FilesCommitted():
            left = tuple(file for file in state.uncommitted if file not in event.files)
            written = tuple(op for op in state.written if op.file in left)
            ids = {op.id for op in written}
            evidence = {id: lines for id, lines in state.evidence.items() if id in ids}
            causes = {id: cause for id, cause in state.causes.items() if id in ids}
            return replace(state, uncommitted=left, written=written, evidence=evidence, causes=causes)


def _reversed(step: UndoStep) -> UndoStep:
    return UndoStep(tuple(_back(edit) for edit in reversed(step.edits)))


def _back(edit: StepEdit) -> StepEdit:
    if isinstance(edit, Decided):
        return Decided(edit.id, edit.after, edit.before)
    return Put(edit.after, edit.before)


def _mapped(edit: StepEdit, mapped: ChangeMap) -> StepEdit:
    if isinstance(edit, Decided):
        return edit

    def side(change: Change | None) -> Change | None:
        return mapped(change) if change else None

    return Put(side(edit.before), side(edit.after))


def follow_renames(renames: Iterable[tuple[Key, Key]]) -> ChangeMap:
    """Turn a change of an entry that was renamed or moved to another file into a change of the present entry."""
    new_keys: Mapping[Key, Key] = dict(renames)

    def mapped(change: Change) -> Change:
        # What did not exist has nothing to follow: the inverse of a move names the place that the entry had left.
        there = (base.key for base in change.bases if base.fields is not None)
        moved = {key: new_keys[key] for key in there if key in new_keys}
        return _rekeyed(change, moved) if moved else change

    return mapped


def follow_write(written: Iterable[Change]) -> ChangeMap:
    """Base changes of entries that we wrote ourselves on what we wrote."""
    done = tuple((op, change.base_of(op)) for change in written for op in change.ops)
    ids = {op.id for op, _ in done}

    def mapped(change: Change) -> Change:
        if ids.isdisjoint(base.id for base in change.bases):
            return change
        for op, base in done:
            change = _after_write(change, op, op.file or (base.file if base else ""))
        return change

    return mapped


def _after_write(change: Change, written: Operation, file: str) -> Change:
    own = next((base for base in change.bases if base.id == written.id and file in ("", base.file)), None)
    if own is None:
        return change
    if written.is_entry and written.op in (OpKind.RENAME, OpKind.MOVE):
        to = str(written.to)
        return _rekeyed(change, {own.key: (own.file, to) if written.op is OpKind.RENAME else (to, own.id)})
    new = replace(own, fields=after(own.fields, written))
    return replace(change, bases=tuple(new if base is own else base for base in change.bases))


def _rekeyed(change: Change, moved: Mapping[Key, Key]) -> Change:
    """`change` with its entries under other keys; an operation without a file stays without one."""
    keys = dict(moved)

    def operation(op: Operation) -> Operation:
        key = change.key_of(op)
        if key not in keys:
            return op
        file, id = keys[key]
        if (own := key_after(op, key)) and (new := key_after(op, (file, id))):
            # Later operations on the entry that this one makes.
            keys[own] = new
        return replace(op, id=id, file=op.file and file)

    return replace(
        change,
        ops=tuple(map(operation, change.ops)),
        bases=tuple(BaseEntry(*moved.get(base.key, base.key), base.fields) for base in change.bases),
    )


def inverse(changes: Iterable[Change]) -> Change | None:
    """The change that undoes what `changes`, taken in order, did to their entries; None: none is needed.

    Comments of a removed entry, and nulls, are not values and are not restored.
    """
    states = EntryStates()
    back: list[Operation] = []
    for change in changes:
        for base in change.bases:
            states.entries.setdefault(base.key, base.fields)
        for op in change.ops:
            key = states.key(op, change.key_of(op))
            back.extend(inverse_value(op, key, states.entries.get(key)))
            states.apply(op, key)
    bases = tuple(BaseEntry(*key, fields) for key, fields in states.entries.items())
    ops = tuple(_applicable(reversed(back), states))
    return Change(ops, "undoes what was written", bases=bases) if ops else None


def _applicable(ops: Iterable[Operation], states: EntryStates) -> Iterator[Operation]:
    """`ops` on the entries of `states`, which they change. The first field of an entry that is gone adds the entry.

    An entry can have lost its last field before it was removed: then no operation of `ops` adds it.
    """
    for op in ops:
        key = (op.file or "", op.id)
        if states.entries.get(key) is None and op.op is not OpKind.ADD:
            if op.op is not OpKind.SET:
                continue
            op = replace(op, op=OpKind.ADD, path=(), value=with_value({}, op.path, op.value))
        yield op
        states.apply(op, key)


def inverse_value(op: Operation, key: Key, found: Fields | None) -> Iterator[Operation]:
    """The operations that undo one operation on an entry with the fields `found`; the last one to apply comes first."""
    file, id = key
    match op.op:
        case OpKind.ADD if op.is_entry:
            yield Operation(OpKind.REMOVE, id, file)
        case _ if found is None:
            return
        case OpKind.RENAME if op.renames_key:
            yield Operation(OpKind.RENAME, id, file, (*op.path[:-1], str(op.to)), to=op.path[-1])
        case _ if op.path:
            yield from _field_back(op, key, found)
        case OpKind.REMOVE:
            fields = without_nulls(found)
            if fields:
                yield Operation(OpKind.ADD, id, file, value=fields)
        case OpKind.RENAME:
            yield Operation(OpKind.RENAME, str(op.to), file, to=id)
        case OpKind.MOVE:
            yield Operation(OpKind.MOVE, id, str(op.to), to=file)


def _field_back(op: Operation, key: Key, found: Fields) -> Iterator[Operation]:
    before = value_at(found, op.path)
    if same(before, value_at(after(found, op), op.path)):
        return
    if before is ABSENT or before is None:
        yield Operation(OpKind.UNSET, key[1], key[0], op.path)
        return
    for path, value in reversed([*leaves(before, op.path)]):
        yield Operation(OpKind.SET, key[1], key[0], path, value)
