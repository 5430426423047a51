# SPDX-License-Identifier: Apache-2.0
"""One entry while operations are applied to it: its text, and beside it what the text must mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.edits.operations import Operation, OpKind, Refused
from core.edits.yaml.document import Block
from core.edits.yaml.entry import Layout, key_and_value, new_entry, rename_key, set_field, unset_field
from core.edits.yaml.meaning import (
    Meaning,
    as_field,
    at_path,
    emptied,
    meaning,
    meaning_at,
    meaning_of,
    renamed,
    with_field,
    without_field,
)
from core.edits.yaml.nodes import Node

_UNREAD = Meaning("")


@dataclass(slots=True, eq=False)
class EntryDraft:
    """An entry's place in a file. Text and meaning change side by side; `mismatch` compares them."""

    id: str
    text: str
    """The lines from the key to the last value."""
    layout: Layout
    indent: int
    nodes: tuple[Node, Node] | None = None
    """Key and value of `text`, where that was parsed already."""
    key: Meaning = _UNREAD
    meaning: Meaning = _UNREAD
    """What key and value must say; unread as long as nothing asked for it."""
    index: int | None = None
    """Which entry of the document it is; None: a new one, which goes to `offset`."""
    offset: int = 0
    above: str = ""
    """Comment lines that came along with an entry from another file."""
    below: str = ""
    operations: list[Operation] = field(default_factory=list)
    unset: list[tuple[str, ...]] = field(default_factory=list)

    @classmethod
    def fresh(cls, operation: Operation, indent: int, layout: Layout) -> "EntryDraft":
        """The new entry that an `add` asks for."""
        fields = operation.value
        if not isinstance(fields, Mapping):
            raise Refused("an added entry needs a mapping of fields")
        text = new_entry(operation.id, fields, indent, layout)
        key, value = meaning_of(operation.id), meaning_of(fields)
        return cls(operation.id, text, layout, indent, None, key, value, operations=[operation])

    @property
    def is_open(self) -> bool:
        """Whether it may differ from the entry in the document."""
        return self.key is not _UNREAD

    def open(self, block: Block, text: str) -> None:
        """Take in what the parser of the document `text` found, before the first change. Raises Refused."""
        self.layout = replace(self.layout, line=block.line)
        self.nodes = block.nodes(text)
        self.key, self.meaning = meaning_at(block.key), meaning_at(block.value)

    def change(self, operation: Operation) -> None:
        """Apply what leaves the entry in its place. Raises Refused and changes nothing then."""
        if operation.op is OpKind.RENAME and operation.value is None:
            self._rename(operation.path, str(operation.to))
        elif (field := self._field(operation)) is None:
            pass
        elif field.op is OpKind.SET:
            self._rewrite(set_field(self.text, field.path, field.value, self.layout, self.nodes))
            self.meaning = with_field(self.meaning, field.path, meaning_of(field.value))
        else:
            self._unset(field.path)
        self.operations.append(operation)

    def _field(self, operation: Operation) -> Operation | None:
        try:
            return as_field(self.meaning, operation)
        except Refused as refused:
            raise Refused(refused.why, self.layout.line) from refused

    def _unset(self, path: tuple[str, ...]) -> None:
        self._rewrite(unset_field(self.text, path, self.layout, self.nodes))
        left = without_field(self.meaning, path)
        if left is not self.meaning:
            self.unset.append(path)
        self.meaning = left

    def _rename(self, path: tuple[str, ...], to: str) -> None:
        if path and path[-1] == to:
            return
        if path and at_path(self.meaning, (*path[:-1], to)) is not None:
            raise Refused(f"{to} has overrides already; set their fields", self.layout.line)
        self._rewrite(rename_key(self.text, path, to, self.layout, self.nodes))
        if path:
            self.meaning = renamed(self.meaning, path, to)
        else:
            self.id, self.key = to, meaning_of(to)

    def _rewrite(self, text: str) -> None:
        if text != self.text:
            self.text, self.nodes = text, None

    def settle(self) -> None:
        """Take away overrides that got empty.

        Only now, so that `unset` and `set` in one batch can replace the last field of an override and keep the
        comment on its key. Raises Refused where no field is left.
        """
        for path in self.unset:
            while (empty := emptied(self.meaning, path)) is not None:
                self._rewrite(unset_field(self.text, empty, self.layout, self.nodes))
                self.meaning = without_field(self.meaning, empty)
        if self.meaning.is_empty:
            raise Refused("no field would be left, which the runner rejects; remove the entry instead")

    def mismatch(self) -> Refused | None:
        """Why the text by itself does not say what was asked for; None: it does."""
        try:
            key, value = key_and_value(self.text, self.layout.line)
        except Refused as refused:
            return refused
        if meaning(key) == self.key and meaning(value) == self.meaning:
            return None
        return Refused("the new text would not mean what was asked for; edit the entry by hand")

    def refitted(self, indent: int, layout: Layout) -> "EntryDraft":
        """The same entry as another file would have it: with that file's indent and line ends."""
        by, newline = indent - self.indent, layout.newline
        return replace(
            self,
            text=_refit(self.text, by, newline),
            above=_refit(self.above, by, newline),
            below=_refit(self.below, by, newline),
            layout=replace(layout, line=self.layout.line),
            indent=indent,
            nodes=None,
            index=None,
        )


def _refit(text: str, by: int, newline: str) -> str:
    lines = text.removesuffix("\n").split("\n") if text else []
    return "".join(_shifted(line.removesuffix("\r"), by) + newline for line in lines)


def _shifted(line: str, by: int) -> str:
    if by >= 0 or not line.strip():
        return " " * by * bool(line.strip()) + line
    if line[:-by].strip(" "):
        # A comment may be further left than the entry: it has no spaces to lose.
        return line.lstrip(" ")
    return line[-by:]
