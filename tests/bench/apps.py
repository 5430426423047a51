# SPDX-License-Identifier: Apache-2.0
"""The apps that ours is compared with: python -m tests.bench.apps minimal|stock|million CHECKOUT"""

import gc
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

os.environ.setdefault("TEXTUAL_FPS", "120")

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable, Static


class Minimal(App[None]):
    """The minimal response to a key: one line that changes."""

    BINDINGS: ClassVar[list[BindingType]] = [("j", "count", ""), ("down", "count", "")]
    counted = 0

    def compose(self) -> ComposeResult:
        yield Static("0", id="line")

    def action_count(self) -> None:
        self.counted += 1
        self.query_one("#line", Static).update(str(self.counted))


class Stock(App[None]):
    """The same rows and columns in Textual's own table."""

    BINDINGS: ClassVar[list[BindingType]] = [("j", "down", "")]

    def __init__(self, rows: Iterable[tuple[str, ...]]) -> None:
        super().__init__()
        self._rows = rows

    def compose(self) -> ComposeResult:
        yield DataTable(cursor_type="row")

    def on_mount(self) -> None:
        table = self.query_one(DataTable)
        table.add_columns("id", "status", "archs", "bringup", "run", "reason")
        table.add_rows(self._rows)

    def action_down(self) -> None:
        self.query_one(DataTable).action_cursor_down()


def _app(kind: str, checkout: Path) -> App[Any]:
    if kind == "minimal":
        return Minimal()
    # Imported here, because the minimal app must not load everything that ours loads.
    from tests.bench.apps_rows import million, stock_rows

    return Stock(stock_rows(checkout)) if kind == "stock" else million(checkout)


def main() -> None:
    gc.disable()
    _app(sys.argv[1], Path(sys.argv[2])).run()


if __name__ == "__main__":
    main()
