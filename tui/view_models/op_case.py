# SPDX-License-Identifier: Apache-2.0
"""The text of the detail panel for an op case. Pure: what is known of it, to styled lines."""

from collections.abc import Iterable

from rich.text import Text

from core import ops
from core.matrix import Matrix
from core.ops import CaseDetail
from core.text import one_line

_OF_ROW = ("op", "file", "shape", "rtol", "atol", "reason", "dup")
_STYLES = {"warning": "red", "from": "dim"}


def op_text(detail: CaseDetail) -> Text:
    """Op, place, expectation, arguments, tolerances and equal cases of one op case."""
    return _text(detail.id, ops.case_lines(detail))


def op_row_text(matrix: Matrix, id: str) -> Text:
    """What the row of an op case holds, while its manifest is still being read."""
    row = matrix.rows[id]
    return _text(id, [(name, matrix.columns[name][row]) for name in _OF_ROW if matrix.columns[name][row]])


def _text(id: str, lines: Iterable[tuple[str, str]]) -> Text:
    text = Text(no_wrap=False)
    text.append(f"{one_line(id)}\n\n", "bold")
    for name, value in lines:
        text.append(f"{name:12} ")
        text.append(f"{one_line(value)}\n", _STYLES.get(name, "bold"))
    return text
