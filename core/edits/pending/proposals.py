# SPDX-License-Identifier: Apache-2.0
"""Proposal files: read operations with their justification, and rebase them onto the present files.

A plain list of operations is a proposal file without justification.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.base.errors import UsageError
from core.base.files import Malformed, parsed, typed
from core.base.text import counted, elide_middle, one_line
from core.edits.apply import ABSENT, Key, Present, digest
from core.edits.commit import committed_texts, issues_in
from core.edits.facts import CellFacts, Cited
from core.edits.operations import Operation, OpKind, Rejection, is_manifest, parse_operations, read_operations
from core.edits.pending.change import BaseEntry, Change, Pending, causes_of
from core.edits.pending.conflict import Conflict, conflicts
from core.edits.pending.rebase import rebase
from core.edits.pending.state import PendingState, apply
from core.edits.texts import read_manifests
from core.matrix import Matrix, text_of
from core.sources import Git, parse_expectations

_SHORT = 10
_WIDEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class _Base:
    """The base of a proposal, as its file gives it."""

    commit: str
    file: str
    fields: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """One proposal, as it was made."""

    change: Change
    commit: str = ""
    """The commit that the checkout was on; empty: unknown."""
    lines: tuple[str, ...] = ()
    """What justifies it."""


@dataclass(frozen=True, slots=True)
class ProposalFile:
    """The content of a proposal file."""

    made: tuple[ProposedChange, ...]

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(op for one in self.made for op in one.change.ops)

    def of_grade(self, least: int) -> "ProposalFile":
        """The proposals of at least a grade, and those without one."""
        return ProposalFile(tuple(one for one in self.made if one.change.grade is None or one.change.grade >= least))

    def restored_after(self, issue: str) -> "ProposalFile":
        """A copy with the note that entries are to be as before once an issue, `owner/repository#number`, is closed."""
        return ProposalFile(tuple(replace(one, change=replace(one.change, restore=issue)) for one in self.made))

    def with_files(self, files: Mapping[str, str]) -> "ProposalFile":
        """A copy in which operations on op cases that name no file get one from `files`, by id.

        A case to remove may be gone already: it gets the file of its model, if there is one.
        """
        of_model: dict[str, set[str]] = {}
        for id, file in files.items():
            of_model.setdefault(id.partition("::")[0], set()).add(file)

        def found(op: Operation) -> str | None:
            others = of_model.get(op.id.partition("::")[0], set()) if op.op is OpKind.REMOVE else set()
            return files.get(op.id) or (next(iter(others)) if len(others) == 1 else None)

        def placed(op: Operation) -> Operation:
            return replace(op, file=found(op)) if op.is_case and op.file is None else op

        changes = (replace(one.change, ops=tuple(map(placed, one.change.ops))) for one in self.made)
        return ProposalFile(tuple(replace(one, change=new) for one, new in zip(self.made, changes, strict=True)))

    @property
    def evidence(self) -> Mapping[str, tuple[Cited, ...]]:
        """What justifies the change of each id: facts, or lines where there are none."""
        found: dict[str, dict[Cited, None]] = {}
        for one in self.made:
            cited = replace(one.change, evidence=one.lines).cited
            for op in one.change.ops if cited else ():
                found.setdefault(op.id, {}).update(dict.fromkeys(cited))
        return {id: tuple(lines) for id, lines in found.items()}

    @property
    def grades(self) -> Mapping[str, str]:
        """The grade of the change of each id, with what it rests on."""
        return {op.id: line for one in self.made if (line := one.change.grade_line) for op in one.change.ops}

    @property
    def causes(self) -> Mapping[str, str]:
        """What the changes follow from, by id."""
        return causes_of(one.change for one in self.made)


def parse_proposals(text: str, id_of: Callable[[str], str] = str) -> ProposalFile:
    """Read a JSON list of operations, or of proposals `{id, arch, verdict, why, evidence, ops}`.

    `id_of` gives the id in what names a test, such as `FUNCTION::ID`, or raises UsageError.
    A proposal may have a `base` `{commit, file, fields}`: the commit and the entry it was made on.
    Raises UsageError that names the operation or proposal (from 0) and what is wrong with it.
    """
    try:
        raw = _with_ids(parsed(text), id_of)
    except Malformed:
        return ProposalFile((ProposedChange(Change(parse_operations(text))),))
    if not (isinstance(raw, list) and any(isinstance(item, dict) and "ops" in item for item in raw)):
        return ProposalFile((ProposedChange(Change(read_operations(raw))),))
    return ProposalFile(tuple(_made(index, item) for index, item in enumerate(raw)))


def _with_ids(raw: object, id_of: Callable[[str], str]) -> object:
    """Operations, in a list or in proposals, with plain ids."""
    if isinstance(raw, list):
        return [_with_ids(one, id_of) for one in raw]
    if not isinstance(raw, dict):
        return raw
    if "ops" in raw:
        return {**raw, "ops": _with_ids(raw["ops"], id_of)}
    return {name: id_of(one) if name in ("id", "to") and isinstance(one, str) else one for name, one in raw.items()}


def _made(index: int, item: object) -> ProposedChange:
    operations = _operations(index, item)
    assert isinstance(item, dict)
    lines = tuple(dict.fromkeys(_lines([item.get("why"), item.get("evidence")])))
    grade = item.get("grade")
    if not (grade is None or (isinstance(grade, int) and not isinstance(grade, bool))):
        raise UsageError(f"Proposal {index} cannot be understood", "grade: must be a number from 1 to 5")
    change = Change(
        operations,
        facts=_facts(index, item.get("facts")),
        restore=_restored(index, item),
        cause=one_line(str(item.get("cause") or "")),
        grade=grade,
        grade_why=one_line(str(item.get("grade_why") or "")),
    )
    if item.get("base") is None:
        return ProposedChange(change, "", lines)
    try:
        base, id = typed(item["base"], _Base), typed(item.get("id"), str)
    except Malformed as error:
        raise UsageError(
            f"Proposal {index} cannot be understood",
            f"base: must be an object with commit and file, which are text, and fields, an object or null ({error})",
        ) from error
    bases = (BaseEntry(base.file, id, base.fields),)
    return ProposedChange(replace(change, bases=bases), base.commit, lines)


def _facts(index: int, value: object) -> tuple[CellFacts, ...]:
    try:
        return typed(value or [], tuple[CellFacts, ...])
    except Malformed as error:
        raise UsageError(f"Proposal {index} cannot be understood", f"facts: {error}") from error


def _restored(index: int, item: Mapping[str, object]) -> str:
    """The issue after whose end the entry is to be as before, as `owner/repository#number`."""
    value = item.get("restore_when_closed") or ""
    found = issues_in(value) if isinstance(value, str) else []
    if value and not found:
        detail = "restore_when_closed: must be the address of an issue on GitHub"
        raise UsageError(f"Proposal {index} cannot be understood", detail)
    return found[0] if found else ""


def _operations(index: int, item: object) -> tuple[Operation, ...]:
    if not isinstance(item, dict) or not isinstance(item.get("ops"), list):
        raise UsageError(f"Proposal {index} cannot be understood", "ops: must be a list of operations")
    try:
        return read_operations(item["ops"])
    except UsageError as error:
        raise UsageError(f"Proposal {index} cannot be understood", f"{error.title}. {error.detail}") from error


def _lines(value: object) -> Iterable[str]:
    """All texts in a value given as evidence; numbers and booleans alone say nothing and are left out."""
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, dict):
        link = value.get("url") or value.get("link")
        yield from _lines(link if link else list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _lines(item)


@dataclass(frozen=True, slots=True)
class RebasedProposals:
    """Proposals rebased onto the present files."""

    proposed: ProposalFile
    rejected: tuple[Rejection, ...] = ()
    """Operations on fields that now have neither the value that the proposal saw nor the one it asks for."""
    notes: tuple[str, ...] = ()
    done: tuple[ProposedChange, ...] = ()
    """Dropped proposals, because the files already have them; the last commit may not."""


def rebased_proposals(proposed: ProposalFile, matrix: Matrix) -> RebasedProposals:
    """Compare each proposal with the entry it was made on, as pending changes are after a pull.

    An entry that was renamed or moved since is followed; what is done already is dropped. Raises UsageError if the
    commit that a proposal names is not in the checkout's history.
    """
    named = {base.file for one in proposed.made for base in one.change.bases if is_manifest(base.file)}
    present = Present((*matrix.files, *read_manifests(matrix.checkout.test_config, sorted(named))))
    notes: list[str] = []
    made: list[ProposedChange] = []
    done: list[ProposedChange] = []
    for commit in dict.fromkeys(one.commit for one in proposed.made):
        some = [one for one in proposed.made if one.commit == commit]
        if commit:
            notes += _unless_on(commit, matrix)
        made += some if _untouched(some, present) else _followed(some, commit, matrix, present, notes, done)
    found = [conflict for one in made for conflict in conflicts(one.change, present)]
    return RebasedProposals(
        ProposalFile(tuple(made)), tuple(_rejection(one) for one in found), tuple(notes), tuple(done)
    )


def _untouched(made: Sequence[ProposedChange], present: Present) -> bool:
    return all(present.fields(base.key) == base.fields for one in made for base in one.change.bases)


def _unless_on(commit: str, matrix: Matrix) -> list[str]:
    """A note if the checkout is on another commit now."""
    git = Git(matrix.checkout.root)
    head = git.head_commit()
    if not git.has(commit):
        raise UsageError(
            "The proposals were made on a commit that this checkout does not have",
            f"They name {one_line(commit)[:40]}; the checkout is on {head[:_SHORT]}.",
            "Fetch it with git, or make new proposals: ttmatrix propose",
        )
    if head == commit:
        return []
    return [f"made on {commit[:_SHORT]}, rebased onto {head[:_SHORT]}"]


def _followed(
    made: Sequence[ProposedChange],
    commit: str,
    matrix: Matrix,
    present: Present,
    notes: list[str],
    done: list[ProposedChange],
) -> list[ProposedChange]:
    """Rebase proposals as a pull does with pending changes, from the entries of the commit to the present ones.

    Dropped proposals are added to `done`, messages to `notes`.
    """
    numbered = tuple(replace(one.change, id=at) for at, one in enumerate(made, 1))
    state = PendingState(Pending(numbered, next_id=len(made) + 1), seen=_seen(numbered, commit, matrix))
    event = rebase(state, present)
    if event is None:
        return list(made)
    notes += [f"renamed since: {one_line(old[1])} is {one_line(new[1])}" for old, new in event.renamed]
    if event.dropped:
        notes.append(f"done already: {counted(len(event.dropped), 'proposal')}")
        done += [made[id - 1] for id in event.dropped]
    changes = apply(state, event).pending.changes
    return [replace(made[change.id - 1], change=change) for change in changes]


def _seen(changes: Sequence[Change], commit: str, matrix: Matrix) -> Mapping[Key, str]:
    """Digests of the entries at `commit`; an entry that a proposal saw has the digest of what it saw."""
    found = _committed(commit, matrix) if commit else {}
    for base in (base for change in changes for base in change.bases):
        found.pop(base.key, None)
        if base.fields is not None:
            found[base.key] = digest(base.fields)
    return found


def _committed(commit: str, matrix: Matrix) -> dict[Key, str]:
    checkout = matrix.checkout
    directory = checkout.relative(checkout.test_config)
    texts = committed_texts(Git(checkout.root), commit, directory, matrix.schema)
    placeholders = matrix.schema.placeholders_filename
    files = (
        parse_expectations(text, name, placeholder=name.rpartition("/")[2] == placeholders)
        for name, text in texts.items()
    )
    present = Present(files)
    return {(file, id): value for file, entries in present.digests.items() for id, value in entries.items()}


def _rejection(conflict: Conflict) -> Rejection:
    place = ".".join(conflict.path) or "the entry"
    was, now = (_value(side) for side in (conflict.base, conflict.theirs))
    return Rejection(conflict.op, f"{place} was {was} when this was proposed, and is {now} now")


def _value(side: object) -> str:
    if side is ABSENT:
        return "not there"
    return elide_middle(one_line(text_of(side)), _WIDEST_VALUE) or "empty"
