# SPDX-License-Identifier: Apache-2.0
"""The apps that ours is measured against: python -m tests.bench.apps minimal|stock|million CHECKOUT"""

import gc
import os
import sys
import tempfile
from pathlib import Path
from typing import ClassVar

os.environ.setdefault("TEXTUAL_FPS", "120")

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable, Static

from core.matrix.cache import Cache
from core.matrix.index import index, join
from core.matrix.universe import Member, validator_members
from core.settings import Paths, Settings
from core.sources.checkout import Checkout, find_checkout
from core.sources.schema import read_schema
from tui.session import Session
from tui.start import StartedApp

MILLION = 1_000_000


class Minimal(App[None]):
    """The least an app can do for a key: one line that changes."""

    BINDINGS: ClassVar[list[BindingType]] = [("j", "count", ""), ("down", "count", "")]
    counted = 0

    def compose(self) -> ComposeResult:
        yield Static("0", id="line")

    def action_count(self) -> None:
        self.counted += 1
        self.query_one("#line", Static).update(str(self.counted))


class Stock(App[None]):
    """The same rows in Textual's own table."""

    BINDINGS: ClassVar[list[BindingType]] = [("j", "down", "")]

    def __init__(self, checkout: Checkout) -> None:
        super().__init__()
        self._matrix = index(checkout)

    def compose(self) -> ComposeResult:
        yield DataTable(cursor_type="row")

    def on_mount(self) -> None:
        table = self.query_one(DataTable)
        table.add_columns("id", "status", "arch", "reason")
        status, arch = self._matrix.flags["status"], self._matrix.flags["arch"]
        reason = self._matrix.columns["reason"]
        table.add_rows(
            (id, " ".join(status[row]), " ".join(arch[row]), reason[row]) for row, id in enumerate(self._matrix.ids)
        )

    def action_down(self) -> None:
        self.query_one(DataTable).action_cursor_down()


def _million(checkout: Checkout) -> StartedApp:
    """Our app on the checkout's ids, each many times over."""
    small = index(checkout)
    schema, _ = read_schema(checkout)
    loaders = tuple(small.loaders.values())
    own = list(validator_members(loaders, schema))
    many = (
        Member(f"{one.id}~{copy}" if copy else one.id, *one[1:])
        for copy in range(MILLION // len(own) + 1)
        for one in own
    )
    matrix = join(checkout, schema, loaders, many, small.files)
    scratch = Path(tempfile.mkdtemp())
    paths = Paths(**{name: scratch / name for name in Paths.__dataclass_fields__})
    session = Session.open(matrix, paths, Settings())
    # There is no such checkout that CI jobs could be read from.
    session.learn = lambda *_: {}  # type: ignore[method-assign]
    return StartedApp(session, Cache(checkout, scratch), kept=True)


def main() -> None:
    gc.disable()
    kind, root = sys.argv[1], Path(sys.argv[2])
    checkout = find_checkout(root)
    app: App[None] = Minimal() if kind == "minimal" else Stock(checkout) if kind == "stock" else _million(checkout)
    app.run()


if __name__ == "__main__":
    main()
