# SPDX-License-Identifier: Apache-2.0
"""Named views: those that come with ttmatrix, and those that a person saves in their own file."""

import difflib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from core.base import files
from core.base.errors import TTMatrixError, UsageError
from core.matrix.query import Query
from core.matrix.row_kinds import KINDS, USUAL_KIND
from core.matrix.view.columns import check_columns
from core.matrix.view.spec import ViewSpec

_VERSION = 1
_LONGEST_NAME = 40
_COLUMNS = {kind: "columns" if kind == USUAL_KIND else f"{kind}_columns" for kind in KINDS}
"""The keys for the columns that a person chose, by kind of rows."""


@cache
def built_in() -> Mapping[str, ViewSpec]:
    """The views that come with ttmatrix, by name."""
    return {
        name: ViewSpec(Query.parse(query), group=group, sort=sort)
        for name, query, group, sort in (
            ("with an entry", "has:entry", "", "id"),
            ("needs attention", "is:stray,duplicate,shadowed or status:xfail,skip !has:reason", "status", "id"),
            ("xfail without issue", "status:xfail !has:issue", "", "reason"),
            ("skip without reason", "status:skip !has:reason", "", "id"),
            ("failures by reason", "status:xfail,skip has:reason", "reason", "id"),
            ("mixed", "is:mixed", "", "id"),
            ("stray entries", "is:stray", "", "id"),
            ("loose pcc", "pcc:<0.99 or assert_pcc:false", "", "pcc"),
            ("entries first", "", "", "entry"),
        )
    }


class Saved(NamedTuple):
    """What a person saves: views by name, and the chosen columns by kind of rows."""

    views: Mapping[str, ViewSpec] = MappingProxyType({})
    columns: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def with_columns(self, kind: str, names: tuple[str, ...]) -> "Saved":
        """A copy with these columns for a kind of rows."""
        return self._replace(columns={**self.columns, kind: names})

    def all(self) -> dict[str, ViewSpec]:
        """The person's own views by name, then those that come with ttmatrix."""
        return {**dict(sorted(self.views.items())), **built_in()}

    def named(self, name: str) -> ViewSpec:
        """The view called `name`, ignoring case. Raises UsageError with similar names."""
        views = {one.lower(): spec for one, spec in self.all().items()}
        if name.lower() not in views:
            near = difflib.get_close_matches(name.lower(), views, 3)
            said = f"Did you mean {', '.join(map(repr, near))}?" if near else "`ttmatrix list --views` names them all."
            raise UsageError(f"There is no view {name!r}", said)
        return views[name.lower()]

    def has(self, name: str) -> bool:
        """Whether the person has a view of that name, ignoring case."""
        return any(one.lower() == name.lower() for one in self.views)

    def with_view(self, name: str, spec: ViewSpec) -> "Saved":
        """A copy with `spec` in place of any view of that name. Raises UsageError for an invalid name."""
        name = " ".join(name.split())
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise UsageError("This cannot be the name of a view", f"It has 1 to {_LONGEST_NAME} printable characters.")
        if any(one.lower() == name.lower() for one in built_in()):
            raise UsageError(f"The view {name!r} comes with ttmatrix", "Choose another name.")
        return self._replace(views={**self.without_view(name).views, name: spec})

    def without_view(self, name: str) -> "Saved":
        return self._replace(views={one: spec for one, spec in self.views.items() if one.lower() != name.lower()})


def read_saved(file: Path) -> Saved:
    """The saved views in `file`; empty if it is missing. Raises TTMatrixError for a file that cannot be read."""
    if not files.is_there(file):
        return Saved()
    try:
        document = json.loads(files.read_text(file))
        if not isinstance(document, dict) or document.get("version") != _VERSION:
            raise ValueError(f"it is not of version {_VERSION}")
        columns = {kind: tuple(document.get(key, ())) for kind, key in _COLUMNS.items()}
        for names in columns.values():
            check_columns(names)
        views = {str(name): ViewSpec.from_json(parts) for name, parts in document.get("views", {}).items()}
    except (ValueError, TypeError, AttributeError, UsageError) as error:
        said = f"{error.title}. {error.detail}" if isinstance(error, UsageError) else str(error)
        raise TTMatrixError(f"Cannot read the saved views in {file}", said, "Fix or remove it.") from error
    return Saved(views, {kind: names for kind, names in columns.items() if names})


def change_saved(file: Path, change: Callable[[Saved], Saved]) -> Saved:
    """Apply `change` to the content of `file`, under a lock that other ttmatrix processes wait for.

    Raises TTMatrixError if the file cannot be read or written; then it is unchanged.
    """
    # The import takes 17 ms of `list` and of the first frame, which only read saved views.
    from filelock import FileLock

    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(file.with_suffix(".lock"), timeout=5):
            saved = change(read_saved(file))
            views = {name: spec.to_json() for name, spec in saved.views.items()}
            columns = {_COLUMNS[kind]: list(names) for kind, names in saved.columns.items()}
            document = {"version": _VERSION, "columns": [], "views": views} | columns
            files.atomic_write(file, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise TTMatrixError(f"Cannot write {file}", error.strerror or str(error)) from error
    return saved
