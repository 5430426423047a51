# SPDX-License-Identifier: Apache-2.0
"""The text of the detail panel for an op case. Pure: what its row holds, to styled lines."""

from rich.text import Text

from core.matrix import Matrix
from core.text import one_line

_COLUMNS = ("op", "model", "shape", "rtol", "atol", "reason", "dup")
_FLAGS = ("dtype", "mark")


def op_text(matrix: Matrix, id: str) -> Text:
    """What an op case is, and where it is written; `id` must be that of one."""
    row = matrix.rows[id]
    assert matrix.ops is not None
    line = matrix.ops.lines[row - len(matrix.model_tests.ids)]
    text = Text(no_wrap=False)
    text.append(f"{one_line(id)}\n", "bold")
    text.append(f"{one_line(matrix.columns['file'][row])}:{line}\n\n", "dim")
    said = {name: matrix.columns[name][row] for name in _COLUMNS} | {n: " ".join(matrix.flags[n][row]) for n in _FLAGS}
    for name, value in said.items():
        if value:
            text.append(f"{name:8} ")
            text.append(f"{one_line(value)}\n", "bold")
    return text
