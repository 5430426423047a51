# SPDX-License-Identifier: Apache-2.0
"""The expectation files of one plan: parsed when they are needed, each with the draft that operations go into."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.edits.operations import Operation, OpKind, Refused
from core.edits.texts import FileTexts, is_placeholders
from core.edits.yaml import FileDraft
from core.model import Entry
from core.sources import PLACEHOLDER_KEY, ROOT_KEY, Schema

_NAME = re.compile(r"test_config_[\w.+-]+\.yaml")


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file that was parsed, and what becomes of it."""

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
        """The file `name`, relative to test_config; nothing outside of it and nothing but expectation files."""
        if name not in self._open:
            self._open[name] = self._parsed(name)
        found = self._open[name]
        if isinstance(found, Refused):
            raise found
        return found

    def known(self, name: str) -> tuple[Entry, ...] | None:
        """The entries of a file as it was read, where somebody has parsed it already."""
        return self._texts.entries(name)

    def home(self, operation: Operation) -> OpenFile:
        """The file that `operation` is about: the one it names, else the only one with its id."""
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
        broken = [name for name, file in sorted(self._open.items()) if isinstance(file, Refused)]
        unread = f"; could not look into {', '.join(broken)}" if broken else ""
        raise Refused(f"no file has an entry of this id{unread}")

    def refuse_taken(self, operation: Operation, home: OpenFile) -> None:
        """Of two entries with one id in different files the later file wins silently, so none may come about."""
        identifier = operation.id if operation.op is OpKind.ADD else operation.to
        if operation.op not in (OpKind.ADD, OpKind.RENAME) or not operation.is_entry or identifier is None:
            return
        for file in self.holders(identifier):
            if file is not home:
                raise Refused(f"an entry {identifier} is in {file.name} already")

    def holders(self, identifier: str) -> list[OpenFile]:
        """The files that have an entry of this id by now; what cannot be read has none."""
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
        directory, _, base = name.rpartition("/")
        if directory not in self._schema.config_directories or not _NAME.fullmatch(base):
            allowed = ", ".join(directory or "test_config" for directory in self._schema.config_directories)
            return Refused(f"{name!r} is not an expectation file; these are test_config_*.yaml in {allowed}")
        text = self._texts.texts.get(name)
        if text is None:
            return Refused(self._texts.unreadable.get(name, f"there is no file {name}"))
        try:
            return OpenFile(name, FileDraft(text, PLACEHOLDER_KEY if self._lists_placeholders(name) else ROOT_KEY))
        except Refused as refused:
            return Refused(f"{name}: {refused}")
