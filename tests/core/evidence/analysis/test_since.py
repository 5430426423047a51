# SPDX-License-Identifier: Apache-2.0
"""core.evidence.analysis.since: first bad, last good, flips and flakiness of a cell."""

import pytest

from core.evidence import Ending, Observation, Series
from core.evidence.analysis import broken_together, courses_of, since_lines
from tests.support.evidence import seen

_ENDINGS = {"P": Ending.PASSED, "x": Ending.FAILED, "i": Ending.INACCURATE, "-": Ending.NOT_RUN, "?": Ending.BROKEN}


def _rows(marks: str) -> list[Observation]:
    return [seen(_ENDINGS[mark], when=float(at), run=str(at)) for at, mark in enumerate(marks)]


@pytest.mark.parametrize(
    ("marks", "failing", "since", "before", "good", "flips"),
    [
        ("PPP", False, "0", None, "2", 0),
        ("xx", True, "0", None, None, 0),
        ("PPxx", True, "2", "1", "1", 1),
        ("PPx-x?", True, "2", "1", "1", 1),
        ("P-?x", True, "3", "0", "0", 1),
        ("PixPP", False, "3", "2", "4", 2),
        ("PxPx", True, "3", "2", "2", 3),
    ],
)
def test_where_it_changed(
    marks: str, failing: bool, since: str, before: str | None, good: str | None, flips: int
) -> None:
    (one,) = courses_of({"n150": Series(_rows(marks))})
    assert (one.failing, one.since.run, one.flips) == (failing, since, flips)
    assert (one.before.run if one.before else None, one.last_good.run if one.last_good else None) == (before, good)
    assert one.first_bad == (one.since if failing else None)
    assert one.results == sum(mark in "Pxi" for mark in marks)


def test_what_never_ran_has_no_course() -> None:
    assert courses_of({"n150": Series(_rows("--?")), "p150": Series([])}) == ()


@pytest.mark.parametrize(
    ("marks", "wanted"),
    [("", 0), ("P", 0), ("Px", 0), ("PPPxxx", 0), ("xxxPPP", 0), ("PxPxPx", 1), ("PPPxPPPPPP", 1 / 8), ("Px" * 50, 1)],
)
def test_flakiness_is_what_changed_more_than_once(marks: str, wanted: float) -> None:
    assert Series(_rows(marks)).flakiness == pytest.approx(wanted)


def test_only_the_newest_results_count_for_flakiness() -> None:
    assert Series(_rows("Px" * 20 + "P" * 30)).flakiness == 0


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ("PPxx", "changed once, not flaky"),
        ("PxPx", "changed 3 times, flakiness 1.00 (0 is steady, 1 changes every time)"),
        ("PxP" + "P" * 30, "changed 2 times, at most once in its newest 30 results: not flaky"),
    ],
)
def test_the_words_agree_with_the_number(marks: str, words: str) -> None:
    (course,) = courses_of({"n150": Series(_rows(marks))})
    assert next(since_lines(course, 0, ())).text.partition("; ")[2] == words


def test_others_that_broke_in_the_same_run_are_counted() -> None:
    bad = seen(Ending.FAILED, test_id="a", arch="n150")
    turned = [("a", "n150", False), ("a", "p150", False), ("b", "n150", False), ("c", "n150", True)]
    assert broken_together(bad, turned) == 2
