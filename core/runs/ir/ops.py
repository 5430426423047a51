# SPDX-License-Identifier: Apache-2.0
"""The ops of a program in columns, about 50 bytes each, so that millions fit; texts are made on request."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, overload


class Written(Protocol):
    """Texts and places of ops, by their positions."""

    def text(self, position: int) -> str: ...

    def place(self, position: int) -> str: ...


class Op(NamedTuple):
    """A line with one op."""

    line: int
    """From 1."""
    name: str
    """`stablehlo.add`, `torch.ops.aten.add.Tensor`."""
    text: str
    """As written, without its location and with large constants folded."""
    digest: int
    """Equal for equal ops, within this process."""
    operands: tuple[int, ...]
    """The lines of the ops that make its operands; 0: an argument, or unknown."""
    place: str
    """`FILE:LINE` of the source; empty: unknown."""


class Ops(Sequence[Op]):
    """All ops of a program, in order."""

    def __init__(self, written: Written, broken: str = "") -> None:
        self.lines = array("I")
        self.names: list[str] = []
        self.digests = array("q")
        self.broken = broken
        """The error in the program and its place; empty: none."""
        self._written = written
        self._operands = array("I")
        self._ends = array("Q", [0])
        self._known: dict[str, str] = {}

    @classmethod
    def of(cls, ops: Iterable[Op]) -> "Ops":
        """Make the columns from op objects."""
        listed = _Listed()
        found = cls(listed)
        for op in ops:
            listed.texts.append(op.text)
            listed.places.append(op.place)
            found.add(op.line, op.name, op.digest, op.operands)
        return found

    def add(self, line: int, name: str, digest: int, operands: Iterable[int]) -> None:
        """Append an op."""
        self.lines.append(line)
        self.names.append(self._known.setdefault(name, name))
        self.digests.append(digest)
        self._operands.extend(operands)
        self._ends.append(len(self._operands))

    def operands(self, position: int) -> Sequence[int]:
        """The lines of the ops that make the operands of an op."""
        return self._operands[self._ends[position] : self._ends[position + 1]]

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, position: int) -> Op: ...
    @overload
    def __getitem__(self, position: slice) -> list[Op]: ...
    def __getitem__(self, position: int | slice) -> Op | list[Op]:
        if isinstance(position, slice):
            return [self[at] for at in range(*position.indices(len(self)))]
        at = position + len(self) if position < 0 else position
        text, place = self._written.text(at), self._written.place(at)
        return Op(self.lines[at], self.names[at], text, self.digests[at], tuple(self.operands(at)), place)

    def with_text(self, part: str) -> Iterator[Op]:
        """The ops whose texts contain `part`."""
        return (self[at] for at in range(len(self)) if part in self._written.text(at))


class _Listed:
    """Texts and places that are in memory."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.places: list[str] = []

    def text(self, position: int) -> str:
        return self.texts[position]

    def place(self, position: int) -> str:
        return self.places[position]
