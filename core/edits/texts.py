# SPDX-License-Identifier: Apache-2.0
"""The texts that operations are planned on, from a work tree or a commit, and the file that each operation is about.

All expectation files are read, but a manifest of op tests only if an operation names it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.domain.model import Entry, Finding
from core.edits.manifests import case_entries
from core.edits.operations import Operation, OpKind, Refused, is_manifest
from core.edits.places import leads_out, path_of, root_of
from core.edits.yaml import FileDraft, read_document, read_manifest
from core.sources import (
    MOST_CHARACTERS,
    PLACEHOLDER_KEY,
    ROOT_KEY,
    ExpectationFile,
    Schema,
    parse_expectations,
    too_long,
)

_NAME = re.compile(r"test_config_[\w.+-]+\.yaml")
_NO_EXPECTATIONS = Schema(config_directories=())


@dataclass(frozen=True, slots=True)
class FileTexts:
    """Texts of files by the paths that operations use (`Operation.file`)."""

    texts: Mapping[str, str]
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Files that exist but cannot be read, with the reason."""
    known: Mapping[str, ExpectationFile] = field(default_factory=dict)
    """Files that are parsed already, each from the text that is in `texts`."""

    def names(self, schema: Schema) -> Iterator[str]:
        """All files in the order upstream merges them (docs/rules.md 2.1)."""
        everything = sorted({*self.texts, *self.unreadable})
        for directory in schema.config_directories:
            yield from (name for name in everything if name.rpartition("/")[0] == directory and not is_manifest(name))

    @property
    def manifests(self) -> tuple[str, ...]:
        """The manifests of op tests among them."""
        return tuple(sorted(name for name in {*self.texts, *self.unreadable} if is_manifest(name)))

    def entries(self, name: str) -> tuple[Entry, ...] | None:
        """The entries of a file if it is parsed already; in a file of placeholders, the placeholders."""
        file = self.known.get(name)
        if file is None:
            return None
        return file.editable

    def parsed(self, schema: Schema) -> tuple[ExpectationFile, ...]:
        """All files with their entries; only unknown ones are parsed. A broken file has only findings."""
        return tuple(self._parsed(name, schema) for name in (*self.names(schema), *self.manifests))

    def _parsed(self, name: str, schema: Schema) -> ExpectationFile:
        if name in self.unreadable:
            return ExpectationFile(name, "", findings=(Finding("broken-yaml", self.unreadable[name], name),))
        if name in self.known:
            return self.known[name]
        if is_manifest(name):
            return manifest_file(name, self.texts[name])
        return parse_expectations(self.texts[name], name, placeholder=is_placeholders(name, schema))


def read_manifests(test_config: Path, names: Iterable[str]) -> tuple[ExpectationFile, ...]:
    """These manifests of op tests, each with its cases as entries; `names` are paths relative to the checkout."""
    return read_texts(test_config, _NO_EXPECTATIONS, (), names).parsed(_NO_EXPECTATIONS)


def texts_of(texts: Mapping[str, str], files: Iterable[ExpectationFile] = ()) -> FileTexts:
    """`texts` by name; those of `files` that have the same text need not be parsed again."""
    known = {file.name: file for file in files if file.text and texts.get(file.name) == file.text}
    return FileTexts(texts, known=known)


@lru_cache(maxsize=8)
def manifest_file(name: str, text: str) -> ExpectationFile:
    """A manifest of op tests with its cases as entries; one that cannot be edited has only a finding."""
    try:
        return ExpectationFile(name, text, case_entries(text, name))
    except Refused as refused:
        return ExpectationFile(name, text, findings=(Finding("broken-yaml", str(refused), name),))


def read_texts(
    test_config: Path, schema: Schema, files: Iterable[ExpectationFile] = (), manifests: Iterable[str] = ()
) -> FileTexts:
    """Read every expectation file below `test_config`, and `manifests`, whose paths are relative to the checkout.

    `files` that still have the same text are not parsed again.
    """
    texts: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for directory in schema.config_directories:
        for path in sorted((test_config / directory).glob("test_config_*.yaml")):
            _read(path, path.relative_to(test_config).as_posix(), test_config, texts, unreadable)
    for name in manifests:
        if leads_out(name):
            unreadable[name] = f"{name} leads out of the checkout"
        else:
            _read(path_of(test_config, name), name, root_of(test_config), texts, unreadable)
    return FileTexts(texts, unreadable, texts_of(texts, files).known)


def is_placeholders(name: str, schema: Schema) -> bool:
    """Whether a file, by its path, lists placeholders instead of entries."""
    return name.rpartition("/")[2] == schema.placeholders_filename


def _read(path: Path, name: str, root: Path, texts: dict[str, str], unreadable: dict[str, str]) -> None:
    """Read one file into `texts`, or the reason why it cannot be read into `unreadable`."""
    if problem := _problem(path, name, root):
        unreadable[name] = problem
        return
    try:
        texts[name] = read_text(path)
    except TTMatrixError as error:
        unreadable[name] = f"{error.title}: {error.detail}"


def _problem(path: Path, name: str, root: Path) -> str:
    """Why a file must not be read; empty: it may."""
    if not path.is_file():
        return f"there is no file {name}"
    if not path.resolve().is_relative_to(root.resolve()):
        return f"{name} is a link to a place outside the {'checkout' if is_manifest(name) else 'test_config directory'}"
    if (size := path.stat().st_size) > MOST_CHARACTERS:
        return f"{name}: not valid YAML: {too_long(size)}"
    return ""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A parsed file and its draft."""

    name: str
    """Path relative to the test_config directory."""
    draft: FileDraft


class Workspace:
    """Finds the file of an operation. Every method raises Refused with the reason."""

    def __init__(self, texts: FileTexts, schema: Schema) -> None:
        self._texts = texts
        self._schema = schema
        self._names = tuple(texts.names(schema))
        self._open: dict[str, OpenFile | Refused] = {}

    @property
    def opened(self) -> list[OpenFile]:
        """The files parsed so far, in the order of their names."""
        return [file for _, file in sorted(self._open.items()) if isinstance(file, OpenFile)]

    def open(self, name: str) -> OpenFile:
        """The file `name`, relative to test_config; only expectation files inside of it are allowed."""
        if name not in self._open:
            self._open[name] = self._parsed(name)
        found = self._open[name]
        if isinstance(found, Refused):
            raise found
        return found

    def known(self, name: str) -> tuple[Entry, ...] | None:
        """The entries of a file as it was read, if it is parsed already."""
        return self._texts.entries(name)

    def home(self, operation: Operation) -> OpenFile:
        """The file that `operation` is about: the one it names, else the only one with its id."""
        if operation.is_case:
            if operation.file is None:
                raise Refused("no manifest is known that has this case; name one as file")
            return self.open(operation.file)
        if operation.op is OpKind.MOVE and self._lists_placeholders(str(operation.to)):
            raise Refused(f"{operation.to} lists placeholders, which are not entries")
        takes_entry = operation.op is OpKind.REMOVE and operation.is_entry
        if operation.file is not None:
            if not takes_entry and self._lists_placeholders(operation.file):
                raise Refused(f"{operation.file} lists placeholders, which can only be removed")
            return self.open(operation.file)
        found = self.holders(operation.id) or (self._listing(operation.id) if takes_entry else [])
        if len(found) == 1:
            return found[0]
        if found:
            names = " and ".join(file.name for file in found)
            raise Refused(f"the id is in {names}; name one of them as file")
        broken = [_named(str(file), name) for name, file in sorted(self._open.items()) if isinstance(file, Refused)]
        if broken:
            raise Refused(f"no file that can be read has an entry of this id; {'; '.join(broken)}")
        raise Refused("no file has an entry of this id")

    def refuse_taken(self, operation: Operation, home: OpenFile) -> None:
        """Raise Refused if another file has the id: of two entries with one id the later file wins silently."""
        identifier = operation.id if operation.op is OpKind.ADD else operation.to
        if (
            operation.is_case
            or operation.op not in (OpKind.ADD, OpKind.RENAME)
            or not operation.is_entry
            or identifier is None
        ):
            return
        for file in self.holders(identifier):
            if file is not home:
                raise Refused(f"an entry {identifier} is in {file.name} already")

    def holders(self, identifier: str) -> list[OpenFile]:
        """The files that have an entry of this id now; unreadable files have none."""
        return self._with(identifier, [name for name in self._names if not self._lists_placeholders(name)])

    def _listing(self, identifier: str) -> list[OpenFile]:
        """The files that list a placeholder of this name."""
        return self._with(identifier, [name for name in self._names if self._lists_placeholders(name)])

    def _lists_placeholders(self, name: str) -> bool:
        return is_placeholders(name, self._schema)

    def _with(self, identifier: str, names: Iterable[str]) -> list[OpenFile]:
        found: list[OpenFile] = []
        for name in names:
            try:
                file = self.open(name)
            except Refused:
                continue
            if file.draft.holds(identifier):
                found.append(file)
        return found

    def _parsed(self, name: str) -> OpenFile | Refused:
        if is_manifest(name):
            return self._parsed_manifest(name)
        directory, _, base = name.rpartition("/")
        if directory not in self._schema.config_directories or not _NAME.fullmatch(base):
            return Refused(self._no_expectations(name))
        text = self._texts.texts.get(name)
        if text is None:
            return Refused(self._texts.unreadable.get(name, f"there is no file {name}"))
        try:
            root = PLACEHOLDER_KEY if self._lists_placeholders(name) else ROOT_KEY
            return OpenFile(name, FileDraft(text, partial(read_document, root=root)))
        except Refused as refused:
            return Refused(f"{name}: {refused}")

    def _no_expectations(self, name: str) -> str:
        allowed = ", ".join(directory or "test_config" for directory in self._schema.config_directories)
        return f"{name!r} is not an expectation file; these are test_config_*.yaml in {allowed}"

    def _parsed_manifest(self, name: str) -> OpenFile | Refused:
        text = self._texts.texts.get(name)
        if text is None:
            why = self._texts.unreadable.get(name, f"there is no file {name}")
            return Refused(f"{self._no_expectations(name)}. As a manifest of op tests: {why}")
        try:
            return OpenFile(name, FileDraft(text, partial(read_manifest, name=name)))
        except Refused as refused:
            return Refused(f"{name}: {refused}")


def _named(why: str, file: str) -> str:
    """Why a file cannot be read, which may name it already."""
    return why if file in why else f"{file}: {why}"
