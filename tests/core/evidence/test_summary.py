# SPDX-License-Identifier: Apache-2.0
"""core.evidence.summary: the evidence of a cell in one line."""

import math

from core.evidence import MARKS, Ending, Origin, longest_strip, passes_text, summary_of, summary_text
from core.evidence.summary import passes_of
from tests.support.evidence import observed


def test_the_line_of_the_specification() -> None:
    endings = [*[Ending.PASSED] * 3, Ending.FAILED, *[Ending.PASSED] * 3]
    rows = [observed(one, when=at, pcc=0.991 + at / 2000) for at, one in enumerate(endings)]
    assert summary_of("p150", rows).text == "p150 PPPxPPP 6/7 pcc .991-.994"


def test_own_runs_are_apart_whenever_they_were() -> None:
    rows = [
        observed(when=3.0),
        observed(Ending.FAILED, when=1.0, origin=Origin.HERE),
        observed(Ending.CRASHED, when=2.0),
    ]
    assert summary_of("n150", rows).text == "n150 CP+x 1/3"


def test_what_says_nothing_of_the_model_is_not_counted() -> None:
    rows = [observed(one) for one in MARKS]
    assert summary_of("n150", rows).text == "n150 Pi~xCHST-? 1/8"
    assert summary_of("n150", []).text == "n150 0/0"


def test_a_number_is_never_rounded_up_and_a_shortcut_is_none() -> None:
    assert summary_of("n150", [observed(pcc=0.98999)]).pcc == ".989"
    assert summary_of("n150", [observed(pcc=1.0, shortcut=True)]).pcc == ""
    assert summary_of("n150", [observed(pcc=math.nan)]).pcc == "nan"
    assert summary_of("n150", [observed(pcc=-0.012), observed(pcc=1.0)]).pcc == "-.012-1.000"


def test_only_the_newest_are_shown() -> None:
    rows = [observed(when=at) for at in range(40)]
    assert summary_of("n150", rows).text == f"n150 {'P' * 12} 12/12"


def test_of_several_archs_the_numbers_come_behind_all_strips() -> None:
    failed, passed = observed(Ending.FAILED), observed(pcc=0.9921)
    assert summary_text({"n150": [failed], "p150": [passed]}) == "n150 x 0/1  p150 P 1/1  pcc p150 .992"
    assert summary_text({"n150": [passed], "p150": [passed]}) == "n150 P 1/1  p150 P 1/1  pcc n150 .992 p150 .992"
    assert summary_text({"n150": [failed], "p150": [failed]}) == "n150 x 0/1  p150 x 0/1"
    assert summary_text({"p150": [passed]}) == "p150 P 1/1 pcc .992"
    assert summary_text({}) == ""


def test_strips_of_several_rows_end_at_the_same_night() -> None:
    rows = [observed(when=float(at)) for at in range(3)]
    here = observed(when=9.0, origin=Origin.HERE)
    assert longest_strip([{"n150": rows}, {"n150": rows[:1], "p150": [*rows[:2], here, here]}]) == 3
    assert longest_strip([{"n150": rows * 9}]) == 12
    assert longest_strip([]) == 0
    assert summary_text({"n150": rows}, 3) == "n150 PPP 3/3"
    assert summary_text({"n150": rows[:1], "p150": [*rows[:1], here]}, 3) == "n150   P 1/1  p150   P+P 2/2"


def test_a_group_has_the_passes_of_all_its_tests_by_arch() -> None:
    passed, failed, broken = observed(), observed(Ending.FAILED), observed(Ending.BROKEN)
    tests = {"n150": passes_of([passed, failed]), "p150": passes_of([failed])}, {"n150": passes_of([passed, broken])}
    assert passes_text(tests) == "n150 2/3  p150 0/1"
    assert passes_text([{}]) == ""
