# SPDX-License-Identifier: Apache-2.0
"""Batches of runs below their headings: the order, what is folded, and what a heading says of each kind of batch."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.runs import Outcome
from core.runs.store import Finished, RunRecord
from core.runs.store.events import Event
from tests.tui.view_models.test_runs import RUNNING, record
from tui.view_models import Fitting, RunGroup, RunRows, batch_rows, fit
from tui.view_models.batches import FOLDED_FROM, batches, in_turn

NOW = 130.0


def of(batch: str, test: str, *events: Event, turn: int | None = None, **more: Any) -> RunRecord:
    """A run of a test in a batch."""
    one = record(f"{batch}-{test}", *events, turn=turn, batch=batch, **more)
    return replace(one, spec=replace(one.spec, test_id=test))


def passed(batch: str, test: str, outcome: Outcome = Outcome.PASS) -> RunRecord:
    return of(batch, test, RUNNING, Finished(109.0, outcome, 9.0))


def rows_of(records: Sequence[RunRecord], folded: bool | None = None) -> RunRows:
    if folded is None:
        return batch_rows(records, clock=lambda: NOW)
    return batch_rows(records, lambda _: bool(folded), clock=lambda: NOW)


def said(rows: RunRows, at: int = 0, width: int = 100) -> list[str]:
    """The words of a heading."""
    return "".join(cell.text for cell in rows.heading(at, width)).split()


def lines(rows: RunRows) -> list[str]:
    """The rows in short: `>` before a heading."""
    found = []
    for at in range(len(rows)):
        one, group = rows.record(at), rows.group(at)
        found.append(one.spec.run_id if one else f"> {'  ' * group.depth}{group.name}" if group else "")
    return found


def test_what_goes_on_comes_first_then_the_queue_in_its_order_then_the_newest() -> None:
    old, new = (record(name, Finished(9.0, Outcome.PASS, 1.0)) for name in ("old", "new"))
    first, second = record("first", turn=2), record("second", turn=5)
    later, sooner = record("later", replace(RUNNING, at=7.0)), record("sooner", RUNNING)
    ordered = [later, sooner, first, second, new, old]
    given = [second, new, later, sooner, first, old]
    assert in_turn(given) == ordered
    assert batches(given) == ordered


def test_a_batch_stays_together_below_its_heading() -> None:
    records = [of("2", "m/c", turn=0), of("2", "m/b", RUNNING), passed("2", "m/a"), passed("1", "x/a")]
    rows = rows_of(records)
    assert lines(rows) == ["> m · cpu", "2-m/b", "2-m/c", "2-m/a", "1-x/a"]
    assert [rows.heading_of(at) for at in range(5)] == [0, 0, 0, 0, None], "alone, a run needs no heading"
    assert rows.first() == "2-m/b"
    assert [rows.position_of(key) for key in (rows.key(0), "2-m/a", "1-x/a", "gone")] == [0, 3, 4, None]


def test_the_order_of_batches_does_not_change_between_two_runs_of_one() -> None:
    def state(between: bool) -> list[RunRecord]:
        middle = (Finished(120.0, Outcome.PASS, 1.0),) if between else ()
        first = [of("1", "m/b", turn=3), of("1", "m/a", RUNNING, *middle)]
        return [of("2", "m/d", turn=4), of("2", "m/c", replace(RUNNING, at=110.0)), *first]

    orders = [[group.key for group in batch_rows(state(between)).groups] for between in (False, True)]
    assert orders == [["1", "2"]] * 2


def test_a_long_batch_is_one_row_until_it_is_unfolded() -> None:
    long = [passed("1", f"m/{number}") for number in range(FOLDED_FROM)]
    rows = rows_of(long)
    assert lines(rows) == ["> m · cpu"]
    assert rows.position_of("1-m/3") == 0, "the run is behind its heading"
    assert rows.first() == rows.key(0)
    assert len(rows_of(long[1:])) == FOLDED_FROM
    assert len(rows_of(long, folded=False)) == FOLDED_FROM + 1


def test_a_heading_says_how_many_are_done_failed_taken_and_left() -> None:
    records = [
        *(of("1", f"m/{at}", turn=at, estimate=60.0, slot_count=2) for at in range(3)),
        of("1", "m/r", RUNNING, estimate=40.0, slot_count=2),
        passed("1", "m/p"),
        passed("1", "m/f", Outcome.CRASH),
    ]
    rows = rows_of(records, folded=True)
    bar = "".join(cell.text for cell in rows.heading(0, 100) if cell.text and cell.text[0] in "█▓▁▌░")
    assert said(rows) == ["▸", "m", "·", "cpu", bar, "6", "33%", "1", "failed", "30.0s", "~2", "min"]
    assert [part.count for part in rows.groups[0].parts] == [1, 1, 0, 1, 3]
    assert [bar.count(fill) > 0 for fill in "█▓▁▌░"] == [True, True, False, True, True]


def test_bars_are_to_scale_and_tell_outcomes_without_colours() -> None:
    rows = rows_of(
        [*(passed("2", f"m/{at}") for at in range(100)), *(passed("1", f"m/{at}") for at in range(25))], True
    )
    widths = [sum(cell.text.count("█") for cell in rows.heading(at, 120)) for at in (0, 1)]
    assert widths == [24, 6]


def test_what_is_not_known_is_left_out() -> None:
    unknown = [of("1", "m/a", RUNNING), of("1", "m/b", turn=0)]
    assert said(rows_of(unknown, True))[-2:] == ["30.0s", "running"]
    some = [*unknown, of("1", "m/c", turn=1, estimate=60.0, slot_count=1)]
    assert said(rows_of(some, True))[-2:] == [">1", "min"]


def test_a_stopped_batch_has_ended_and_says_when() -> None:
    stopped = of("1", "m/b", RUNNING, Finished(112.0, Outcome.CANCELLED, 12.0))
    never = of("1", "m/c", Finished(112.0, Outcome.CANCELLED, 0.0))
    rows = rows_of([never, stopped, passed("1", "m/a")], True)
    assert said(rows)[-2:] == ["12.0s", "now"], "no estimate, and the time is that of its runs, not until now"
    assert said(rows)[6] == "100%"
    assert [part.count for part in rows.groups[0].parts] == [1, 0, 2, 0, 0], "stopped is neither passed nor failed"


def test_a_batch_on_hold_has_no_end() -> None:
    held = [replace(of("1", f"m/{at}", turn=at, estimate=60.0), held=True) for at in range(3)]
    assert said(rows_of(held, True))[-2:] == ["on", "hold"]
    one = of("1", "m/r", turn=3, estimate=60.0, slot_count=1)
    assert said(rows_of([one, *held], True))[-2:] == ["~1", "min"], "of what is not on hold"


def test_a_batch_behind_another_ends_after_it() -> None:
    first = [of("1", f"m/{at}", turn=at, estimate=60.0, slot_count=1) for at in range(2)]
    second = [of("2", f"m/{at}", turn=2 + at, estimate=60.0, slot_count=1) for at in range(2)]
    rows = rows_of([*second, *first], True)
    assert [said(rows, at)[-2:] for at in (0, 1)] == [["~2", "min"], ["~4", "min"]]
    moved = [replace(one, turn=(one.turn or 0) - 5) for one in second]
    rows = rows_of([*moved, *first], True)
    assert [rows.groups[at].key for at in (0, 1)] == ["2", "1"], "who is first in the queue is first here"


def test_on_several_machines_it_ends_sooner() -> None:
    def on(host: str, at: int) -> RunRecord:
        return of("1", f"m/{host}", replace(RUNNING, at=NOW, place=host), estimate=60.0, slots="device", slot_count=0)

    waiting = [of("1", f"m/{at}", turn=at, estimate=60.0, slots="device", slot_count=0) for at in range(4)]
    assert said(rows_of([*waiting, on("a", 0)], True))[-2:] == ["~5", "min"]
    assert said(rows_of([*waiting, on("a", 0), on("b", 1)], True))[-2:] == ["~3", "min"]


def test_the_runs_of_one_test_are_numbered_below_a_heading_with_its_name() -> None:
    alone = [replace(one, spec=replace(one.spec, run_id=f"1-{at}")) for at in range(3) for one in [passed("1", "m/a")]]
    rows = rows_of(alone)
    assert lines(rows) == ["> m/a · cpu", "1-0", "1-1", "1-2"]
    assert [rows.cells(at)[3][0].text for at in (1, 2, 3)] == ["#1 m/a", "#2 m/a", "#3 m/a"]


def test_repetitions_among_other_tests_have_a_heading_of_their_own() -> None:
    def again(test: str, number: int) -> RunRecord:
        one = passed("1", test)
        return replace(one, spec=replace(one.spec, run_id=f"1-{test}-{number}"))

    records = [*(again("m/a", at) for at in range(3)), again("m/b", 0)]
    rows = rows_of(records)
    assert lines(rows) == ["> m · cpu", ">   m/a", "1-m/a-0", "1-m/a-1", "1-m/a-2", "1-m/b-0"]
    assert [rows.heading_of(at) for at in range(6)] == [0, 1, 1, 1, 1, 0]
    assert [said(rows)[5], said(rows, 1)[3]] == ["4", "3"]
    assert rows.cells(5)[3][0].text == "m/b"
    inner: list[RunGroup] = [group for at in (1,) if (group := rows.group(at)) is not None]
    folded = batch_rows(records, lambda group: group.key == inner[0].key)
    assert lines(folded) == ["> m · cpu", ">   m/a", "1-m/b-0"]
    assert folded.position_of("1-m/a-2") == 1


def test_the_runs_of_a_sweep_are_different_rows() -> None:
    names = ("default", "bfp8", "default+optimization_level=2")
    queued = [record(f"20260101-00000{n}-aaaaaa", turn=n) for n in range(9)]
    specs = (replace(one.spec, test_id="t", profile=names[n % 3], batch="x") for n, one in enumerate(queued))
    rows = rows_of([replace(one, spec=spec) for one, spec in zip(queued, specs, strict=True)], folded=False)
    at = [position for position in range(len(rows)) if rows.record(position) is not None]
    # Without the run id, which only wide terminals show.
    painted = {tuple(fit(cell[0].text, 16, elide=True) for cell in rows.cells(position)[:-1]) for position in at}
    assert len(painted) == len(at) == 9


def test_a_name_keeps_how_it_is_run_and_a_part_says_what_sets_it_apart() -> None:
    sweep = [
        replace(one, spec=replace(one.spec, run_id=f"1-{at}", profile=("", "fast")[at % 2], kind="device", arch="n150"))
        for at in range(4)
        for one in [passed("1", "alpha/pytorch-net-v1.5+aug-single_device-inference")]
    ]
    rows = rows_of(sweep)
    assert [group.name for at in (0, 1, 4) if (group := rows.group(at))] == [
        "alpha/pytorch-net-v1.5+aug-single_device-inference · device n150",
        "default",
        "fast",
    ]
    (narrow,) = {group.name_in(40) for at in (0,) if (group := rows.group(at))}
    assert narrow == "…net-v1.5+aug-single-inf · device n150"


def test_the_bar_stays_at_80_columns_and_the_titles_are_above_the_numbers() -> None:
    records = [
        *(of("1", f"m{at}/x", turn=at, kind="device", arch="n150", profile="fast", estimate=60.0) for at in range(20)),
        *(
            of("1", f"n{at}/x", RUNNING, Finished(109.0, Outcome.FAIL, 9.0), kind="device", arch="n150", profile="fast")
            for at in range(20)
        ),
    ]
    rows = rows_of(records, True)
    for width in (78, 98, 118, 198):
        line, titles = "".join(cell.text for cell in rows.heading(0, width)), rows.heading_titles(width)
        assert len(line) == len(titles) == width
        assert line[2:].startswith("40 tests · device n150") and "▓" in line and "░" in line
        assert titles.index("outcomes") == line.index("▓")
        assert titles.index("runs") + 4 == line.rindex(" 40 ") + 3, "numbers are at the right"
        assert line.rstrip().endswith("min") and ("time" in titles) == (width >= 98 + 2)


def test_a_heading_is_marked_where_all_its_runs_are() -> None:
    records = [passed("1", "m/a"), passed("1", "m/b")]
    marks = {"1-m/a"}
    rows = batch_rows(records, marks=marks)
    assert [rows.marked(at) for at in range(3)] == [False, True, False]
    marks.add("1-m/b")
    assert rows.marked(0)


def test_headings_take_no_room_from_columns() -> None:
    records = [passed("1", "m/a"), passed("1", "m/b")]
    assert Fitting(rows_of(records)).widths(100) == Fitting(rows_of(records[:1])).widths(100)
