# SPDX-License-Identifier: Apache-2.0
"""A check: one kind of finding, its help, and the pure function that looks for it in a matrix."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.base.text import elide_middle
from core.domain.model import Entry, Finding
from core.matrix import Matrix, supported_archs, supports


def _nothing_more(matrix: Matrix) -> Iterable[Finding]:
    return ()


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of finding. `find` returns all findings of the kind, in any order."""

    kind: str
    help: str
    """What is wrong, on one line, for a person who meets the kind for the first time."""
    find: Callable[[Matrix], Iterable[Finding]] = _nothing_more
    """Without one, the finding is made while the checkout is read."""


OVERRIDES = "arch_overrides"
_WIDEST_VALUE = 60

Path = tuple[str, ...]
"""The way to a field: `(field,)` or `("arch_overrides", arch, field)`; `()` is the entry."""
Op = Mapping[str, object]
"""An operation in its JSON form."""


@dataclass(frozen=True, slots=True)
class Written:
    """One entry at its place. An id that is written twice gives two of these."""

    entry: Entry
    path: str
    """Path of the file relative to the checkout."""
    alone: bool = True
    """Whether the id occurs only once in its file; else no operation can name this entry."""

    def finding(self, kind: str, message: str, at: Path = (), fix: tuple[Op, ...] = ()) -> Finding:
        """A finding at `at`, or at the nearest part around it whose place is known.

        A fix that cannot be applied is left out: it must name exactly one entry and must not empty it.
        """
        places = self.entry.places
        while at and at not in places:
            at = at[:-1]
        line, column = places.get(at, (self.entry.line, 0))
        offered = fix if self.alone and self._survives(fix) else ()
        return Finding(kind, message, self.path, line, column, self.entry.id, offered)

    def _survives(self, fix: tuple[Op, ...]) -> bool:
        gone = [op["path"] for op in fix if op["op"] == "unset"]
        left = (at for at, _ in self.fields() if not any(list(at[:depth]) in gone for depth in (1, 2, 3)))
        return len(gone) < len(fix) or any(left)

    def mappings(self) -> Iterator[tuple[Path, Mapping[str, object]]]:
        """The entry's own fields and those of each override, each with its path; `arch_overrides` is left out."""
        yield (), {name: value for name, value in self.entry.fields.items() if name != OVERRIDES}
        for arch, fields in self.entry.overrides.items():
            yield (OVERRIDES, arch), fields

    def fields(self) -> Iterator[tuple[Path, object]]:
        """Every field that `mappings` holds, with its value."""
        for above, fields in self.mappings():
            yield from (((*above, name), value) for name, value in fields.items())

    def operation(self, op: str, **parts: object) -> Op:
        """An operation on this entry in this file."""
        return {"op": op, "id": self.entry.id, "file": self.entry.file, **parts}

    def set(self, at: Path, value: object) -> Op:
        return self.operation("set", path=list(at), value=value)

    def unset(self, at: Path) -> Op:
        return self.operation("unset", path=list(at))


def written(matrix: Matrix) -> Iterator[Written]:
    """Every entry of every file, in merge order."""
    for file in matrix.files:
        path = matrix.checkout.relative(matrix.checkout.test_config / file.name)
        count = Counter(entry.id for entry in file.entries)
        yield from (Written(entry, path, count[entry.id] == 1) for entry in file.entries)


def marked_archs(entry: Entry, known: tuple[str, ...]) -> tuple[str, ...]:
    """Archs whose marker the test carries, in the order of `known`; if none is known, those listed in the entry."""
    return tuple(arch for arch in known if supports(entry, arch)) or supported_archs(entry)


def shown(value: object) -> str:
    """A value as text for a message."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return elide_middle(repr(value), _WIDEST_VALUE)


def digits(text: str) -> str:
    """The digits of `text`: names with different digits mean different things, however alike they look."""
    return "".join(filter(str.isdigit, text))
