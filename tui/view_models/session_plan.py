# SPDX-License-Identifier: Apache-2.0
"""A planned session as rows of a table, and as a text: what fits, what is left over, accuracy of estimates."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from core.base.text import counted, one_line
from core.sessions import Accuracy, Candidate, SessionPlan
from tui.view_models.rows import Row, Rows
from tui.view_models.style import Cell, TableColumn, seconds_text

_LABEL = 12


class PlanRow(NamedTuple):
    """A cell of a plan."""

    candidate: Candidate
    host: str
    """Empty: left over."""
    begin: str
    why: str
    """Why it is worth a run, or why it does not fit."""

    @property
    def fits(self) -> bool:
        return bool(self.host)


def _why(one: Candidate) -> str:
    return "; ".join(one.why)


_COLUMNS = (
    TableColumn("host", 9, elide=True),
    TableColumn("from", 5, right=True),
    TableColumn("takes", 6, right=True),
    TableColumn("runs", 4, right=True),
    TableColumn("arch", 8),
    TableColumn("test id", 24, share=2, elide=True, ids=True),
    TableColumn("why", 20, yields=1),
)


def plan_rows(plan: SessionPlan | None) -> Rows[PlanRow]:
    """Placed cells in order of value, then those left over."""
    placed = [
        PlanRow(one.candidate, one.host or "here", clock(one.begin), _why(one.candidate))
        for one in (plan.placed if plan else ())
    ]
    left_over = [PlanRow(one.candidate, "", "", one.why) for one in (plan.left_over if plan else ())]
    return Rows(
        placed + left_over,
        _COLUMNS,
        _cells,
        key=lambda row: f"{row.candidate.id} {row.candidate.arch}",
        id=lambda row: row.candidate.id,
    )


def _cells(row: PlanRow) -> Row:
    one, style = row.candidate, "" if row.fits else "dim"
    return (
        [Cell(one_line(row.host) or "left over", style)],
        [Cell(row.begin, "dim")],
        [Cell(f"{'' if one.known else '~'}{clock(one.total)}", style)],
        [Cell(str(one.runs), "dim")],
        [Cell(one_line(one.arch), "dim")],
        [Cell(one_line(one.id), style)],
        [Cell(one_line(row.why), "dim")],
    )


def clock(seconds: float) -> str:
    """`1:05`: hours and minutes, rounded up to a minute."""
    minutes = -int(-seconds // 60)
    return f"{minutes // 60}:{minutes % 60:02}"


def plan_parts(plan: SessionPlan) -> Sequence[str]:
    """`12 cells in 95 machine min`, `25 free`, `3 left over`: for the title, most important first."""
    placed = f"{counted(len(plan.placed), 'cell')} in {plan.machine_seconds / 60:,.0f} machine min"
    return placed, f"{len(plan.left_over):,} left over", f"{plan.free_seconds / 60:,.0f} free"


def plan_words(plan: SessionPlan) -> str:
    """`12 cells in 95 machine min, 3 left over, 25 free`: in one sentence."""
    return ", ".join(plan_parts(plan))


def plan_text(plan: SessionPlan, good: Accuracy, row: PlanRow | None) -> Text:
    """The cell under the cursor, then each machine, then how reliable the estimates are."""
    return Text("\n").join([*_of_row(row), *_of_machines(plan), *_of_times(plan, good)])


def _of_row(row: PlanRow | None) -> Iterator[Text]:
    if row is None:
        return
    one = row.candidate
    yield Text.assemble((one_line(one.id), "bold"), f"  {one_line(one.arch)}")
    yield _fact("why" if row.fits else "left over", row.why if row.fits else f"{row.why}; {_why(one)}")
    known = "" if one.known else ", a guess: no earlier run is known"
    yield _fact("takes", f"{counted(one.runs, 'run')} of {seconds_text(one.seconds)}{known}")


def _of_machines(plan: SessionPlan) -> Iterator[Text]:
    slots = Counter((one.host, one.seconds) for one in plan.slots)
    for (host, seconds), count in slots.items():
        used = sum(one.candidate.total for one in plan.placed if one.host == host)
        yield _fact(host or "here", f"{counted(count, 'slot')} of {clock(seconds)} h, {clock(used)} h used")


def _of_times(plan: SessionPlan, good: Accuracy) -> Iterator[Text]:
    guessed = sum(not one.candidate.known for one in plan.placed)
    if guessed:
        yield _fact("~", f"the time of {counted(guessed, 'cell')} is a guess")
    if good.ratio is None or good.near is None:
        yield _fact("estimates", "no earlier run had an estimate to compare with")
        return
    said = f"{good.ratio:.2f} times the estimate (median), {good.near:.0%} within a quarter of it"
    yield _fact("estimates", f"{counted(good.runs, 'earlier run')} took {said}")


def _fact(name: str, value: str) -> Text:
    return Text.assemble((one_line(name).ljust(_LABEL), "dim"), one_line(value))
