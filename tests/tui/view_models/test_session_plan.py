# SPDX-License-Identifier: Apache-2.0
"""A planned session as rows and as a text."""

import pytest

from core.sessions import Accuracy, Candidate, Slot
from core.sessions.placing import fill
from tui.view_models import plan_rows, plan_text, plan_words
from tui.view_models.session_plan import clock

N150 = frozenset({"n150"})
QUICK = Candidate("quick", "n150", 300.0, True, 8, ("its code has changed",), 2)
GUESS = Candidate("guess", "n150", 600.0, False, 2, ("no result",))
LONG = Candidate("long", "n150", 7200.0, True, 1, ("newest result 9 days old",))
OTHER = Candidate("other", "p150", 60.0, True, 1, ("no result",))
PLAN = fill([GUESS, LONG, OTHER, QUICK], [Slot("wh", N150, 3600.0), Slot("wh", N150, 3600.0)])


def test_what_fits_comes_first_then_what_is_left_over_with_the_reason() -> None:
    rows = plan_rows(PLAN)
    texts = [["".join(cell.text for cell in cells) for cells in rows.cells(at)] for at in range(len(rows))]
    assert texts == [
        ["wh", "0:00", "0:10", "2", "n150", "quick", "its code has changed"],
        ["wh", "0:00", "~0:10", "1", "n150", "guess", "no result"],
        ["left over", "", "0:01", "1", "p150", "other", "no machine has p150"],
        ["left over", "", "2:00", "1", "n150", "long", "takes 120 min, and 50 min are left"],
    ]
    assert plan_words(PLAN) == "2 cells in 20 machine min, 2 left over, 100 free"


def test_the_text_has_the_cell_the_machines_and_how_good_estimates_were() -> None:
    quick, guess, *_ = plan_rows(PLAN).items
    text = plan_text(PLAN, Accuracy(4, 1.1, 0.75), quick).plain
    for words in (
        "quick  n150",
        "why         its code has changed",
        "2 runs of 5m00",
        "wh          2 slots of 1:00 h, 0:20 h used",
        "4 earlier runs took 1.10 times the estimate (median), 75% within a quarter of it",
    ):
        assert words in text
    assert "a guess: no earlier run is known" in plan_text(PLAN, Accuracy(0, None, None), guess).plain
    assert "no earlier run had an estimate" in plan_text(PLAN, Accuracy(0, None, None), None).plain


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (1, "0:01"), (60, "0:01"), (3601, "1:01"), (86_400, "24:00")]
)
def test_a_begun_minute_is_one(seconds: float, text: str) -> None:
    assert clock(seconds) == text
