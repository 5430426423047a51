# SPDX-License-Identifier: Apache-2.0
"""The Matrix: every test of one checkout with the facts from all sources."""

import difflib
import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import takewhile
from operator import eq
from typing import NamedTuple

from core.base.errors import UsageError
from core.domain.model import Entry, Finding, Function, Loader
from core.matrix.cache_file import Late
from core.matrix.columns import Column, FlagColumn
from core.matrix.op_rows import OtherRows
from core.matrix.row_kinds import KINDS, MODEL_KIND
from core.matrix.universe import Member, functions
from core.sources import Checkout, ExpectationFile, Schema

ID_PARTS = ("loader", "phase", "parallelism", "mode")
"""The columns that hold the parts of an id, as in a Member."""

NO_ARCH = ""
"""The arch of a run without `--arch`: base values only."""


class Written(NamedTuple):
    """The content of the expectation YAML: all entries, and those that are effective."""

    files: tuple[ExpectationFile, ...]
    entries: Mapping[str, Entry]
    """The effective entry of an id: the last one in merge order."""


_ALIKE = 0.75
"""How alike ids are that may be mistaken for each other (`difflib`)."""
_COMPARED = 20


@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """Every known test of one checkout. Immutable; a new index makes a new one.

    Rows are numbered 0 to len(ids) - 1: the model tests in the order of their ids, then the rows of the other
    kinds, each in theirs (`core.matrix.row_kinds`). All columns have one value per row.
    """

    checkout: Checkout
    schema: Schema
    loaders: Mapping[str, Loader]
    """By directory."""
    written: Late[Written]
    findings: tuple[Finding, ...]
    ids: tuple[str, ...]
    strays: frozenset[str]
    """Ids of entries that name no test of the universe."""
    columns: Mapping[str, Column]
    flags: Mapping[str, FlagColumn]
    status: Mapping[str, Column]
    """Effective status by arch; under NO_ARCH the base status. `flags["status"]` holds those of all archs."""
    others: tuple[OtherRows, ...] = ()
    """The rows of other kinds, in the order of `core.matrix.row_kinds`; none of them is empty."""
    problems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What is wrong with the files of other rows, by kind, also of kinds without a row."""
    unread: frozenset[str] = frozenset()
    """The kinds whose rows are still being read: they are neither here nor known to be absent."""
    planned: OtherRows | None = None
    """The placeholders of the checkout that are not rows yet: `with_placeholder_rows` makes rows of them."""
    models: "Matrix | None" = None
    """The matrix of the model tests alone; None: it is this one."""

    def __repr__(self) -> str:
        """Short, for tracebacks: a matrix has megabytes of columns."""
        return f"<Matrix of {len(self.ids)} rows in {self.checkout.root}>"

    @property
    def model_tests(self) -> "Matrix":
        """The matrix of the model tests alone, with the same row numbers. Use it to count or judge model tests."""
        return self.models or self

    @cached_property
    def kinds(self) -> Mapping[str, range]:
        """The rows of each kind."""
        found, first = dict[str, range](), 0
        for kind in KINDS:
            rows = self.model_tests if kind == MODEL_KIND else self.of_kind(kind)
            found[kind] = range(first, first + (len(rows.ids) if rows else 0))
            first = found[kind].stop
        return found

    def of_kind(self, kind: str) -> OtherRows | None:
        """The rows of a kind other than model tests; None: there are none."""
        return next((one for one in self.others if one.kind == kind), None)

    def kind_of(self, row: int) -> str:
        """The kind of a row."""
        return next((kind for kind, rows in self.kinds.items() if row in rows), MODEL_KIND)

    def kind_of_all(self, rows: Collection[int]) -> str:
        """The kind of all of `rows`; empty: they are of several kinds, or there are none."""
        if not rows:
            return ""
        # Rows of a kind follow each other.
        first = self.kind_of(min(rows))
        return first if max(rows) in self.kinds[first] else ""

    def line_of(self, row: int) -> int:
        """The line at which `row` starts in its file; it must not be a model test."""
        kind = self.kind_of(row)
        rows = self.of_kind(kind)
        assert rows is not None, "it is no test of a model"
        return rows.lines[row - self.kinds[kind].start]

    @property
    def files(self) -> tuple[ExpectationFile, ...]:
        return self.written.get().files

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The effective entry of each id."""
        return self.written.get().entries

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """Row by id."""
        return {id: row for row, id in enumerate(self.ids)}

    @cached_property
    def entries_by_loader(self) -> Mapping[str, Sequence[str]]:
        """The ids that have an entry, in the order of the files, by the directory of their loader."""
        loader, found = self.columns["loader"], dict[str, list[str]]()
        for id in self.entries:
            found.setdefault(loader[self.rows[id]], []).append(id)
        return found

    @cached_property
    def lowered(self) -> tuple[str, ...]:
        """Ids in lower case, for searching."""
        return tuple(id.lower() for id in self.ids)

    @cached_property
    def decoding(self) -> frozenset[str]:
        """Directories of the loaders that provide inputs for decoding."""
        return frozenset(loader.directory for loader in self.loaders.values() if loader.has_decode)

    def complete(self) -> None:
        """Compute all lazy values now, so that a key that needs one does not wait for it."""
        _ = self.entries, self.rows, self.lowered, self.entries_by_loader

    def check_arch(self, arch: str) -> None:
        """Raise UsageError if `arch` is neither NO_ARCH nor one of the checkout's archs."""
        if arch != NO_ARCH and arch not in self.schema.archs:
            raise UsageError(f"There is no arch {arch!r}", f"This checkout allows: {', '.join(self.schema.archs)}")

    def has_entry(self, row: int) -> bool:
        """Whether a row has an entry, without loading the entries."""
        return bool(self.flags["has"].masks[row])

    def statuses(self, arch: str) -> Column | FlagColumn:
        """Effective status on `arch`; with NO_ARCH, those on every arch that the test is marked for."""
        return self.flags["status"] if arch == NO_ARCH else self.status[arch]

    def entry(self, row: int) -> Entry | None:
        return self.entries.get(self.ids[row])

    def loader(self, row: int) -> Loader | None:
        return self.loaders.get(self.columns["loader"][row])

    def function(self, row: int) -> Function:
        """The test function of a row, which must be a model test.

        Other functions with the same id and entry, such as the op-by-op twin, have no rows of their own.
        """
        return self.functions(row)[0]

    def functions(self, row: int) -> list[Function]:
        """All the functions under which pytest collects the id of a row; none if it is not a model test."""
        return [] if row >= len(self.model_tests.ids) else self.functions_of(self.member(row))

    def functions_of(self, member: Member) -> list[Function]:
        """As `functions`, for an id with its parts."""
        return functions(member, self.schema, self.decoding)

    def member(self, row: int) -> Member:
        """A row's id with its parts; an op case has none."""
        return Member(self.ids[row], *(self.columns[name][row] for name in ID_PARTS))

    def members(self) -> Iterator[Member]:
        """The ids of all rows with their parts."""
        return map(Member, self.ids, *(self.columns[name].texts() for name in ID_PARTS))

    def universe(self) -> list[str]:
        """The ids of all model tests that loaders generate, in order: all but strays."""
        return [id for id in self.model_tests.ids if id not in self.strays]

    def file_of(self, entry: Entry) -> ExpectationFile:
        """The file an entry was read from."""
        return next(file for file in self.files if file.name == entry.file)

    def closest(self, wanted: str, count: int = 3) -> list[str]:
        """The ids nearest to an unknown one: those that contain it, else those of its family that are spelled alike.

        If there are none, those with a similar beginning. Without such a family, those of families whose names begin
        the id, or are the most alike.
        """
        needle = wanted.lower()
        containing = [id for id, text in zip(self.ids, self.lowered, strict=True) if needle in text]
        if containing:
            return containing[:count]
        families = dict.fromkeys(id.partition("/")[0] for id in self.ids)
        name, slash, _ = wanted.partition("/")
        alike = [*filter(name.startswith, families), *difflib.get_close_matches(name, families, cutoff=_ALIKE)]
        begins = tuple(f"{family}/" for family in ([name] if name in families else alike))
        own = [id for id in self.ids if id.startswith(begins)]
        if not slash:
            return _likely(wanted, own)[:count]
        if whole := difflib.get_close_matches(wanted, _likely(wanted, own), count, _ALIKE):
            return whole
        # Perhaps only the beginning of an id was typed: compared with whole ids, it looks too different.
        begun: dict[str, list[str]] = {}
        for id in own:
            begun.setdefault(id[: len(wanted)], []).append(id)
        beginnings = difflib.get_close_matches(wanted, _likely(wanted, begun), count, _ALIKE)
        return [id for beginning in beginnings for id in begun[beginning]][:count]


def _likely(wanted: str, texts: Iterable[str]) -> list[str]:
    """The texts to compare with: comparing with all ids of a large family takes 2 s."""
    return heapq.nlargest(_COMPARED, texts, key=lambda text: _common_ends(wanted, text))


def _common_ends(one: str, other: str) -> int:
    """How many characters two texts have in common at the beginning and at the end."""
    ends = map(eq, one, other), map(eq, reversed(one), reversed(other))
    return sum(len([*takewhile(bool, same)]) for same in ends)


class Universe(StrEnum):
    """Which ids are rows, besides those with an entry."""

    VALIDATOR = "validator"
    COLLECTED = "collected"
