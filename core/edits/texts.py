# SPDX-License-Identifier: Apache-2.0
"""The texts that operations are planned on: of the files in a work tree, or of the files in a commit."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import TTMatrixError
from core.files import read_text
from core.model import Entry, Finding
from core.sources import MOST_CHARACTERS, ExpectationFile, Schema, parse_expectations, too_long, written_entries


@dataclass(frozen=True, slots=True)
class FileTexts:
    """Texts of expectation files, by path relative to the test_config directory."""

    texts: Mapping[str, str]
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Files that are there and have no text, with the reason."""
    known: Mapping[str, ExpectationFile] = field(default_factory=dict)
    """Files that somebody has parsed already, each with the very text that is in `texts`."""

    def names(self, schema: Schema) -> Iterator[str]:
        """All files in the order upstream merges them (docs/rules.md 2.1)."""
        everything = sorted({*self.texts, *self.unreadable})
        for directory in schema.config_directories:
            yield from (name for name in everything if name.rpartition("/")[0] == directory)

    def entries(self, name: str) -> tuple[Entry, ...] | None:
        """The entries of a file, where that was parsed already; of a file of placeholders these, as entries."""
        file = self.known.get(name)
        if file is None:
            return None
        return written_entries(file.text, name) if file.placeholders else file.entries

    def parsed(self, schema: Schema) -> tuple[ExpectationFile, ...]:
        """All files with their entries; parsed is only what is not known. A broken one has findings only."""
        return tuple(self._parsed(name, schema) for name in self.names(schema))

    def _parsed(self, name: str, schema: Schema) -> ExpectationFile:
        if name in self.unreadable:
            return ExpectationFile(name, "", findings=(Finding("broken-yaml", self.unreadable[name], name),))
        if name in self.known:
            return self.known[name]
        return parse_expectations(self.texts[name], name, placeholder=is_placeholders(name, schema))


def texts_of(texts: Mapping[str, str], files: Iterable[ExpectationFile] = ()) -> FileTexts:
    """`texts` by name; those of `files` that have the same text need not be parsed again."""
    known = {file.name: file for file in files if file.text and texts.get(file.name) == file.text}
    return FileTexts(texts, known=known)


def read_texts(test_config: Path, schema: Schema, files: Iterable[ExpectationFile] = ()) -> FileTexts:
    """Read every expectation file below `test_config`. Of `files` counts what still has the same text."""
    texts: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for directory in schema.config_directories:
        for path in sorted((test_config / directory).glob("test_config_*.yaml")):
            name = path.relative_to(test_config).as_posix()
            if problem := _problem(path, name, test_config):
                unreadable[name] = problem
                continue
            try:
                texts[name] = read_text(path)
            except TTMatrixError as error:
                unreadable[name] = f"{error.title}: {error.detail}"
    return FileTexts(texts, unreadable, texts_of(texts, files).known)


def is_placeholders(name: str, schema: Schema) -> bool:
    """Whether a file, by its path, lists placeholders instead of entries."""
    return name.rpartition("/")[2] == schema.placeholders_filename


def _problem(path: Path, name: str, test_config: Path) -> str:
    """Why a file is not even read; empty: it is."""
    if not path.is_file():
        return f"there is no file {name}"
    if not path.resolve().is_relative_to(test_config.resolve()):
        return f"{name} is a link to a place outside the test_config directory"
    if (size := path.stat().st_size) > MOST_CHARACTERS:
        return f"{name}: not valid YAML: {too_long(size)}"
    return ""
