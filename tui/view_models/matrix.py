# SPDX-License-Identifier: Apache-2.0
"""The rows of the matrix table, taken from the view as they become visible."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from core import evidence
from core.base.text import one_line
from core.domain.model import Status
from core.matrix import DEVICE_RUN, RUN
from core.matrix.query import LAST, NUMBERS, RESULT, VERDICT, Standing
from core.matrix.view import (
    BY_TABLE_FIELD,
    DECLARED,
    ENTRY_FIELDS,
    EVIDENCE,
    PCC_COURSE,
    RUN_KINDS,
    TIME_COURSE,
    View,
    rate,
    text_of_row,
)
from tui.view_models.courses import course_text
from tui.view_models.headings import COUNTS_FROM, HEADING, HeadingTitles, bar_room, heading_line, title_line
from tui.view_models.style import (
    RESULT_LOOKS,
    STATUS_LOOKS,
    VERDICT_STYLES,
    WORD_LOOKS,
    Cell,
    TableColumn,
    arch_letters,
    arch_names,
    arch_title,
    bar,
    bringup_word,
    op_word,
    status_look,
)

if TYPE_CHECKING:
    from core.evidence import Observation
    from core.evidence.verdicts import Verdicts
    from tui.view_models.runs import OutcomeLook

_SIZES: Mapping[str, TableColumn] = {
    "id": TableColumn("", 44, share=3, elide=True, ids=True),
    "status": TableColumn("", 6),
    "archs": TableColumn("", 0, yields=1),
    RUN: TableColumn("", 9, yields=2),
    DEVICE_RUN: TableColumn("", 10, yields=2),
    "bringup": TableColumn("", 10, yields=3),
    # A whole strip of one arch: its newest result is at its end.
    EVIDENCE: TableColumn("", 23, yields=4),
    PCC_COURSE: TableColumn("", 23, yields=4),
    TIME_COURSE: TableColumn("", 23, yields=4),
    RESULT: TableColumn("", 25, yields=2),
    VERDICT: TableColumn("", 25, yields=3),
    "reason": TableColumn("", 16, share=2, yields=5),
    "pcc": TableColumn("", 6, right=True, yields=4),
    "entry": TableColumn("", 5, yields=4),
    "mode": TableColumn("", 9, yields=4),
    "parallelism": TableColumn("", 15, yields=4),
    "phase": TableColumn("", 11, yields=4),
    "framework": TableColumn("", 9, yields=4),
    "markers": TableColumn("", 16, yields=4),
    "loader": TableColumn("", 24, elide=True, yields=4),
    "variant": TableColumn("", 20, elide=True, yields=4),
    "file": TableColumn("", 24, elide=True, yields=4),
    **{name: TableColumn("", 10, right=True, yields=4) for name in NUMBERS},
    **{name: TableColumn("", max(6, len(title)), yields=4) for name, title, _ in ENTRY_FIELDS},
    "op": TableColumn("", 16, elide=True, yields=1),
    "model": TableColumn("", 14, elide=True, yields=5),
    "dtype": TableColumn("", 8, yields=2),
    "shape": TableColumn("", 16, share=2, yields=3),
    "level": TableColumn("", 6, right=True, yields=3),
    "rtol": TableColumn("", 6, right=True, yields=4),
    "atol": TableColumn("", 6, right=True, yields=4),
    "mark": TableColumn("", 12, yields=6),
    "dup": TableColumn("", 10, elide=True, yields=6),
}


_OTHER_SIZE = TableColumn("", 12, yields=3)
"""The size of columns that are in no table here: those that a kind of rows has for itself."""
_OP_ID = TableColumn("", 24, share=3, elide=True, ids=True)
"""Ids of op cases are shorter, and their op is equally informative."""
_LEAST_ID = 32
"""Least width of ids beside columns that a person has chosen: 99 of a hundred variants are whole in it."""


def size_of(name: str) -> TableColumn:
    """A column of the table, before it has a title."""
    return _SIZES.get(name, _OTHER_SIZE)


class MatrixRows:
    """A RowSource over the current content of a View: a later filter does not change it. Marks are live."""

    def __init__(
        self,
        view: View,
        runs: "Mapping[str, Mapping[str, OutcomeLook]]",
        edited: frozenset[str],
        verdicts: "Verdicts | None" = None,
    ) -> None:
        """`runs` by column, then by id; `edited` are ids with pending changes; `verdicts` cover all results."""
        self._view = view
        self._matrix, self._rows, self._arch = view.matrix, view.rows, view.lens
        self._runs = runs
        self._edited = edited
        self._verdicts = verdicts
        self._judged = view.judged
        self._longest: int | None = None
        """The marks of the longest strip of results, once one is drawn."""
        self._numbers: dict[str, Mapping[str, str]] = {}
        """Values of columns that have been drawn, by column and id."""
        self._names = view.table_columns
        self._pieces = [(name, _CELLS.get(name, MatrixRows._plain)) for name in self._names]
        self._kind = view.row_kind
        self._sort = view.sort_key, view.descending
        self.columns: Sequence[TableColumn] = [self._column(name) for name in self._names]

    def _column(self, name: str) -> TableColumn:
        title = BY_TABLE_FIELD[name].title
        width = size_of(name).width
        if name == "archs":
            title = arch_title(self._matrix)
            width = len(title)
        elif name == "status":
            title = self._arch or title
        elif name == "id":
            title = self._kind.id_title
        if name == self._view.sort_key:
            # The sort order is at the end, where cutting it off matters least.
            title = f"{'▼' if self._view.descending else '▲'}{title}"
        size = _OP_ID if name == "id" and self._kind.short_ids else size_of(name)
        width = min(width, size.width) if size is _OP_ID else width
        heads = arch_names(self._matrix) if name == "archs" else ()
        chosen = self._names != self._kind.columns
        short = chosen and size.ids
        return size._replace(
            title=title,
            width=min(width, _LEAST_ID) if short else max(width, min(len(title), 8)),
            # What a person has added goes last, in the order of that choice.
            yields=min(size.yields, 1) if name not in self._kind.columns else size.yields,
            heads=heads,
            tells=short,
            stays=True,
        )

    def __len__(self) -> int:
        return len(self._rows)

    def ids(self) -> Iterable[str]:
        return map(self._matrix.ids.__getitem__, self._rows)

    def key(self, position: int) -> str:
        return self._matrix.ids[self._rows[position]]

    def looks_like(self, other: "MatrixRows") -> bool:
        """Whether header and common rows look the same in both."""
        return self._looks == other._looks

    @property
    def _looks(self) -> tuple[object, ...]:
        """Everything that determines how the table looks, except marks. None of it is ever changed."""
        return self._matrix, self._arch, self._names, self._runs, self._edited, self._verdicts, self._judged, self._sort

    def position_of(self, key: str) -> int | None:
        return self._view.position_of(key)

    def marked(self, position: int) -> bool:
        return self.key(position) in self._view.marks

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        return self.cells_of(self._rows[position])

    def cells_of(self, row: int) -> Sequence[Sequence[Cell]]:
        """The pieces of every column of a row of the matrix."""
        return [pieces(self, row, name) for name, pieces in self._pieces]

    def _plain(self, row: int, name: str) -> list[Cell]:
        return [Cell(one_line(text_of_row(self._matrix, row, name, self._arch, {})), "dim")]

    def _id(self, row: int, _: str) -> list[Cell]:
        written = self._matrix.has_entry(row) or row >= len(self._matrix.model_tests.ids)
        return [Cell(one_line(self._matrix.ids[row]), "" if written else "dim")]

    def _status(self, row: int, _: str) -> list[Cell]:
        status = status_look(self._matrix, row, self._arch)
        edited = "✎" if self._matrix.ids[row] in self._edited else ""
        return [Cell(f"{status.word}{edited}", status.style)]

    def _op(self, row: int, name: str) -> list[Cell]:
        return [Cell(op_word(text_of_row(self._matrix, row, name, self._arch, {})))]

    def _archs(self, row: int, _: str) -> list[Cell]:
        return arch_letters(self._matrix, row)

    def _bringup(self, row: int, _: str) -> list[Cell]:
        return [Cell(bringup_word(self._matrix.columns["bringup"][row]))]

    def _late(self, row: int, name: str) -> list[Cell]:
        """A value that a row may have and that is not read yet."""
        return [Cell("…" if self._view.standing(name, row) is not Standing.HAS_NOT else "", "dim")]

    def _evidence(self, row: int, _: str) -> list[Cell]:
        if self._verdicts is None:
            return self._late(row, LAST)
        shown = self._seen(self._verdicts, row)
        return [Cell(one_line(evidence.summary_text(shown, self._strip(self._verdicts))))]

    def _strip(self, verdicts: "Verdicts") -> int:
        """The marks of the longest strip of results."""
        if self._longest is None:
            self._longest = evidence.longest_strip(verdicts.seen.values())
        return self._longest

    def _seen(self, verdicts: "Verdicts", row: int) -> "Mapping[str, Sequence[Observation]]":
        """The results of a row by arch; of the shown arch alone if there is one."""
        seen = verdicts.seen.get(self._matrix.ids[row], {})
        return {arch: rows for arch, rows in seen.items() if self._arch in ("", arch)}

    def _course(self, row: int, name: str) -> list[Cell]:
        if self._verdicts is None:
            return self._late(row, LAST)
        shown = self._seen(self._verdicts, row)
        what, strip = "pcc" if name == PCC_COURSE else "time", self._strip(self._verdicts)
        found = {arch: course_text(rows, what, strip) for arch, rows in shown.items()}
        return [Cell("  ".join(f"{one_line(arch)} {text}" for arch, text in found.items() if text))]

    def _result(self, row: int, name: str) -> list[Cell]:
        if self._verdicts is None:
            return self._late(row, name)
        id = self._matrix.ids[row]
        styles = {RESULT_LOOKS[word].style for word in self._verdicts.results.get(id, {}).values()}
        return [Cell(one_line(self._verdicts.result_words(id)), styles.pop() if len(styles) == 1 else "")]

    def _verdict(self, row: int, name: str) -> list[Cell]:
        if self._judged is None:
            return self._late(row, name)
        said = self._judged.words(self._matrix, row, self._arch)
        style = VERDICT_STYLES.get(said.rpartition(" ")[2], "dim") if "  " not in said else ""
        return [Cell(one_line(said), style)]

    def _number(self, row: int, name: str) -> list[Cell]:
        if self._judged is None:
            return self._late(row, name)
        known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = self._judged.number_words(name, self._arch)
        return [Cell(known.get(self._matrix.ids[row], ""))]

    def _run(self, row: int, name: str) -> list[Cell]:
        look = self._runs.get(name, {}).get(self._matrix.ids[row])
        return [Cell(look.word, look.style) if look else Cell("")]


_CELLS: Mapping[str, Callable[[MatrixRows, int, str], list[Cell]]] = {
    "id": MatrixRows._id,
    "status": MatrixRows._status,
    "archs": MatrixRows._archs,
    "bringup": MatrixRows._bringup,
    "op": MatrixRows._op,
    **dict.fromkeys(RUN_KINDS, MatrixRows._run),
    EVIDENCE: MatrixRows._evidence,
    **dict.fromkeys((PCC_COURSE, TIME_COURSE), MatrixRows._course),
    RESULT: MatrixRows._result,
    VERDICT: MatrixRows._verdict,
    **dict.fromkeys(NUMBERS, MatrixRows._number),
}


if TYPE_CHECKING:
    from core.matrix.view import Group, Line, Tree


class TreeRows:
    """A RowSource over a Tree of a View's tests. Marks are live."""

    def __init__(self, tree: "Tree", view: View, tests: MatrixRows) -> None:
        """`tests` draws the rows of tests."""
        self.tree = tree
        self._view = view
        self._tests = tests
        self.columns = tests.columns
        self._largest = max((len(group.rows) for group in tree.groups), default=1)

    def over(self, tree: "Tree") -> "TreeRows":
        """The same rows for another tree of the same tests."""
        return TreeRows(tree, self._view, self._tests)

    def __len__(self) -> int:
        return len(self.tree)

    def line(self, position: int) -> "Line":
        return self.tree.line(position)

    def ids(self) -> Iterable[str]:
        return self._tests.ids()

    def key(self, position: int) -> str:
        line = self.line(position)
        return self.heading_key(line.group) if line.row is None else self._view.matrix.ids[line.row]

    def heading_key(self, group: "Group") -> str:
        """The key of a group's heading."""
        return HEADING + group.text

    def heading_of(self, position: int) -> int | None:
        return self.tree.heading(self.line(position).group.text)

    def position_of(self, key: str) -> int | None:
        if key.startswith(HEADING):
            return self.tree.heading(key[1:])
        row = self._view.matrix.rows.get(key)
        return None if row is None else self.tree.place(row)

    def marked(self, position: int) -> bool:
        return self.mark(position) == "▌"

    def mark(self, position: int) -> str:
        """A bar if all tests of the heading are marked, half a bar if some are."""
        line = self.line(position)
        if line.row is not None:
            return "▌" if self._view.matrix.ids[line.row] in self._view.marks else " "
        count = line.group.marked(self._view.marks)
        return "▌" if count == len(line.group.rows) else "▖" if count else " "

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        row = self.line(position).row
        if row is None:
            return []
        first, *others = self._tests.cells_of(row)
        return [[Cell("  "), *first], *others]

    def heading(self, position: int, width: int) -> list[Cell]:
        """The pieces of a heading over the whole width, its bar scaled by the group's size."""
        group = self.line(position).group
        room = bar_room(width, self._largest)
        # To scale, but at least one cell for everything that exists.
        cells = max(min(room, sum(map(bool, group.tally.values()))), round(room * len(group.rows) / self._largest))
        percent = rate(group.tally).percent
        return heading_line(
            [Cell(one_line(group.text) or "none")],
            len(group.rows),
            "-" if percent is None else f"{percent}%",
            bar(group.tally, cells),
            width,
            room,
            self._titles,
            opened=group.text in self.tree.opened,
            more=_counts(group) if width >= COUNTS_FROM else (),
        )

    def heading_titles(self, width: int) -> str:
        """The titles above the pieces of a heading."""
        words = [*(WORD_LOOKS[word].word for word in DECLARED), "none"]
        more = "  " + "".join(f"{word:8}" for word in words) if width >= COUNTS_FROM else ""
        return title_line(self._titles, width, bar_room(width, self._largest), more)

    @property
    def _titles(self) -> HeadingTitles:
        return HeadingTitles(self.tree.grouping, "tests", "PASS", "by status")

    def is_heading(self, position: int) -> bool:
        return self.line(position).row is None


def _counts(group: "Group") -> list[Cell]:
    """The number of tests of each declared status, in columns."""
    cells = [Cell("  ")]
    for word in DECLARED:
        count, look = group.tally.get(word, 0), WORD_LOOKS[word]
        cells.append(Cell(f"{look.fill} {count:<5,} " if count else " " * 8, look.style))
    unspecified = group.tally.get(Status.UNSPECIFIED, 0)
    fill = STATUS_LOOKS[Status.UNSPECIFIED].fill
    return [*cells, Cell(f"{fill} {unspecified:<6,}" if unspecified else " " * 8, "dim")]


def order_words(view: View) -> str:
    """The sort order in words; empty for the usual orders: tests with an entry first, or by id."""
    if view.sort_key in ("id", "entry") and not view.descending:
        return ""
    if view.sort_key == "entry":
        return "tests with an entry last"
    waits = ", not read yet" if view.order_waits else ""
    return f"sorted by {view.sort_key}{' ↓' if view.descending else ''}{waits}"
