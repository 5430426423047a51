# SPDX-License-Identifier: Apache-2.0
"""The display of values: short names, letters, styles. Pure: no widget, no clock; colour is never the only sign."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from core.base.text import counted as counted, one_line
from core.domain.model import Status
from core.matrix import Column, Matrix, all_kinds
from core.matrix.view import MIXED as MIXED_WORD, Tally, View, shares


class Cell(NamedTuple):
    """One piece of a line with the name of its style (a component class of the widget that shows it)."""

    text: str
    style: str = ""


class StatusLook(NamedTuple):
    """The display of a status."""

    word: str
    letter: str
    """For grids, a cell each."""
    style: str
    fill: str = "█"
    """For bars: the fills of statuses differ without colour, too."""


STATUS_LOOKS = {
    Status.EXPECTED_PASSING: StatusLook("PASS", "P", "pass", "█"),
    Status.KNOWN_FAILURE_XFAIL: StatusLook("XFAIL", "X", "xfail", "▓"),
    Status.NOT_SUPPORTED_SKIP: StatusLook("SKIP", "S", "skip", "▒"),
    Status.EXCLUDE_MODEL: StatusLook("EXCL", "E", "exclude", "░"),
    Status.UNSPECIFIED: StatusLook("-", "·", "dim", "·"),
}
MIXED = StatusLook("mixed", "~", "mixed", "▞")
_NOTHING_EXPECTED = StatusLook("", " ", "dim", " ")
"""Of a row of which nothing is expected."""
WORD_LOOKS = {**{str(status): look for status, look in STATUS_LOOKS.items()}, MIXED_WORD: MIXED}
"""Looks by the words in a tally."""
RESULT_LOOKS = {
    "pass": StatusLook("pass", "P", "pass"),
    "xpass": StatusLook("xpass", "p", "pass"),
    "fail": StatusLook("fail", "F", "fail"),
    "crash": StatusLook("crash", "C", "fail"),
    "timeout": StatusLook("timeout", "T", "fail"),
    "error(ref)": StatusLook("error(ref)", "R", "mixed"),
    "build-error": StatusLook("build-error", "B", "mixed"),
    "xfail": StatusLook("xfail", "X", "xfail"),
    "skip": StatusLook("skip", "S", "skip"),
    "not-an-op": StatusLook("not-an-op", "N", "dim"),
    "dup": StatusLook("dup", "D", "dim"),
}
"""Looks of op case results on a backend."""
VERDICT_STYLES = {
    "regressed": "fail",
    "crash": "fail",
    "hang": "fail",
    "pcc-tight": "fail",
    "missing": "fail",
    "new": "pass",
    "stale": "pass",
    "semi-stale": "pass",
    "drifted": "xfail",
    "pcc-loose": "pass",
    "flaky": "mixed",
    "slow": "mixed",
}
"""By verdict; the others are dim."""

_WORK_WORDS = (
    ("-tensor_parallel", ""),
    ("single_device", "single"),
    ("data_parallel", "data"),
    ("tensor_parallel", "tensor"),
    ("inference", "inf"),
    ("training", "train"),
    ("megatron", "mgtn"),
)

_BRINGUP = {
    "FAILED_FE_COMPILATION": "frontend",
    "FAILED_TTMLIR_COMPILATION": "tt-mlir",
    "FAILED_RUNTIME": "runtime",
    "INCORRECT_RESULT": "incorrect",
    "NOT_STARTED": "not started",
}


_FUNCTIONAL = "torch.nn.functional."


def status_look(matrix: Matrix, row: int, arch: str) -> StatusLook:
    """The status of a row on `arch`; without an arch, the status that all supported archs share, else MIXED."""
    column = matrix.statuses(arch)
    if isinstance(column, Column):
        return _look(column[row])
    return _shared_look(column.values, column.masks[row])


@cache
def _shared_look(statuses: tuple[str, ...], mask: int) -> StatusLook:
    own = [one for bit, one in enumerate(statuses) if mask >> bit & 1]
    return _look(own[0] if own else "") if len(own) < 2 else MIXED


def _look(status: str) -> StatusLook:
    return WORD_LOOKS[status] if status else _NOTHING_EXPECTED


def arch_letters(matrix: Matrix, row: int) -> list[Cell]:
    """One letter per arch in the order of the schema; a blank if the test is not marked for the arch."""
    marked = _marked(tuple(matrix.schema.archs), matrix.flags["arch"].masks[row])
    return list(_letters(marked, tuple([matrix.status[arch][row] if arch else "" for arch in marked])))


@cache
def _marked(archs: tuple[str, ...], mask: int) -> tuple[str, ...]:
    """Each arch, or an empty text where a test is not marked for it."""
    return tuple(arch if mask >> bit & 1 else "" for bit, arch in enumerate(archs))


@cache
def _letters(marked: tuple[str, ...], statuses: tuple[str, ...]) -> tuple[Cell, ...]:
    looks = zip(marked, map(_look, statuses), strict=True)
    return tuple(Cell(one.letter, one.style) if arch else Cell(" ") for arch, one in looks)


@cache
def short_archs(archs: tuple[str, ...]) -> tuple[str, ...]:
    """Arch names shortened to what distinguishes them: `llmbox` for `n300-llmbox`, `bh` for `galaxy-bh`."""
    parts = [part for arch in archs for part in arch.split("-")]
    return tuple(next((part for part in arch.split("-") if parts.count(part) == 1), arch) for arch in archs)


@cache
def letters_of(archs: tuple[str, ...]) -> str:
    """One character per arch: the first of its short name, in upper case if that one is taken."""
    title = ""
    for arch, name in zip(archs, short_archs(archs), strict=True):
        letters = [name[0], name[0].upper(), *name.lower(), *arch.lower(), *"0123456789"]
        title += next((letter for letter in letters if letter.isalnum() and letter not in title), "?")
    return title


def arch_names(matrix: Matrix) -> tuple[str, ...]:
    """A short name for each arch."""
    return short_archs(tuple(matrix.schema.archs))


def arch_title(matrix: Matrix) -> str:
    """The heading of the arch letters: `letters_of` all archs."""
    return letters_of(tuple(matrix.schema.archs))


def bar(counts: Tally, width: int) -> list[Cell]:
    """The share of tests with each status, each with its fill."""
    return [
        Cell(WORD_LOOKS[word].fill * cells, WORD_LOOKS[word].style) for word, cells in shares(counts, width).items()
    ]


def tally_text(counts: Tally, none: str = "unspecified") -> str:
    """`24 tests: 20 PASS, 4 XFAIL`; `none` are the words for tests without either."""
    words = (
        f"{count:,} {none if word == Status.UNSPECIFIED else status_word(word)}"
        for word, count in counts.items()
        if count
    )
    return f"{counted(sum(counts.values()), 'test')}: {', '.join(words)}"


def status_word(word: str) -> str:
    """A word of a tally in its form for people."""
    return "unspecified" if word == Status.UNSPECIFIED else (WORD_LOOKS | RESULT_LOOKS)[word].word


def work_word(text: str) -> str:
    """A parallelism, a mode, or both, shortened for a column heading."""
    for long, short in _WORK_WORDS:
        text = text.replace(long, short)
    return one_line(text)


def bringup_word(value: str) -> str:
    """A bring-up status as one short word."""
    return _BRINGUP.get(value) or one_line(value).lower()


def op_word(op: str) -> str:
    """The name of an op without its common prefix, abbreviated where models do the same: `F.silu`, `add`."""
    text = one_line(op)
    return f"F.{text.removeprefix(_FUNCTIONAL)}" if text.startswith(_FUNCTIONAL) else text.removeprefix("torch.")


def facet_label(field: str, value: str) -> str:
    """A value of a facet, shortened but distinct from the other values."""
    if field == "op":
        return op_word(value)
    if field == "bringup":
        return bringup_word(value)
    return one_line(value).lower().removesuffix("-tensor_parallel")


def seconds_text(seconds: float | None) -> str:
    """A duration in at most five characters; empty if there is none."""
    if seconds is None:
        return ""
    if seconds < 100:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest:02}" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02}"


def clock_text(at: float | None) -> str:
    """The time of day for seconds since the epoch; empty if unknown."""
    return "" if at is None else f"{datetime.fromtimestamp(at):%H:%M:%S}"


def count_text(view: View) -> str:
    """The number of visible rows and of marks, including hidden ones."""
    shown, total = len(view.rows), len(view.matrix.ids)
    rows = ((len(view.matrix.kinds[name]), kind.noun) for name, kind in all_kinds().items())
    everything = ", ".join(counted(count, noun) for count, noun in rows if count)
    text = f"{shown:,} of {total:,}" if shown != total else everything
    if shown == total and view.sort_key == "entry" and not view.descending:
        entries = sum(map(bool, view.matrix.flags["has"].masks))
        text = f"{counted(total, 'row')}, the {entries:,} with an entry first"
    if view.marks:
        hidden = view.hidden_marks()
        text += f" · {len(view.marks):,} marked" + (f" ({hidden:,} hidden)" if hidden else "")
    return text


def diff_style(line: str) -> str:
    """The style of one line of a unified diff."""
    if line.startswith(("--- ", "+++ ")):
        return "file"
    return {"@": "hunk", "+": "added", "-": "removed"}.get(line[:1], "")


class TableColumn(NamedTuple):
    """A column: what there is to say of it, of which `tui.view_models.widths` makes its width."""

    title: str
    width: int
    """The cells with which it is of use, where its texts need as many."""
    yields: int = 0
    """Its turn to go: where there is too little room, those with the highest number go first; 0: it never goes."""
    share: int = 1
    """The cells that it gets in a round, of those that are free, while texts in it are cut."""
    least: int = 0
    """The cells that it has even if its texts need fewer: they may soon need more."""
    most: int = 0
    """The most cells that it has, whatever its texts need; 0: as many as they need."""
    elide: bool = False
    """Whether text that is too long is cut in the middle instead of at the end."""
    right: bool = False
    """Whether its single piece is right-aligned."""
    fills: bool = False
    """Whether it has the cells that no text needs, so that what is right of it is at the edge."""
    heads: tuple[str, ...] = ()
    """A name for each of its one-letter pieces: if all columns have room, the header shows them."""
    ids: bool = False
    """Whether it shows the ids of the rows, which are shortened by one rule (`tui.view_models.ids`)."""
    tells: bool = False
    """Whether its head says how many columns do not fit."""
    spare: bool = False
    """Whether it is there only while no text is cut: it yields, and what it says is in the detail too."""
    stays: bool = False
    """Whether it does not go for saying the same in every row: a person chose it, or its texts change by themselves."""

    @property
    def roomy(self) -> int:
        """The width that the names need; 0: no names."""
        return sum(len(head) + 1 for head in self.heads) - bool(self.heads)


Line = str | Sequence[Cell]
"""A text that is styled as a whole, or pieces that bring their styles."""
