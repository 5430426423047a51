# SPDX-License-Identifier: Apache-2.0
"""Plans of operations on a test_config directory, which can be previewed, and written all or nothing."""

import difflib
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock

from core.base.errors import TTMatrixError
from core.base.files import read_text, replaced
from core.domain.model import Entry
from core.edits.checks import schema_problem
from core.edits.manifests import case_entries, key_problem, new_problems
from core.edits.operations import (
    Operation,
    OpKind,
    Refused,
    Rejection,
    case_name,
    is_manifest,
    manifests_in,
    shape_problem,
    to_json,
)
from core.edits.places import TEST_CONFIG_PREFIX, in_checkout, path_of
from core.edits.texts import FileTexts, OpenFile, Workspace, read_texts
from core.edits.yaml import Source
from core.sources import ROOT_KEY, ExpectationFile, Schema, written_entries

_BLOCK_SCALAR = re.compile(r"[:-]\s+[|>]")
_NO_NEWLINE = "\\ No newline at end of file\n"
_REMEMBERED = 4
"""Number of cached plans: for the row under the cursor, for all accepted changes, on work tree and last commit."""


@dataclass(frozen=True)
class FileEdit:
    """One file that the plan changes."""

    file: str
    """Path as in operations (`Operation.file`)."""
    before: str
    after: str
    known: tuple[Entry, ...] | None = field(default=None, compare=False, repr=False)
    """The entries of `before`, if the index parsed that same text."""
    sources: tuple[Source, ...] = field(default=(), compare=False, repr=False)
    """The source of each entry of `after`; empty: not known."""

    @cached_property
    def old(self) -> tuple[Entry, ...]:
        """The entries of `before`: placeholders in a file of placeholders, only the cases that change in a manifest."""
        if is_manifest(self.file):
            same = {one.entry for one in self.sources if one.entry is not None}
            return case_entries(self.before, self.file, besides=same)
        return written_entries(self.before, self.file) if self.known is None else self.known

    @cached_property
    def new(self) -> tuple[Entry, ...]:
        """The entries of `after`. Only the lines of changed entries are parsed."""
        if is_manifest(self.file):
            same = {at for at, one in enumerate(self.sources) if one.entry is not None}
            return case_entries(self.after, self.file, besides=same)
        found = self._pieced_together()
        return written_entries(self.after, self.file) if found is None else found

    def _pieced_together(self) -> tuple[Entry, ...] | None:
        """The entries of `after`, made from the old ones and the changed lines; None if that is not possible."""
        texts = [one.text for one in self.sources if one.entry is None]
        # Blank lines after a block scalar may be part of it.
        if not self.sources or any(map(_BLOCK_SCALAR.search, texts)):
            return None
        lines = "".join(text if text.endswith("\n") else f"{text}\n" for text in texts)
        changed = written_entries(f"{ROOT_KEY}:\n{lines}", self.file) if texts else ()
        if len(changed) != len(texts):
            # An alias to an anchor elsewhere in the file.
            return None
        left, old = iter(changed), self.old
        found = (next(left) if one.entry is None else old[one.entry] for one in self.sources)
        return tuple(_at_line(entry, source.line) for entry, source in zip(found, self.sources, strict=True))


class FileChanged(TTMatrixError):
    """A file no longer has the text that was read."""


@dataclass(frozen=True, slots=True)
class EditPlan:
    """The result of operations. Nothing is written before `write`."""

    files: tuple[FileEdit, ...]
    """Files that change, in the order of their names."""
    applied: tuple[Operation, ...]
    """Operations that are done once the files are written; some may have been done before."""
    rejected: tuple[Rejection, ...] = ()
    blocked: tuple[Operation, ...] = ()
    """Operations that could be applied if none of their file were rejected."""

    def diff(self, prefix: str = TEST_CONFIG_PREFIX) -> str:
        """One unified diff that `git apply` takes, with paths relative to the checkout."""
        return "".join(unified_diff(in_checkout(edit.file, prefix), edit.before, edit.after) for edit in self.files)


def plan(test_config: Path, operations: Sequence[Operation], schema: Schema | None = None) -> EditPlan:
    """`plan_texts` on the files below `test_config` as they are now."""
    schema = schema or Schema()
    return plan_texts(read_texts(test_config, schema, (), manifests_in(operations)), operations, schema)


def plan_texts(texts: FileTexts, operations: Sequence[Operation], schema: Schema) -> EditPlan:
    """Apply `operations` in order to `texts`.

    An operation that cannot be applied is rejected with the reason, and its file stays unchanged; if an entry moves
    between two files, both stay unchanged.
    """
    return _Planner(Workspace(texts, schema), schema).plan(operations)


def write(plan: EditPlan, test_config: Path) -> tuple[Path, ...]:
    """Write the files of `plan` below `test_config`, all or none, and return their paths.

    Raises FileChanged if a file no longer has the text that was planned on, and TTMatrixError if one cannot be written.
    """
    with written(plan, test_config):
        return tuple(path_of(test_config, edit.file) for edit in plan.files)


@contextmanager
def written(plan: EditPlan, test_config: Path, aside: Path | None = None) -> Iterator[None]:
    """Write the files of `plan`; if the work inside the block fails, the old files are restored.

    What somebody else has written in the meantime stays, and the error says so. Raises as `write`. For `aside` see
    `files.replaced`.
    """

    def check() -> None:
        for edit in plan.files:
            _refuse_changed(edit, path_of(test_config, edit.file))

    check()
    with replaced({path_of(test_config, edit.file): edit.after for edit in plan.files}, check, aside):
        yield


class Planner:
    """`plan_texts` with a cache: the same texts and operations give the same plan object.

    So what is previewed, confirmed, written and committed is one plan. Threads may share it; the second of two that
    want the same plan waits for the first.
    """

    def __init__(self) -> None:
        self._plans: deque[tuple[FileTexts, str, Schema, EditPlan]] = deque(maxlen=_REMEMBERED)
        self._mutex = Lock()

    def plan(self, texts: FileTexts, operations: Sequence[Operation], schema: Schema) -> EditPlan:
        """As `plan_texts`."""
        # Compared as JSON, because 1, 1.0 and true are equal in Python.
        asked = json.dumps(to_json(operations), default=repr)
        with self._mutex:
            for known, operations_then, schema_then, planned in self._plans:
                same = (operations_then, schema_then) == (asked, schema) and known.texts == texts.texts
                if same and known.unreadable == texts.unreadable:
                    return planned
            planned = plan_texts(texts, operations, schema)
            self._plans.append((texts, asked, schema, planned))
            return planned

    def plan_files(
        self,
        test_config: Path,
        operations: Sequence[Operation],
        schema: Schema,
        known: Iterable[ExpectationFile] = (),
    ) -> EditPlan:
        """`plan` on the files below `test_config` as they are now. `known` are files as the index parsed them."""
        return self.plan(read_texts(test_config, schema, known, manifests_in(operations)), operations, schema)


class _Planner:
    def __init__(self, workspace: Workspace, schema: Schema) -> None:
        self._workspace = workspace
        self._schema = schema
        self._rejected: list[Rejection] = []
        self._touched: list[tuple[Operation, frozenset[str]]] = []
        self._blocked: set[str] = set()

    def plan(self, operations: Sequence[Operation]) -> EditPlan:
        for operation in operations:
            home: OpenFile | None = None
            try:
                if problem := shape_problem(operation):
                    raise Refused(problem)
                home = self._workspace.home(operation)
                problem = key_problem(operation) if operation.is_case else schema_problem(operation, self._schema)
                if problem:
                    raise Refused(problem)
                self._apply(operation, home)
            except Refused as refused:
                self._rejected.append(Rejection(operation, str(refused)))
                self._blocked |= {home.name} if home else self._places(operation)
        return self._result(operations)

    def _places(self, operation: Operation) -> set[str]:
        """The files that a rejected operation is about although none of them has its id (any more)."""
        if operation.file is not None:
            return {operation.file}
        return {name for before, names in self._touched if before.id == operation.id for name in names}

    def _apply(self, operation: Operation, home: OpenFile) -> None:
        self._workspace.refuse_taken(operation, home)
        names = {home.name}
        if operation.op is OpKind.MOVE:
            target = self._workspace.open(str(operation.to))
            if target is home:
                raise Refused(f"the entry is in {home.name} already")
            home.draft.move(operation, target.draft)
            names.add(target.name)
        else:
            home.draft.apply(operation)
        self._touched.append((operation, frozenset(names)))

    def _result(self, operations: Sequence[Operation]) -> EditPlan:
        opened = self._workspace.opened
        after = {file.name: file.draft.finish() for file in opened}
        self._refuse_mistakes(opened, after)
        rejected = [*self._rejected, *(_located(file.name, one) for file in opened for one in file.draft.rejected)]
        refused = {id(rejection.op): rejection for rejection in rejected}
        blocked = self._spread(self._blocked | {file.name for file in opened if file.draft.rejected})
        done = [(op, names) for op, names in self._touched if id(op) not in refused]
        return EditPlan(
            tuple(
                self._edit(file, after[file.name])
                for file in opened
                if file.name not in blocked and after[file.name] != file.draft.before
            ),
            tuple(op for op, names in done if not names & blocked),
            tuple(refused[id(op)] for op in operations if id(op) in refused),
            tuple(op for op, names in done if names & blocked),
        )

    def _refuse_mistakes(self, opened: Sequence[OpenFile], after: Mapping[str, str]) -> None:
        """Reject operations that would introduce a mistake in a manifest: those on the case with it, else all."""
        for file in opened:
            if not is_manifest(file.name) or after[file.name] == file.draft.before:
                continue
            problems = new_problems(file.draft.before, after[file.name], file.name)
            own = [op for op, names in self._touched if file.name in names]
            refused = {id(one.op) for one in file.draft.rejected}
            for problem in problems:
                meant = [op for op in own if case_name(op) == problem.case] or own
                why = f"{problem.message}; {problem.hint}" if problem.hint else problem.message
                file.draft.rejected += [Rejection(op, why) for op in meant if id(op) not in refused]
                refused |= set(map(id, meant))

    def _edit(self, file: OpenFile, after: str) -> FileEdit:
        return FileEdit(file.name, file.draft.before, after, self._workspace.known(file.name), file.draft.sources)

    def _spread(self, blocked: set[str]) -> set[str]:
        """Files joined by a move are written together or not at all."""
        while True:
            more = {name for _, names in self._touched if names & blocked for name in names}
            if more <= blocked:
                return blocked
            blocked = blocked | more


def _located(file: str, rejection: Rejection) -> Rejection:
    """The rejection with its file and line in front, in the form that editors follow."""
    place = f"{file}:{rejection.line}" if rejection.line else file
    return replace(rejection, why=f"{place}: {rejection.why}")


def _at_line(entry: Entry, line: int) -> Entry:
    """`entry` with its key moved to another line."""
    by = line - entry.line
    if not by:
        return entry
    places = {path: (at + by, column) for path, (at, column) in entry.places.items()}
    return entry._replace(line=line, end_line=entry.end_line + by, places=places)


def _refuse_changed(edit: FileEdit, path: Path) -> None:
    try:
        same = read_text(path) == edit.before
    except TTMatrixError:
        same = False
    if not same:
        raise FileChanged(
            f"{path} changed since it was read",
            "Nothing was written.",
            "Look at the change again and repeat the edit.",
        )


def unified_diff(path: str, before: str, after: str) -> str:
    """The diff of the file at `path` (relative, with forward slashes); empty if nothing changed.

    Only line feeds end a line, as in git: a carriage return is part of its line.
    """
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
