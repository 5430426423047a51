# SPDX-License-Identifier: Apache-2.0
"""A kind of rows that no code knows: `memo::one` and `memo::two`, from no file."""

from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

from core.base.errors import UsageError
from core.base.settings import Settings
from core.kinds import Kind, Launch, Page, Source, Table
from core.kinds.kind import Apart, here
from core.matrix import Column, JobOfRow, Matrix, OtherRows, with_other_rows
from core.matrix.cache import Cache
from core.matrix.query import Choice, made, own_column
from core.runs import RunSpec
from core.runs.planning import plan_own_test
from core.workspace import Workspace

IDS = ("memo::one", "memo::two")


class MemoKind(Kind):
    """Its rows are read only when somebody asks for them."""

    name = "memo"
    noun = "memo"
    written_in = "nothing"
    own_fields = (Choice("colour", "colour of a memo", made(lambda matrix: own_column(matrix, "colour"))),)
    launch = Launch.ALONE
    in_views = False

    def cached(self, matrix: Matrix, cache: Cache, settings: Settings) -> Matrix | None:
        return None

    def read(self, matrix: Matrix, cache: Cache, settings: Settings, apart: Apart = here) -> Matrix:
        same = Column.of(["", ""])
        columns = {"reason": same, "file": same, "colour": Column.of(["red", "blue"])}
        return with_other_rows(matrix, OtherRows(self.name, IDS, array("I", [1, 2]), same, columns, {}))

    def add(self, matrix: Matrix, on: Workspace) -> Matrix:
        return self.read(matrix, on.cache, on.settings)

    def chosen(self, text: str, on: Workspace) -> Sequence[str]:
        return IDS if text == "memo::all" else super().chosen(text, on)

    def table(self, matrix: Matrix, ids: Sequence[str], on: Workspace, *, broken: bool = False) -> Table:
        return Table(("memo",), [(id,) for id in ids], f"{len(ids)} memos", empty="no memos")

    def problems(self, on: Workspace) -> Sequence[str]:
        return ("ink is low",)

    def page(self, matrix: Matrix, id: str, on: Workspace) -> Page:
        return Page([("colour", self.text(matrix, matrix.rows[id], "colour"))], ["more of it"], "that is all")

    def jobs(self, matrix: Matrix, id: str, on: Workspace) -> Sequence[JobOfRow]:
        return [JobOfRow("write", "memos.json", "n150-perf", "", "push")]

    def planner(self, source: Source) -> Callable[[str], RunSpec]:
        def plan_one(id: str) -> RunSpec:
            if id == IDS[1] and source.kind:
                raise UsageError(f"{id} is read aloud", "Nothing can run it so.")
            return plan_own_test(source.checkout, id, source.settings, _arguments, runs=source.runs)

        return plan_one


def _arguments(artefacts: Path) -> Sequence[str]:
    return ("--read-aloud",)


KIND = MemoKind()
