# SPDX-License-Identifier: Apache-2.0
"""One entry while operations are applied to it: its text, and beside it what the text must mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.edits.entry import Layout, key_and_value, new_entry, rename_key, set_field, unset_field
from core.edits.meaning import Meaning, emptied, meaning, meaning_of, with_field, without_field
from core.edits.operations import Operation, OpKind, Refused


@dataclass(slots=True, eq=False)
class Slot:
    """An entry's place in a file. Text and meaning change side by side and are compared in `settle`."""

    id: str
    text: str
    """The lines from the key to the last value."""
    key: Meaning
    meaning: Meaning
    layout: Layout
    indent: int
    index: int | None = None
    """Which entry of the document it is; None: a new one, which goes to `offset`."""
    offset: int = 0
    above: str = ""
    """Comment lines that came along with an entry from another file."""
    below: str = ""
    operations: list[Operation] = field(default_factory=list)
    unset: list[tuple[str, ...]] = field(default_factory=list)

    @classmethod
    def fresh(cls, operation: Operation, indent: int, layout: Layout) -> "Slot":
        """The new entry that an `add` asks for."""
        fields = operation.value
        if not isinstance(fields, Mapping):
            raise Refused("an added entry needs a mapping of fields")
        text = new_entry(operation.id, fields, indent, layout)
        key, value = meaning_of(operation.id), meaning_of(fields)
        return cls(operation.id, text, key, value, layout, indent, operations=[operation])

    def change(self, operation: Operation) -> None:
        """Apply `set`, `unset` or `rename`. Raises Refused and leaves the slot as it was."""
        path = operation.path
        if operation.op is OpKind.SET:
            self.text = set_field(self.text, path, operation.value, self.layout)
            self.meaning = with_field(self.meaning, path, meaning_of(operation.value))
        elif operation.op is OpKind.UNSET:
            self.text = unset_field(self.text, path, self.layout)
            left = without_field(self.meaning, path)
            if left is not self.meaning:
                self.unset.append(path)
            self.meaning = left
        else:
            self.text = rename_key(self.text, str(operation.to), self.layout)
            self.id = str(operation.to)
            self.key = meaning_of(self.id)
        self.operations.append(operation)

    def settle(self) -> None:
        """Take away overrides that got empty, and check the entry by itself.

        Only now, so that `unset` and `set` in one batch can replace the last field of an override and keep the
        comment on its key. Raises Refused where no field is left or the text does not mean what was asked for.
        """
        for path in self.unset:
            while (empty := emptied(self.meaning, path)) is not None:
                self.text = unset_field(self.text, empty, self.layout)
                self.meaning = without_field(self.meaning, empty)
        if self.meaning.is_empty:
            raise Refused("no field would be left, which the runner refuses; remove the entry instead")
        key, value = key_and_value(self.text, self.layout.line)
        if meaning(key) != self.key or meaning(value) != self.meaning:
            raise Refused("the new text would not mean what was asked for; edit the entry by hand")

    def refitted(self, indent: int, newline: str) -> "Slot":
        """The same entry as another file would have it: with that file's indent and line ends."""
        by = indent - self.indent
        return replace(
            self,
            text=_refit(self.text, by, newline),
            above=_refit(self.above, by, newline),
            below=_refit(self.below, by, newline),
            layout=replace(self.layout, newline=newline),
            indent=indent,
            index=None,
        )


def _refit(text: str, by: int, newline: str) -> str:
    lines = text.removesuffix("\n").split("\n") if text else []
    return "".join(_shifted(line.removesuffix("\r"), by) + newline for line in lines)


def _shifted(line: str, by: int) -> str:
    if by >= 0 or not line.strip():
        return " " * by * bool(line.strip()) + line
    if line[:-by].strip(" "):
        # A comment may stand further left than the entry; it has nothing to give.
        return line.lstrip(" ")
    return line[-by:]
