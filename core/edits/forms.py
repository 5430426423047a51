# SPDX-License-Identifier: Apache-2.0
"""Forms for entries and for op cases: the fields they show, how input is parsed, and the operations it gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.base.errors import UsageError
from core.edits.apply import Fields, Present, after
from core.edits.bulk import ENTRY_SCOPE, present_text, refuse_without_file, set_fields
from core.edits.checks import NoOp, without_no_ops
from core.edits.form_fields import FormField, entry_fields, read_field, words
from core.edits.manifests import value_mistake
from core.edits.markers import marker_doubt
from core.edits.operations import Operation, OpKind, case_name
from core.matrix import Matrix, text_of, texts


class FieldForm(Protocol):
    """What a form edits: one entry or case, or many."""

    @property
    def ids(self) -> Sequence[str]: ...

    @property
    def scopes(self) -> Sequence[tuple[str, str]]:
        """Where fields can be set, each with its label; the first is shown first."""

    @property
    def fields(self) -> Sequence[FormField]: ...

    def present(self, scope: str, name: str) -> str | None:
        """The text of a field if all have the same, empty if none has it; None if they differ."""

    def read(self, name: str, text: str) -> object | None:
        """The value that `text` gives a field; None: remove the field. Raises UsageError."""

    def doubt(self, filled: Mapping[str, str]) -> str:
        """A warning about texts that are allowed but odd; empty: nothing."""

    def operations(self, scope: str, filled: Mapping[str, str]) -> Sequence[Operation]:
        """Operations that give all of them the `filled` texts. Raises UsageError as `read`, or if there is no file."""

    def sifted(self, operations: Sequence[Operation]) -> tuple[Sequence[Operation], Sequence[NoOp]]:
        """Split `operations` into those that have an effect or tidy up, and the no-ops."""


@dataclass(frozen=True)
class EntryForm:
    """A form for the entries of tests."""

    matrix: Matrix
    ids: Sequence[str]

    @property
    def scopes(self) -> Sequence[tuple[str, str]]:
        return [(ENTRY_SCOPE, "the entry"), *((arch, f"values on {arch}") for arch in self.matrix.schema.archs)]

    @property
    def fields(self) -> Sequence[FormField]:
        return entry_fields(self.matrix.schema)

    def present(self, scope: str, name: str) -> str | None:
        return present_text(self.matrix, self.ids, scope, name)

    def read(self, name: str, text: str) -> object | None:
        return read_field(self.matrix, name, text)

    def doubt(self, filled: Mapping[str, str]) -> str:
        return marker_doubt(self.matrix, words(filled.get("markers", "")))

    def operations(self, scope: str, filled: Mapping[str, str]) -> Sequence[Operation]:
        operations = set_fields(self.matrix, self.ids, scope, filled)
        refuse_without_file(self.matrix, operations)
        return operations

    def sifted(self, operations: Sequence[Operation]) -> tuple[Sequence[Operation], Sequence[NoOp]]:
        return without_no_ops(self.matrix, operations)


DEFAULTS_SCOPE = "defaults"
_SKIP, _SKIP_REASON = "skip_if", "skip_reason"
_MARKS = "marks"


def _number(text: str) -> object:
    """Text that is not a number stays text, so that the rules of manifests report the mistake."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


CASE_FIELDS: tuple[FormField, ...] = (
    FormField("rtol", _number),
    FormField("atol", _number),
    FormField("dtype", str.strip),
    FormField("seed", _number),
    FormField(_SKIP, str.strip),
    FormField(_SKIP_REASON, str.strip),
    FormField("xfail_reason", str.strip),
    FormField(_MARKS, words),
)
"""`skip_if` is the expression of the only condition, `skip_reason` its reason."""
_BY_NAME = {field.name: field for field in CASE_FIELDS}


@dataclass(frozen=True)
class CaseForm:
    """A form for cases of op tests, or for the defaults of their manifests."""

    cases: Sequence[tuple[str, str]]
    """The id of each and its manifest, relative to the checkout."""
    known: Present
    """The content of the manifests."""

    @property
    def ids(self) -> Sequence[str]:
        return [id for id, _ in self.cases]

    @property
    def scopes(self) -> Sequence[tuple[str, str]]:
        files = {file for _, file in self.cases}
        models = {id.partition("::")[0] for id, _ in self.cases}
        whose = models.pop() if len(models) == 1 else f"{len(files)} manifests"
        return [(ENTRY_SCOPE, "the case"), (DEFAULTS_SCOPE, f"the defaults of {whose}")]

    @property
    def fields(self) -> Sequence[FormField]:
        return CASE_FIELDS

    def present(self, scope: str, name: str) -> str | None:
        found = {_text(fields, name) for fields in self._targets(scope).values()}
        return found.pop() if len(found) == 1 else None

    def read(self, name: str, text: str) -> object | None:
        if not text.strip():
            return None
        value = _BY_NAME[name].read(text)
        key = "xfail_reason" if name == _SKIP_REASON else name
        if mistake := value_mistake(key, value):
            raise UsageError(mistake.message, "", mistake.hint)
        return value

    def doubt(self, filled: Mapping[str, str]) -> str:
        return ""

    def operations(self, scope: str, filled: Mapping[str, str]) -> Sequence[Operation]:
        if scope == DEFAULTS_SCOPE and filled.get(_MARKS, "").strip():
            raise UsageError("marks can be set for a case only, not for defaults")
        values = {name: self.read(name, text) for name, text in filled.items()}
        return tuple(op for key, fields in self._targets(scope).items() for op in _for_one(key, fields, values))

    def sifted(self, operations: Sequence[Operation]) -> tuple[Sequence[Operation], Sequence[NoOp]]:
        return tuple(operations), ()

    def marks(self) -> Sequence[Sequence[str]]:
        """The marks of each case."""
        return [texts(fields.get(_MARKS)) for fields in self._targets(ENTRY_SCOPE).values()]

    def with_mark(self, mark: str) -> Sequence[Operation]:
        """Operations that add a mark to each case that lacks it."""
        targets = self._targets(ENTRY_SCOPE).items()
        return [
            Operation(OpKind.ADD, id, file, (_MARKS,), mark)
            for (file, id), fields in targets
            if mark not in texts(fields.get(_MARKS))
        ]

    def without_mark(self, mark: str) -> Sequence[Operation]:
        """Operations that remove a mark from each case that has it."""
        targets = self._targets(ENTRY_SCOPE).items()
        return [
            Operation(OpKind.REMOVE, id, file, (_MARKS,), mark)
            for (file, id), fields in targets
            if mark in texts(fields.get(_MARKS))
        ]

    def removal(self) -> Sequence[Operation]:
        """Operations that remove the cases."""
        return [Operation(OpKind.REMOVE, id, file) for id, file in self.cases]

    def _targets(self, scope: str) -> Mapping[tuple[str, str], Fields]:
        keys = {(file, id.partition("::")[0] if scope == DEFAULTS_SCOPE else id): None for id, file in self.cases}
        return {key: self.known.fields(key) or {} for key in keys}


def _condition(fields: Fields) -> tuple[str, str] | None:
    """The expression and the reason of the only condition; None if there are several."""
    found = fields.get(_SKIP) or ""
    items = found if isinstance(found, list) else [found]
    if len(items) != 1:
        return None
    (one,) = items
    return (str(one.get("expr", "")), str(one.get("reason", ""))) if isinstance(one, dict) else (str(one), "")


def _text(fields: Fields, name: str) -> str | None:
    if name in (_SKIP, _SKIP_REASON):
        condition = _condition(fields)
        return None if condition is None else condition[name == _SKIP_REASON]
    return text_of(fields.get(name))


def _for_one(key: tuple[str, str], fields: Fields, values: Mapping[str, object]) -> Sequence[Operation]:
    file, id = key
    wanted = {name: value for name, value in values.items() if name not in (_SKIP, _SKIP_REASON)}
    if len(wanted) < len(values):
        expr, reason = _condition(fields) or ("", "")
        expr, reason = (str(values.get(name, was) or "") for name, was in ((_SKIP, expr), (_SKIP_REASON, reason)))
        if reason and not expr:
            raise UsageError(f"{_SKIP_REASON} needs a condition in {_SKIP}", "", "True skips it always.")
        wanted[_SKIP] = {"expr": expr, "reason": reason} if reason else expr or None
    return [
        Operation(OpKind.UNSET, id, file, (name,)) if value is None else Operation(OpKind.SET, id, file, (name,), value)
        for name, value in wanted.items()
        if value is not None or name in fields
    ]


def proposed_cases(operations: Sequence[Operation], present: Present) -> CaseForm:
    """A form of the cases that `operations` set keys of, as after these. Raises UsageError for other operations."""
    if not all(op.is_case and op.file is not None and op.path and case_name(op) for op in operations):
        raise UsageError("This change has no keys of cases to edit", "Reject it, and make the change again.")
    keys = dict.fromkeys((str(op.file), op.id) for op in operations)
    said = {key: present.fields(key) for key in keys}
    for op in operations:
        key = (str(op.file), op.id)
        said[key] = after(said[key], op)
    proposed = {file: {id: said[file, id] or {} for other, id in keys if other == file} for file, _ in keys}
    return CaseForm([(id, file) for file, id in keys], Present.of(proposed))
