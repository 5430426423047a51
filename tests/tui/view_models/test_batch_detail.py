# SPDX-License-Identifier: Apache-2.0
"""All about a batch: how far it is, what runs and waits, why runs failed, and the command that repeats it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from rich.cells import cell_len

from core.runs import Outcome
from core.runs.planning import Ahead, Course
from core.runs.store import Finished, RunRecord
from tests.tui.view_models.test_batches import NOW, of, passed
from tests.tui.view_models.test_runs import RUNNING
from tui.view_models import RunGroup, again_command, batch_text

ID = "alpha/pytorch-net-v1.5+aug-single_device-inference"


def lines(records: Sequence[RunRecord], last_lines: Mapping[str, str] | None = None, width: int = 78) -> list[str]:
    group = RunGroup("1", records)
    text = batch_text(group, Course(records, Ahead(records)), NOW, last_lines or {}, width)
    return text.plain.splitlines()


def failed(test: str, why: str) -> RunRecord:
    return of("1", test, RUNNING, Finished(109.0, Outcome.FAIL, 9.0, result={"message": why}))


def test_what_changes_takes_a_line_each() -> None:
    going = [of("1", ID, RUNNING), *(of("1", f"m/{at}", turn=at) for at in range(9))]
    short, long = (lines(going, {f"1-{ID}": said}) for said in ("ok", "word " * 90))
    assert len(short) == len(long)
    assert max(map(cell_len, long)) <= 78
    assert short[2].split() == ["running", "alpha/pt-net-v1.5+aug-single-inf", "ok"]
    assert " ".join(short[3].split()) == "next m/0 waiting for a cpu slot"
    assert short[6] == " " * 12 + "and 6 more"


@pytest.mark.parametrize("width", [78, 118])
def test_what_is_said_of_runs_is_in_one_column(width: int) -> None:
    going = [of("1", ID, RUNNING), of("1", f"{ID}-again", RUNNING), of("1", "m/\N{CJK UNIFIED IDEOGRAPH-5BBD}", turn=1)]
    found = lines(going, {f"1-{test}": "forward" for test in (ID, f"{ID}-again")}, width)[2:5]
    words = ("forward", "forward", "waiting")
    columns = {cell_len(line[: line.index(word)]) for line, word in zip(found, words, strict=True)}
    assert len(columns) == 1
    # An id is cut only where it has half of the room.
    assert (ID in found[0]) == (width == 118)


def test_failures_are_grouped_by_their_reason() -> None:
    found = lines(
        [failed("m/a", "no handler"), *(failed(f"m/{at}", "out of memory") for at in range(5)), passed("1", "m/b")]
    )
    assert found[1] == "6 FAIL, 1 pass"
    assert found[3] == "5 FAIL      out of memory"
    assert [line.strip() for line in found[4:8]] == ["m/0", "m/1", "m/2", "and 2 more"]
    assert found[9:11] == ["1 FAIL      no handler", " " * 12 + "m/a"]


def test_a_long_reason_goes_on_below_itself() -> None:
    found = lines([failed("m/a", "word " * 40), passed("1", "m/b")], width=60)
    at = next(nth for nth, line in enumerate(found) if line.startswith("1 FAIL  "))
    assert found[at + 1].startswith(" " * 12 + "word")


def test_machines_and_the_command_that_repeats_it() -> None:
    elsewhere = of("1", "m/a", replace(RUNNING, place="aus-01"), Finished(109.0, Outcome.PASS, 9.0))
    assert "machines    1 aus-01, 1 here" in lines([elsewhere, passed("1", "m/b")])
    assert not [line for line in lines([passed("1", "m/a"), passed("1", "m/b")]) if line.startswith("machines")]
    whole = RunGroup("1", [passed("1", "m/a"), passed("1", "m/b")])
    assert again_command(whole) == "ttmatrix rerun --batch 1"
    part = RunGroup("1/1-m/a", [passed("1", "m/a"), passed("1", "m/b")], whole)
    assert again_command(part) == "ttmatrix rerun 1-m/a 1-m/b"
