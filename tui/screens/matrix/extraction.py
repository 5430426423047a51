# SPDX-License-Identifier: Apache-2.0
"""The ops of a model as op cases: where they go is asked, a run in the background records them, then they are shown."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.errors import UsageError
from core.base.text import counted, one_line
from core.domain.ids import TestId
from core.matrix import OP_KIND
from core.matrix.query import Query
from core.runs import planning
from tui import screens
from tui.screens.base import SessionScreen
from tui.screens.matrix.listing import Listing

if TYPE_CHECKING:
    from core.runs.planning import LaunchPlan
    from core.runs.store import RunRecord

_ENDINGS = (".yaml", ".yml")


class Extraction:
    """Extracts ops, one model at a time, and reports when an extraction ends."""

    def __init__(self, screen: SessionScreen, listing: Listing) -> None:
        self._screen = screen
        self._context = screen.context
        self._session = screen.session
        self._listing = listing
        self._started: dict[str, str] = {}
        """Runs whose end is awaited: their tests, by run id."""
        self._ended: list[RunRecord] = []
        """Files whose cases the matrix may not have yet."""

    def ask(self) -> None:
        """Ask for the file of the model under the cursor, and start the run."""
        id, test = self._current()
        if id is None or test is None:
            return
        question = screens.Ask(
            "Extract the ops of this model into",
            f"{one_line(id)}\nThe model runs once on the CPU. If the file exists, missing cases are added.",
            value=self.default(),
            verb="extract",
            check=self.check,
            doubt=self._doubt,
        )
        self._screen.app.push_screen(question, lambda file: self._start(id, file) if file else None)

    def default(self) -> str:
        """The default file for the ops of the model under the cursor; empty: there is none."""
        test = TestId.parse(self._listing.current or "")
        return planning.default_manifest(test, self._session.settings.ops_dirs) if test else ""

    def extract(self, file: str) -> None:
        """Extract the ops of the model under the cursor into `file`."""
        id, test = self._current()
        if id is not None and test is not None:
            self._start(id, file)

    def _current(self) -> tuple[str | None, TestId | None]:
        """The test under the cursor; where its ops cannot be extracted, a message says why."""
        id = self._listing.current
        test = TestId.parse(id or "")
        if reason := self._why_not(id, test):
            self._context.notify.info(reason)
        return (None, None) if reason else (id, test)

    def _why_not(self, id: str | None, test: TestId | None) -> str:
        kind = self._session.kind_of(id or "")
        if kind is None:
            return "Nothing to extract: no single test is under the cursor."
        return kind.no_ops or ("This row has no loader." if test is None else planning.why_no_ops(test))

    def _place(self, text: str) -> Path:
        return self._session.checkout.root / Path(text.strip()).expanduser()

    def check(self, text: str) -> None:
        """Raise UsageError for what cannot be a manifest."""
        place = self._place(text)
        if place.suffix not in _ENDINGS or place.name.startswith("test_config_"):
            raise UsageError(f"Not a manifest: {text.strip()}", hint="Name a file that ends with .yaml.")
        if place.is_dir():
            raise UsageError(f"{text.strip()} is a directory", hint="Name a file in it.")

    def _doubt(self, text: str) -> str:
        place, root = self._place(text), self._session.checkout.root
        directories = [(root / one).resolve() for one in self._session.settings.ops_dirs]
        if not any(place.resolve().is_relative_to(one) for one in directories):
            return "The matrix will not show its cases: the file is outside the directories of the setting ops_dirs."
        return "The file exists: missing cases are added at its end, nothing else changes." if place.exists() else ""

    def _start(self, id: str, file: str) -> None:
        session = self._session
        options = planning.Options(kind=planning.EXTRACT_KIND, manifest=self._place(file))
        work = partial(
            planning.plan_launch,
            session.matrix,
            [id],
            session.settings,
            options,
            runs=session.store.root,
            records=session.runs,
        )
        self._context.background.run("plan extraction", work, self._planned, asks=True)

    def _planned(self, plan: LaunchPlan) -> None:
        self._started |= {spec.run_id: spec.test_id for spec in plan.specs}
        self._context.runs.start_planned(plan, shown=False)

    # Its end

    def runs_changed(self) -> None:
        """Look whether one has ended."""
        if not self._started:
            return
        ended = [one for one in self._session.runs if one.spec.run_id in self._started and not one.active]
        for record in ended:
            del self._started[record.spec.run_id]
        if ended:
            self._ended += ended
            # A directory that is new is not watched.
            self._context.files.reload()

    def matrix_changed(self) -> None:
        """The checkout was read again: tell of what has ended, and show the cases."""
        ended, self._ended = self._ended, []
        for record in ended:
            self._tell(record)

    def _tell(self, record: RunRecord) -> None:
        said = record.said
        file, model = said.file, said.model
        if not file or not model:
            self._context.notify.info(
                f"No ops extracted from {one_line(record.spec.test_id)}: {one_line(record.summary)}"
            )
            return
        place = Path(file)
        root = self._session.checkout.root.resolve()
        name = place.relative_to(root) if place.is_relative_to(root) else place
        number, new = said.in_file, said.added
        size = "its cases" if number is None else counted(number, "case")
        words = f"{one_line(str(name))} has {size}" + ("" if new is None else f", {new:,} of them new")
        query = Query().asking_for("kind", ("op",)).asking_for("model", (model,))
        here = self._screen.app.screen is self._screen and self._listing.current == record.spec.test_id
        cases = self._session.view.matrix.of_kind(OP_KIND)
        if here and cases is not None and model in cases.columns["model"].values:
            self._context.notify.info(f"{words}.")
            self._context.navigation.show_tests(query)
        else:
            self._context.notify.info(f"{words}: filter {query}")
