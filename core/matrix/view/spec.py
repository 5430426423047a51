# SPDX-License-Identifier: Apache-2.0
"""What a table shows and how, as a value: the content of a saved view, and a place to go back to."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from core.base.errors import UsageError
from core.matrix import view
from core.matrix.query import Query
from core.matrix.view.columns import BY_TABLE_FIELD, check_columns

_TYPES = {
    "query": str,
    "arch": str,
    "columns": list,
    "sort": str,
    "descending": bool,
    "group": str,
    "grid": str,
    "heat": dict,
}
"""The annotated types of the fields of a view."""


class HeatOrder(NamedTuple):
    """The order of a grid: the column that sorts the rows, or the two columns whose difference does."""

    by: tuple[str, ...] = ()
    """The heads of the column that the rows are sorted by, or of the two whose difference they are sorted by."""
    best_first: bool = False
    pair: tuple[str, ...] = ()
    """The heads of the two compared columns; empty: all columns are shown."""

    def to_json(self) -> dict[str, object]:
        """The fields by name."""
        return {"by": list(self.by), "best_first": self.best_first, "pair": list(self.pair)}

    @classmethod
    def from_json(cls, parts: Mapping[str, object]) -> "HeatOrder":
        """The inverse of `to_json`; fields may be missing. Raises UsageError for anything else."""
        by, best_first, pair = parts.get("by", []), parts.get("best_first", False), parts.get("pair", [])
        if parts.keys() - set(cls._fields) or not (_heads(by) and _heads(pair) and isinstance(best_first, bool)):
            raise UsageError(f"The part 'heat' of a view cannot be {dict(parts)!r}")
        return cls(tuple(by), best_first, tuple(pair))


def _heads(value: object) -> TypeGuard[list[str]]:
    """Whether the value is a list of at most two heads of columns."""
    return isinstance(value, list) and len(value) <= 2 and all(isinstance(one, str) for one in value)


class ViewSpec(NamedTuple):
    """A query with its arch and the way its tests are shown."""

    query: Query = Query()
    arch: str = ""
    columns: tuple[str, ...] = ()
    """Empty: the default ones."""
    sort: str = "id"
    descending: bool = False
    group: str = ""
    """The grouping of the table; empty: none."""
    grid: str = ""
    """The layout of the grid that is shown instead of the table."""
    heat: HeatOrder = HeatOrder()

    def check(self) -> None:
        """Raise UsageError if a column, a group or a grid does not exist. Arch and query are checked by the matrix."""
        check_columns(self.columns)
        for kind, name, known in (
            ("column", self.sort, BY_TABLE_FIELD),
            ("way to group", self.group, ("", *(one.name for one in view.GROUPINGS))),
            ("grid", self.grid, ("", *(one.name for one in view.LAYOUTS))),
        ):
            if name not in known:
                raise UsageError(f"There is no {kind} {name!r}", f"There are: {', '.join(filter(None, known))}")

    def to_json(self) -> dict[str, Any]:
        """The fields by name, without empty ones; the query as its canonical text."""
        parts: dict[str, Any] = self._asdict()
        plain = ViewSpec()
        parts |= {"query": str(self.query), "columns": list(self.columns)}
        parts |= {"heat": self.heat.to_json() if self.heat != plain.heat else None}
        return {name: value for name, value in parts.items() if value and value != getattr(plain, name)}

    @classmethod
    def from_json(cls, parts: Mapping[str, object]) -> "ViewSpec":
        """The inverse of `to_json`. Raises UsageError for anything else."""
        for name, value in parts.items():
            if name not in _TYPES:
                raise UsageError(f"A view has no part {name!r}", f"Its parts: {', '.join(_TYPES)}")
            if type(value) is not _TYPES[name] or (isinstance(value, list) and not all(type(x) is str for x in value)):
                raise UsageError(f"The part {name!r} of a view cannot be {value!r}")
        rest: dict[str, Any] = {name: value for name, value in parts.items() if name not in ("query", "columns")}
        columns: Any = parts.get("columns", [])
        if "heat" in rest:
            rest["heat"] = HeatOrder.from_json(rest["heat"])
        spec = cls(query=Query.parse(str(parts.get("query", ""))), columns=tuple(columns), **rest)
        spec.check()
        return spec


class Trail(NamedTuple):
    """The visited places and the current one; visiting a new place removes those after the current one."""

    places: tuple[ViewSpec, ...]
    """Never empty."""
    at: int = 0
    most: int = 100
    """How many places are remembered."""

    @property
    def here(self) -> ViewSpec:
        return self.places[self.at]

    def visit(self, place: ViewSpec) -> "Trail":
        """The trail that leads to `place`."""
        if place == self.here:
            return self
        places = (*self.places[: self.at + 1], place)[-self.most :]
        return self._replace(places=places, at=len(places) - 1)

    def step(self, steps: int) -> "Trail":
        """Go back with a negative number, forward with a positive one; it stops at either end."""
        return self._replace(at=max(0, min(self.at + steps, len(self.places) - 1)))
