# SPDX-License-Identifier: Apache-2.0
"""Events of the journal as lines of JSON, and back; a class gives the form of each event with a form of its own."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from core.base.files import Malformed, decoded, parsed, plain, reshaped, typed
from core.edits.apply import Key
from core.edits.facts import CellFacts, Cited
from core.edits.operations import OpKind
from core.edits.pending.change import Change, Decided, Decision, Put, StepEdit, UndoStep
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

T = TypeVar("T")

FORMAT = "ttmatrix-journal"
VERSION = 1


class _Operation(Struct, omit_defaults=True, forbid_unknown_fields=True):
    # An unknown part of an operation from another version must not be ignored: it would be another operation.
    op: OpKind
    id: str
    file: str | None = None
    path: tuple[str, ...] = ()
    value: object = None
    to: str | None = None


class _Base(Struct, array_like=True):
    file: str
    id: str
    fields: Mapping[str, object] | None


class _Change(Struct, omit_defaults=True, kw_only=True):
    id: int
    ops: tuple[_Operation, ...]
    note: str
    evidence: tuple[str, ...] = ()
    cause: str = ""
    decision: Decision
    bases: tuple[_Base, ...]
    facts: tuple[CellFacts, ...] = ()
    restore: str = ""
    grade: int | None = None
    grade_why: str = ""


class _Put(Struct):
    put: tuple[_Change | None, _Change | None]
    """The change before and after."""


class _Step(Struct, omit_defaults=True):
    edits: tuple[Mapping[str, object], ...]
    """Each a _Put, or a Decided as it is."""
    offers: bool = False


class _Written(Struct, omit_defaults=True):
    ids: tuple[int, ...]
    files: tuple[str, ...]
    ops: tuple[_Operation, ...] = ()
    evidence: dict[str, tuple[Cited, ...]] = {}
    causes: dict[str, str] = {}


class _Rebased(Struct):
    gone: tuple[Key, ...]
    come: tuple[tuple[str, str, str], ...]
    """File, id and digest."""
    renamed: tuple[tuple[Key, Key], ...]
    dropped: tuple[int, ...]


class _Marked(Struct):
    added: tuple[str, ...]
    removed: tuple[str, ...]


class _Reminded(Struct, omit_defaults=True):
    added: tuple[_Change, ...] = ()
    noted: tuple[_Change, ...] = ()
    removed: tuple[str, ...] = ()


_FORMS: Mapping[object, tuple[type[JournalEvent], type[Any]]] = {
    "step": (Stepped, _Step),
    "undo": (Undone, Undone),
    "redo": (Redone, Redone),
    "write-began": (WriteBegan, WriteBegan),
    "write-ended": (WriteAbandoned, WriteAbandoned),
    "written": (WriteDone, _Written),
    "committed": (FilesCommitted, FilesCommitted),
    "rebased": (Rebased, _Rebased),
    "marked": (Marked, _Marked),
    "reminded": (Reminded, _Reminded),
    "numbered": (Numbered, Numbered),
}
_NAMES = {event: name for name, (event, _) in _FORMS.items()}


def header(root: str, serial: str) -> str:
    """The first line of a journal: its format, its checkout, and a serial that no two files of its name share."""
    return json.dumps({"format": FORMAT, "version": VERSION, "checkout": root, "serial": serial})


def version_in(line: str) -> int:
    """The version in the first line of a journal. Raises Malformed if the line is not such a first line."""
    raw = parsed(line)
    if not isinstance(raw, dict) or raw.get("format") != FORMAT or type(raw.get("version")) is not int:
        raise Malformed("it does not begin like a journal")
    return int(raw["version"])


def to_line(event: JournalEvent) -> str:
    """`event` as one line, without the line end."""
    return json.dumps({"event": _NAMES[type(event)], **plain(_form(event))}, separators=(",", ":"))


def from_line(line: str) -> JournalEvent:
    """The event in one line. Raises Malformed for an unknown event."""
    raw = decoded(line, dict[str, object])
    if (name := raw.get("event")) not in _FORMS:
        raise Malformed(f"there is no event {name!r}")
    return _event(typed(raw, _FORMS[name][1]))


def _form(event: JournalEvent) -> object:
    match event:
        case Stepped():
            return _Step(tuple(map(_edit_form, event.step.edits)), event.step.offers)
        case WriteDone():
            return reshaped(event, _Written)
        case Reminded():
            return reshaped(event, _Reminded)
        case Rebased():
            come = tuple((*key, digest) for key, digest in (event.come or {}).items())
            return _Rebased(event.gone, come, event.renamed, event.dropped)
        case Marked():
            return _Marked(tuple(sorted(event.added)), tuple(sorted(event.removed)))
    return event


def _event(form: Any) -> JournalEvent:
    match form:
        case _Step():
            return Stepped(UndoStep(tuple(map(_edit, form.edits)), form.offers))
        case _Written():
            return reshaped(form, WriteDone)
        case _Reminded():
            return reshaped(form, Reminded)
        case _Rebased():
            come = {(file, id): digest for file, id, digest in form.come}
            return Rebased(form.gone, come, form.renamed, form.dropped)
        case _Marked():
            return Marked(frozenset(form.added), frozenset(form.removed))
    event: JournalEvent = form
    return event


def _edit_form(edit: StepEdit) -> Mapping[str, object]:
    form = edit if isinstance(edit, Decided) else _Put((_other(edit.before, _Change), _other(edit.after, _Change)))
    raw: Mapping[str, object] = plain(form)
    return raw


def _edit(raw: Mapping[str, object]) -> StepEdit:
    if "put" not in raw:
        return typed(raw, Decided)
    before, after = typed(raw, _Put).put
    return Put(_other(before, Change), _other(after, Change))


def _other(change: Change | _Change | None, kind: type[T]) -> T | None:
    return None if change is None else reshaped(change, kind)
