# SPDX-License-Identifier: Apache-2.0
"""How long the statuses of each row's entry have been unchanged, and how often they changed, as columns."""

import time

from core.history import History, ages, flips, read_history
from core.matrix import Column, Matrix
from core.matrix.cache import Cache
from core.matrix.query import Plain


def provide(cache: Cache, matrix: Matrix) -> Plain:
    """Age and number of flips of each row's entry, as of now. Raises TTMatrixError if git has no history."""
    return history_columns(read_history(cache, matrix.model_tests), time.time())


def history_columns(history: History, now: float) -> Plain:
    """The columns of `provide`, from a history; `now`: seconds since the epoch. Rows without an entry have none."""
    matrix = history.matrix

    def column(numbers: dict[str, str]) -> Column:
        return Column.sparse(len(matrix.ids), "", {matrix.rows[id]: number for id, number in numbers.items()})

    return Plain(
        {
            "age": column({id: f"{days}d" for id, days in ages(history, now).items()}),
            "flips": column({id: str(number) for id, number in flips(history).items()}),
        }
    )
