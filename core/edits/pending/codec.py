# SPDX-License-Identifier: Apache-2.0
"""Events of the journal as lines of JSON, and back."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from core.edits.apply import Key
from core.edits.operations import Operation, OpKind, to_json
from core.edits.pending.change import Base, Change, Decided, Decision, Edit, Put, Step
from core.edits.pending.events import (
    Committed,
    Event,
    FileWrite,
    Marked,
    Numbered,
    Rebased,
    Redone,
    Stepped,
    Undone,
    WriteBegan,
    WriteEnded,
    Written,
)

FORMAT = "ttmatrix-journal"
VERSION = 1


def header(root: str, serial: str) -> str:
    """The first line of a journal: what it is, of which checkout, and which of all files that had its name."""
    return json.dumps({"format": FORMAT, "version": VERSION, "checkout": root, "serial": serial})


def version_in(line: str) -> int:
    """The version that a first line tells of. Raises ValueError where it is none of ours."""
    raw = json.loads(line)
    if not isinstance(raw, dict) or raw.get("format") != FORMAT or type(raw.get("version")) is not int:
        raise ValueError("it does not begin like a journal")
    return int(raw["version"])


def to_line(event: Event) -> str:
    """`event` as one line, without the line end."""
    return json.dumps({"event": _NAMES[type(event)], **_fields(event)}, separators=(",", ":"))


def from_line(line: str) -> Event:
    """The event of one line. Raises ValueError where it tells of none that is known."""
    try:
        raw = json.loads(line)
        return _READERS[raw["event"]](raw)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no event that is known: {error!r}") from error


# Looked up for every line: making an enum member of a text takes several times as long.
_KINDS: Mapping[str, OpKind] = {str(kind): kind for kind in OpKind}
_DECISIONS: Mapping[str, Decision] = {str(decision): decision for decision in Decision}

_NAMES: Mapping[type, str] = {
    Stepped: "step",
    Undone: "undo",
    Redone: "redo",
    WriteBegan: "write-began",
    WriteEnded: "write-ended",
    Written: "written",
    Committed: "committed",
    Rebased: "rebased",
    Marked: "marked",
    Numbered: "numbered",
}


def _fields(event: Event) -> dict[str, object]:
    match event:
        case Stepped():
            offers = {"offers": True} if event.step.offers else {}
            return {"edits": [_edit(edit) for edit in event.step.edits], **offers}
        case WriteBegan():
            return {"files": [[one.file, one.before, one.after] for one in event.files], "ids": event.ids}
        case Written():
            ops = {"ops": to_json(event.ops)} if event.ops else {}
            evidence = {"evidence": event.evidence} if event.evidence else {}
            return {"ids": event.ids, "files": event.files, **ops, **evidence}
        case Committed():
            return {"files": event.files}
        case Rebased():
            come = [[*key, digest] for key, digest in (event.come or {}).items()]
            return {"gone": event.gone, "come": come, "renamed": event.renamed, "dropped": event.dropped}
        case Marked():
            return {"added": sorted(event.added), "removed": sorted(event.removed)}
        case Numbered():
            return {"next_id": event.next_id}
        case Undone() | Redone() | WriteEnded():
            return {}


def _edit(edit: Edit) -> dict[str, object]:
    if isinstance(edit, Decided):
        return {"id": edit.id, "before": edit.before, "after": edit.after}
    return {"put": [_change(edit.before), _change(edit.after)]}


def _change(change: Change | None) -> dict[str, object] | None:
    if change is None:
        return None
    return {
        "id": change.id,
        "ops": to_json(change.ops),
        "note": change.note,
        **({"evidence": change.evidence} if change.evidence else {}),
        "decision": change.decision,
        "bases": [[base.file, base.id, base.fields] for base in change.bases],
    }


def _read_edit(raw: Mapping[str, Any]) -> Edit:
    if "put" in raw:
        before, after = raw["put"]
        return Put(_read_change(before), _read_change(after))
    return Decided(raw["id"], _DECISIONS[raw["before"]], _DECISIONS[raw["after"]])


def _read_change(raw: Mapping[str, Any] | None) -> Change | None:
    if raw is None:
        return None
    bases = tuple(Base(file, id, fields) for file, id, fields in raw["bases"])
    evidence = tuple(raw.get("evidence", ()))
    operations = tuple(map(_read_operation, raw["ops"]))
    return Change(operations, raw["note"], _DECISIONS[raw["decision"]], bases, raw["id"], evidence)


def _read_operation(raw: Mapping[str, Any]) -> Operation:
    # By name, so that what operations learn to say is kept without a word here.
    return Operation(**{**raw, "op": _KINDS[raw["op"]], "path": tuple(raw.get("path", ()))})


def _key(raw: list[str]) -> Key:
    file, id = raw
    return file, id


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Event]] = {
    "step": lambda raw: Stepped(Step(tuple(map(_read_edit, raw["edits"])), raw.get("offers", False))),
    "undo": lambda raw: Undone(),
    "redo": lambda raw: Redone(),
    "write-began": lambda raw: WriteBegan(tuple(FileWrite(*one) for one in raw["files"]), tuple(raw["ids"])),
    "write-ended": lambda raw: WriteEnded(),
    "written": lambda raw: Written(
        tuple(raw["ids"]),
        tuple(raw["files"]),
        tuple(map(_read_operation, raw.get("ops", ()))),
        {id: tuple(lines) for id, lines in raw.get("evidence", {}).items()},
    ),
    "committed": lambda raw: Committed(tuple(raw["files"])),
    "rebased": lambda raw: Rebased(
        tuple(map(_key, raw["gone"])),
        {(file, id): digest for file, id, digest in raw["come"]},
        tuple((_key(old), _key(new)) for old, new in raw["renamed"]),
        tuple(raw["dropped"]),
    ),
    "marked": lambda raw: Marked(frozenset(raw["added"]), frozenset(raw["removed"])),
    "numbered": lambda raw: Numbered(int(raw["next_id"])),
}
