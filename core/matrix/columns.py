# SPDX-License-Identifier: Apache-2.0
"""Columns of the matrix: each row holds a small code, each code has one text. 21,072 rows cost kilobytes."""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import TypeAlias


def packed(codes: Iterable[int], size: int) -> Sequence[int]:
    """Codes below `size`, as bytes if they fit."""
    return bytes(codes) if size <= 256 else array("I", codes)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One text per row, dictionary-encoded."""

    values: tuple[str, ...]
    """Every distinct text, in the order a person expects to see them."""
    codes: Sequence[int]
    """One index into `values` per row."""

    @classmethod
    def of(cls, texts: Iterable[str], values: Iterable[str] = ()) -> "Column":
        """Encode `texts`; `values` come first in the vocabulary, the rest as they appear."""
        texts = list(texts)
        table = {value: code for code, value in enumerate(dict.fromkeys(chain(values, texts)))}
        return cls.packed(tuple(table), list(map(table.__getitem__, texts)))

    @classmethod
    def packed(cls, values: tuple[str, ...], codes: list[int]) -> "Column":
        """A column that stores its codes as bytes if they fit."""
        return cls(values, packed(codes, len(values)))

    @classmethod
    def sparse(cls, size: int, default: str, texts: Mapping[int, str], values: Iterable[str] = ()) -> "Column":
        """A column of `size` rows with the text `default`, except for those in `texts`."""
        column = cls.of(texts.values(), (*values, default))
        codes = [column.values.index(default)] * size
        for row, code in zip(texts, column.codes, strict=True):
            codes[row] = code
        return cls.packed(column.values, codes)

    def mapped(self, function: Callable[[str], str]) -> "Column":
        """The column with `function` applied to each text, once per distinct text."""
        images = [function(value) for value in self.values]
        values = tuple(dict.fromkeys(images))
        translation = [values.index(image) for image in images]
        return Column.packed(values, [translation[code] for code in self.codes])

    def __getitem__(self, row: int) -> str:
        return self.values[self.codes[row]]

    def texts(self) -> Iterator[str]:
        """The texts of all rows."""
        return map(self.values.__getitem__, self.codes)

    def select(self, rows: Iterable[int], wanted: Iterable[str]) -> list[int]:
        """Those of `rows` whose text is one of `wanted`, in the same order."""
        texts = set(wanted)
        chosen = {code for code, value in enumerate(self.values) if value in texts}
        codes = self.codes
        return [row for row in rows if codes[row] in chosen]

    def counts(self, rows: Collection[int]) -> dict[str, int]:
        """How often each text of the vocabulary occurs in `rows` (without repetitions), zeros included."""
        codes = self.codes
        if isinstance(codes, bytes):
            # Counting one code among bytes is a search, several times faster than counting all codes at once.
            own = codes if len(rows) == len(codes) else _picked(codes, rows)
            return {value: own.count(code) for code, value in enumerate(self.values)}
        counted = Counter(map(codes.__getitem__, rows))
        return {value: counted[code] for code, value in enumerate(self.values)}


def _picked(codes: bytes, rows: Collection[int]) -> bytes:
    # For 9,000 rows an itemgetter takes 0.2 ms, a comprehension 0.6; it needs at least two rows. A dozen facets are
    # counted.
    return bytes(itemgetter(*rows)(codes)) if len(rows) > 1 else bytes(codes[row] for row in rows)


@dataclass(frozen=True, slots=True, eq=False)
class FlagColumn:
    """A set of texts per row, as a bit mask over a vocabulary."""

    values: tuple[str, ...]
    masks: Sequence[int]
    """One mask per row; bit `i` means `values[i]`."""

    @classmethod
    def sparse(
        cls,
        size: int,
        default: Iterable[str],
        sets: Mapping[int, Iterable[str]],
        values: Iterable[str] = (),
    ) -> "FlagColumn":
        """A column of `size` rows with the set `default`, except for those in `sets`.

        `values` come first in the vocabulary, the rest as they appear.
        """
        table = {value: code for code, value in enumerate(dict.fromkeys(values))}

        @cache
        def mask(texts: tuple[str, ...]) -> int:
            return sum({1 << table.setdefault(text, len(table)) for text in texts})

        masks = [mask(tuple(default))] * size
        for row, texts in sets.items():
            masks[row] = mask(tuple(texts))
        return cls(tuple(table), masks)

    def __getitem__(self, row: int) -> tuple[str, ...]:
        mask = self.masks[row]
        return tuple(value for bit, value in enumerate(self.values) if mask >> bit & 1)

    def or_none(self) -> "FlagColumn":
        """The column with an empty text on the rows without any, so that queries can select them."""
        none = 1 << len(self.values)
        return FlagColumn((*self.values, ""), [mask or none for mask in self.masks])

    def mask(self, wanted: Iterable[str]) -> int:
        """The bits of `wanted`; texts outside the vocabulary have no bit."""
        chosen = set(wanted)
        return sum(1 << bit for bit, value in enumerate(self.values) if value in chosen)

    def select(self, rows: Iterable[int], wanted: Iterable[str]) -> list[int]:
        """Those of `rows` with at least one of `wanted`, in the same order."""
        mask, masks = self.mask(wanted), self.masks
        return [row for row in rows if masks[row] & mask]

    def counts(self, rows: Collection[int]) -> dict[str, int]:
        """In how many of `rows` (without repetitions) each text of the vocabulary occurs, zeros included."""
        masks = self.masks
        distinct = Counter(masks if len(rows) == len(masks) else map(masks.__getitem__, rows))
        return {
            value: sum(count for mask, count in distinct.items() if mask >> bit & 1)
            for bit, value in enumerate(self.values)
        }


AnyColumn: TypeAlias = Column | FlagColumn
