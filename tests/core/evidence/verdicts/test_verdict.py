# SPDX-License-Identifier: Apache-2.0
"""The verdict, defined by a table; and its laws: more of the same evidence never weakens it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Observation
from core.evidence.observation import Attempt, fold_attempts
from core.evidence.series import Gap
from core.evidence.verdicts import Direction, Judgement, Policy, Verdict
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.verdict import judge
from tests.support.evidence import TEST_ID, seen

PASSING, XFAIL, SKIP, OPEN, EXCLUDED = (
    Expected(status)
    for status in (
        Status.EXPECTED_PASSING,
        Status.KNOWN_FAILURE_XFAIL,
        Status.NOT_SUPPORTED_SKIP,
        Status.UNSPECIFIED,
        Status.EXCLUDE_MODEL,
    )
)
OOM = "Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks"
OTHER_OOM = "Out of Memory: Not enough space to allocate 2147483648 B DRAM buffer across 12 banks"
NO_OP = "TT_FATAL: unsupported data type for input tensor"
RUNTIME, FE, TTMLIR, INCORRECT = (
    BringupStatus.FAILED_RUNTIME,
    BringupStatus.FAILED_FE_COMPILATION,
    BringupStatus.FAILED_TTMLIR_COMPILATION,
    BringupStatus.INCORRECT_RESULT,
)

DEFAULT = Policy()
P = seen(pcc=0.9921, pcc_required=0.99, pcc_checked=True)
EXACT = seen(pcc=1.0, shortcut=True, pcc_required=0.99)
BARE = seen()
HIGH = seen(pcc=0.9987, pcc_required=0.99)
L = seen(Ending.INACCURATE, pcc=0.9671, pcc_required=0.99, pcc_checked=True, reason="PCC comparison failed")
WRONG = seen(Ending.INACCURATE, pcc=0.4, pcc_required=0.99, reason="PCC comparison failed")
NAN = seen(Ending.INACCURATE, pcc=None, pcc_required=0.99, reason="PCC comparison failed. Calculated: pcc=nan")
OTHER = seen(Ending.INACCURATE, pcc=None, reason="UnboundLocalError")
F = seen(Ending.FAILED, stage=RUNTIME, reason=OOM)
C = seen(Ending.CRASHED, signal=11, reason="CRASHED with signal 11")
H = seen(Ending.HUNG)
T = seen(Ending.OUT_OF_TIME, reason="Failed: Timeout (>60.0s) from pytest-timeout.")
W = seen(Ending.SLOW, reason="stopped after 60 s, still working; the limit is 60 s")
G = seen(Ending.FAILED, stage=RUNTIME, reason=NO_OP)
CODE = seen(Ending.FAILED, stage=RUNTIME)
S = seen(Ending.NOT_RUN)
SAID = seen(Ending.NOT_RUN, expected=Status.NOT_SUPPORTED_SKIP, reason="hangs")
FORCED = seen(pcc=0.9921, expected=Status.NOT_SUPPORTED_SKIP, forced=True)
B = seen(Ending.BROKEN, reason="pip failed")
PASSES = replace(P, expected=Status.KNOWN_FAILURE_XFAIL)
FAILS = replace(F, expected=Status.KNOWN_FAILURE_XFAIL)
NEW = replace(F, expected=Status.UNSPECIFIED)
UNTOLD = replace(C, expected=Status.UNSPECIFIED)
LOW = seen(Ending.INACCURATE, pcc=0.95, pcc_required=0.96, pcc_checked=True, reason="PCC comparison failed")
OFF = seen(pcc=0.9987, pcc_required=0.99, pcc_checked=False)
DROPPED = seen(Ending.INACCURATE, pcc=0.9671, pcc_required=0.99, pcc_checked=False, reason="PCC comparison failed")

DECLARED = replace(XFAIL, bringup=RUNTIME, reason=f"{OTHER_OOM} - https://github.com/tenstorrent/tt-xla/issues/1")
UNCHECKED = replace(PASSING, pcc_checked=False)
LOWERED = replace(PASSING, required_pcc=0.96)
NIGHTLY = replace(PASSING, scheduled=True)


def under(expected: Expected, row: Observation) -> Observation:
    """A result as it is where the entry was the same when it ran."""
    if row.ending is Ending.NOT_RUN or row.forced:
        return row
    required = None if row.pcc_required is None else expected.required_pcc
    checked = None if row.pcc_checked is None else expected.pcc_checked
    return replace(row, expected=expected.status, pcc_required=required, pcc_checked=checked)


def alone(expected: Expected, rows: Sequence[Observation], policy: Policy = DEFAULT, *, ran: bool = True) -> Judgement:
    """The judgement on one cell with these results, oldest first; without `ran` they are of an earlier entry."""
    placed = [replace(under(expected, row) if ran else row, when=float(at)) for at, row in enumerate(rows)]
    (one,) = judge(TEST_ID, {"n150": expected}, {"n150": placed}, policy)
    return one


TABLE = [
    # Not enough.
    (PASSING, "", Verdict.UNKNOWN),
    (PASSING, "P P", Verdict.UNKNOWN),
    (SKIP, "S S S S", Verdict.UNKNOWN),
    (PASSING, "P P P B B B", Verdict.UNKNOWN),
    (replace(PASSING, scheduled=False), "", Verdict.UNUSED),
    (replace(SKIP, scheduled=False), "S S S", Verdict.UNUSED),
    (replace(PASSING, scheduled=False), "P", Verdict.UNKNOWN),
    (replace(PASSING, scheduled=False), "P P P", Verdict.ACTIVE),
    (replace(NIGHTLY, silent_runs=3), "", Verdict.UNUSED),
    (replace(NIGHTLY, silent_runs=2), "", Verdict.UNKNOWN),
    (replace(NIGHTLY, silent_runs=9), "S", Verdict.UNKNOWN),
    (EXCLUDED, "P P P", Verdict.UNUSED),
    # As expected.
    (PASSING, "P P P", Verdict.ACTIVE),
    (PASSING, "BARE BARE BARE", Verdict.ACTIVE),
    (XFAIL, "F F F", Verdict.ACTIVE),
    (SKIP, "F F F", Verdict.ACTIVE),
    (SKIP, "C C C", Verdict.ACTIVE),
    (SKIP, "H F C", Verdict.ACTIVE),
    # Nothing says what to expect: whatever it shows is news.
    (OPEN, "P", Verdict.NEW),
    (OPEN, "P P P", Verdict.NEW),
    (OPEN, "F F F", Verdict.NEW),
    (OPEN, "L L L", Verdict.NEW),
    # Without a check, a gate below the default is better than none.
    (UNCHECKED, "L L L", Verdict.PCC_LOOSE),
    (UNCHECKED, "L L", Verdict.UNKNOWN),
    (UNCHECKED, "NAN NAN NAN", Verdict.ACTIVE),
    (UNCHECKED, "WRONG P WRONG", Verdict.ACTIVE),
    # Passes contrary to the entry, from the first time on: the grade says how much that weighs.
    (XFAIL, "P", Verdict.STALE),
    (XFAIL, "F F F P", Verdict.STALE),
    (XFAIL, "P P S S B", Verdict.STALE),
    (XFAIL, "P P P", Verdict.STALE),
    (SKIP, "FORCED", Verdict.STALE),
    (SKIP, "SAID FORCED SAID SAID", Verdict.STALE),
    (PASSING, "P P P C SAID SAID P P P", Verdict.ACTIVE),
    (PASSING, "P P P SAID SAID", Verdict.UNKNOWN),
    (replace(SKIP, gap=Gap(2, "nightly-5", 40)), "P P P", Verdict.UNKNOWN),
    (XFAIL, "F F F F P P P", Verdict.STALE),
    (XFAIL, "EXACT EXACT EXACT", Verdict.STALE),
    (replace(XFAIL, pcc_checked=False), "L L L", Verdict.STALE),
    (replace(XFAIL, pcc_checked=False), "NAN NAN NAN", Verdict.ACTIVE),
    # Fails contrary to the entry.
    (PASSING, "F F F", Verdict.REGRESSED),
    (PASSING, "P P P P F F F", Verdict.REGRESSED),
    (PASSING, "F L F", Verdict.REGRESSED),
    (PASSING, "F", Verdict.REGRESSED),
    # One red night after green ones.
    (PASSING, "P P P F", Verdict.REGRESSED),
    (PASSING, "P P F G", Verdict.REGRESSED),
    (PASSING, "P P CODE CODE", Verdict.REGRESSED),
    (PASSING, "P P P L", Verdict.PCC_TIGHT),
    (PASSING, "P P P T", Verdict.SLOW),
    # Changed once, to what the entry says.
    (XFAIL, "P P F F", Verdict.ACTIVE),
    (PASSING, "F F P P", Verdict.ACTIVE),
    (PASSING, "F P", Verdict.UNKNOWN),
    # Broke in one night, with one cause.
    (PASSING, "P P F F", Verdict.REGRESSED),
    (PASSING, "P F F", Verdict.REGRESSED),
    (PASSING, "P P WRONG WRONG", Verdict.REGRESSED),
    (PASSING, "P P P WRONG WRONG WRONG", Verdict.REGRESSED),
    (PASSING, "P P C C", Verdict.CRASH),
    (PASSING, "WRONG WRONG WRONG", Verdict.REGRESSED),
    (PASSING, "NAN NAN NAN", Verdict.REGRESSED),
    (UNCHECKED, "OTHER OTHER OTHER", Verdict.REGRESSED),
    # Alternating.
    (PASSING, "P F P", Verdict.FLAKY),
    (PASSING, "P F P F F", Verdict.FLAKY),
    (PASSING, "P F P P P", Verdict.ACTIVE),
    (XFAIL, "F P F P P P", Verdict.FLAKY),
    (XFAIL, "P C P", Verdict.FLAKY),
    (PASSING, "P F P F" + " P" * 9, Verdict.ACTIVE),
    # Ended.
    (PASSING, "C C C", Verdict.CRASH),
    (XFAIL, "F F F C", Verdict.CRASH),
    (XFAIL, "C F F", Verdict.CRASH),
    (OPEN, "C C C", Verdict.CRASH),
    (XFAIL, "H H H", Verdict.HANG),
    (PASSING, "C F H", Verdict.HANG),
    # Timed out.
    (PASSING, "T T T", Verdict.SLOW),
    (XFAIL, "W W W", Verdict.SLOW),
    (OPEN, "W T W", Verdict.SLOW),
    (PASSING, "F T F", Verdict.REGRESSED),
    (PASSING, "F F T", Verdict.SLOW),
    (SKIP, "T T T", Verdict.ACTIVE),
    (PASSING, "F T F F", Verdict.REGRESSED),
    (XFAIL, "T T P P P", Verdict.STALE),
    (PASSING, "T H T", Verdict.HANG),
    # Numbers.
    (PASSING, "L L L", Verdict.PCC_TIGHT),
    (PASSING, "P L P", Verdict.PCC_TIGHT),
    (XFAIL, "P L P", Verdict.PCC_TIGHT),
    (XFAIL, "P WRONG P", Verdict.FLAKY),
    (LOWERED, "HIGH HIGH HIGH", Verdict.PCC_LOOSE),
    (LOWERED, "HIGH HIGH P", Verdict.PCC_LOOSE),
    (LOWERED, "EXACT EXACT EXACT", Verdict.ACTIVE),
    (LOWERED, "HIGH BARE HIGH", Verdict.ACTIVE),
    (replace(LOWERED, training=True), "HIGH HIGH HIGH", Verdict.ACTIVE),
    (UNCHECKED, "HIGH HIGH HIGH", Verdict.PCC_LOOSE),
    (UNCHECKED, "HIGH P HIGH", Verdict.PCC_LOOSE),
    (LOWERED, "P P P HIGH", Verdict.PCC_LOOSE),
    (LOWERED, "HIGH HIGH", Verdict.UNKNOWN),
    (replace(UNCHECKED, training=True), "HIGH HIGH HIGH", Verdict.ACTIVE),
    # Another failure.
    (DECLARED, "F F F", Verdict.ACTIVE),
    (replace(DECLARED, reason=NO_OP), "F F F", Verdict.DRIFTED),
    (replace(DECLARED, bringup=FE), "F F F", Verdict.DRIFTED),
    (replace(DECLARED, bringup=None), "F F F", Verdict.ACTIVE),
    (replace(DECLARED, reason="Error code: 13"), "F F F", Verdict.ACTIVE),
    (DECLARED, "WRONG WRONG WRONG", Verdict.DRIFTED),
    (DECLARED, "F F F F G G G", Verdict.DRIFTED),
    (DECLARED, "F F F F G", Verdict.DRIFTED),
    (DECLARED, "F F G F G", Verdict.ACTIVE),
    # Without a reason any failure agrees, but not another one than before.
    (XFAIL, "F F F G", Verdict.DRIFTED),
    (XFAIL, "G F G F", Verdict.ACTIVE),
    (XFAIL, "F F F CODE", Verdict.ACTIVE),
    # A skip explains the archs that its entry supports.
    (replace(SKIP, supported=False), "F", Verdict.NEW),
    (replace(SKIP, supported=False), "P P P", Verdict.NEW),
    # Wrong numbers are what these entries declare, in whatever words.
    (replace(XFAIL, bringup=INCORRECT), "WRONG WRONG WRONG", Verdict.ACTIVE),
    (replace(XFAIL, bringup=INCORRECT, reason="Wrong here, see the issue"), "WRONG WRONG WRONG", Verdict.ACTIVE),
    (replace(XFAIL, reason="bad PCC since the uplift"), "WRONG WRONG WRONG", Verdict.ACTIVE),
    (XFAIL, "WRONG WRONG WRONG", Verdict.ACTIVE),
    # A near miss would pass with a threshold.
    (DECLARED, "L L L", Verdict.PCC_TIGHT),
    (XFAIL, "L L L", Verdict.PCC_TIGHT),
    # Where the entry expects a failure for just this near miss, it is as expected, until as many results as count show
    # that a threshold would hold, or the number moves.
    (replace(XFAIL, bringup=INCORRECT), "L L L", Verdict.ACTIVE),
    (replace(XFAIL, bringup=INCORRECT), "L" + " L" * 9, Verdict.PCC_TIGHT),
    (
        replace(XFAIL, reason="PCC comparison failed. Calculated: pcc=0.9671. Required: pcc=0.99"),
        "L L L",
        Verdict.ACTIVE,
    ),
    (
        replace(XFAIL, reason="PCC comparison failed. Calculated: pcc=0.9591. Required: pcc=0.99"),
        "L",
        Verdict.PCC_TIGHT,
    ),
    (replace(XFAIL, bringup=INCORRECT), "WRONG WRONG WRONG L", Verdict.PCC_TIGHT),
    # Gone from the reports of its job.
    (replace(PASSING, gap=Gap(2, "nightly-5", 40)), "P P P", Verdict.MISSING),
    (replace(XFAIL, gap=Gap(2, "nightly-5", 40)), "F", Verdict.MISSING),
    (replace(SKIP, gap=Gap(2, "nightly-5", 40)), "S S S", Verdict.UNKNOWN),
]
EARLIER = [
    # What a test did before it was skipped is no reason to end the skip, whether or not a night has reported the skip.
    (SKIP, "P P P", Verdict.UNKNOWN),
    (SKIP, "P P P S", Verdict.UNKNOWN),
    (SKIP, "P P P SAID", Verdict.UNKNOWN),
    (SKIP, "P F P F", Verdict.UNKNOWN),
    (SKIP, "F P SAID FORCED SAID", Verdict.STALE),
    (SKIP, "SAID FORCED F SAID", Verdict.UNKNOWN),
    (SKIP, "SAID FORCED P SAID", Verdict.UNKNOWN),
    (SKIP, "C C C", Verdict.ACTIVE),
    # The same of an expected failure, and of one that is expected to pass from now on.
    (XFAIL, "P P P", Verdict.UNKNOWN),
    (XFAIL, "P P P FAILS FAILS", Verdict.ACTIVE),
    (XFAIL, "P P P FAILS PASSES", Verdict.STALE),
    (XFAIL, "F F F", Verdict.ACTIVE),
    (XFAIL, "P P C", Verdict.UNKNOWN),
    (PASSING, "FAILS FAILS FAILS", Verdict.UNKNOWN),
    (PASSING, "F F F SAID", Verdict.UNKNOWN),
    (PASSING, "FAILS FAILS FAILS F", Verdict.REGRESSED),
    (PASSING, "FAILS PASSES PASSES PASSES", Verdict.ACTIVE),
    # What is adopted and then fails has no other entry before.
    (PASSING, "NEW NEW", Verdict.REGRESSED),
    (OPEN, "P P", Verdict.NEW),
    # Another threshold, or a check that is on or off since.
    (LOWERED, "L L L", Verdict.ACTIVE),
    (LOWERED, "HIGH HIGH HIGH", Verdict.UNKNOWN),
    (LOWERED, "P LOW LOW", Verdict.PCC_TIGHT),
    (UNCHECKED, "P P P", Verdict.UNKNOWN),
    (UNCHECKED, "P P P OFF OFF", Verdict.UNKNOWN),
    (UNCHECKED, "P P P OFF OFF OFF", Verdict.PCC_LOOSE),
    (PASSING, "OFF OFF OFF", Verdict.ACTIVE),
    (PASSING, "DROPPED DROPPED", Verdict.UNKNOWN),
    (replace(XFAIL, required_pcc=0.96), "L L L", Verdict.UNKNOWN),
    # The entry was back for a while: what was before that counts no more.
    (XFAIL, "PASSES PASSES P", Verdict.UNKNOWN),
    # What ended before the entry could be read says nothing of it.
    (PASSING, "UNTOLD", Verdict.CRASH),
    (XFAIL, "P P UNTOLD", Verdict.CRASH),
]


def rows_of(word: str) -> list[Observation]:
    """The observations that a row of the table names."""
    return [globals()[name] for name in word.split()]


@pytest.mark.parametrize(("expected", "rows", "verdict"), TABLE)
def test_the_table(expected: Expected, rows: str, verdict: Verdict) -> None:
    one = alone(expected, rows_of(rows))
    assert one.verdict is verdict, one.why
    assert one.why.isprintable() and one.why


@pytest.mark.parametrize(("expected", "rows", "verdict"), EARLIER)
def test_what_ran_under_another_entry_says_nothing_against_this_one(
    expected: Expected, rows: str, verdict: Verdict
) -> None:
    one = alone(expected, rows_of(rows), ran=False)
    assert one.verdict is verdict, one.why


def test_every_word_is_in_the_table() -> None:
    assert {verdict for _, _, verdict in TABLE} == set(Verdict) - {Verdict.SEMI_STALE}


def test_what_proves_a_verdict_comes_with_it() -> None:
    one = alone(XFAIL, rows_of("F F P P P B"))
    assert [row.when for row in one.rows] == [2.0, 3.0, 4.0]
    assert (one.pcc, one.required_pcc) == (0.9921, None)
    assert one.why == "passed 3 times in a row"


@pytest.mark.parametrize(
    ("expected", "rows", "required"),
    [
        (PASSING, "L P L", 0.96),
        (replace(PASSING, required_pcc=0.98), "L L L", 0.96),
        (LOWERED, "HIGH HIGH HIGH", 0.99),
        (LOWERED, "HIGH EXACT P", 0.98),
        (UNCHECKED, "HIGH HIGH HIGH", 0.99),
        (replace(UNCHECKED, required_pcc=0.95), "P P P", 0.98),
        (PASSING, "P P P", None),
    ],
)
def test_the_threshold_that_the_lowest_number_allows(expected: Expected, rows: str, required: float | None) -> None:
    assert alone(expected, rows_of(rows)).required_pcc == required


@pytest.mark.parametrize(
    ("declared", "stage", "direction"),
    [
        (FE, TTMLIR, Direction.FORWARD),
        (RUNTIME, FE, Direction.BACK),
        (RUNTIME, BringupStatus.INCORRECT_RESULT, Direction.FORWARD),
    ],
)
def test_a_drift_says_where_to(declared: BringupStatus, stage: BringupStatus, direction: Direction) -> None:
    ending = Ending.INACCURATE if stage is BringupStatus.INCORRECT_RESULT else Ending.FAILED
    rows = [seen(ending, stage=stage, reason=NO_OP)] * 3
    assert alone(replace(XFAIL, bringup=declared), rows).direction is direction


def test_slow_says_whether_it_was_seen_at_work() -> None:
    assert alone(PASSING, [T, T, T]).why == "the last 3 out of time; it is not known whether they were still working"
    assert alone(PASSING, [T, W, W]).why == "the last 3 out of time; 2 of 3 were still working"


def test_failures_that_vary_in_their_message_have_one_cause_all_the_same() -> None:
    """Upstream's captured output is incomplete in most runs (docs/rules.md 11)."""
    bare = seen(Ending.FAILED, stage=TTMLIR, reason="ValueError: the wrapper gave up")
    told = replace(bare, reason="error: bad gather", raised=bare.reason)
    other = replace(told, reason="error: no such layout")
    assert alone(PASSING, [P, P, bare, told]).verdict is Verdict.REGRESSED
    assert alone(PASSING, [P, P, other, told]).verdict is Verdict.REGRESSED
    declared = replace(XFAIL, bringup=TTMLIR, reason="error: bad gather")
    assert alone(declared, [told, bare, told]).verdict is Verdict.ACTIVE
    assert alone(declared, [other] * 3).verdict is Verdict.DRIFTED


def test_a_host_that_is_left_out_says_nothing() -> None:
    rows = [P, replace(F, host="f10cs10"), P, P]
    assert alone(PASSING, rows[:3]).verdict is Verdict.FLAKY
    assert alone(PASSING, rows, Policy(ignored_hosts=("f10cs10",))).verdict is Verdict.ACTIVE


def on_archs(expected: Mapping[str, Expected], rows: Mapping[str, str], policy: Policy = DEFAULT) -> dict[str, Verdict]:
    seen_there = {arch: [under(expected[arch], row) for row in rows_of(text)] for arch, text in rows.items()}
    return {one.arch: one.verdict for one in judge(TEST_ID, expected, seen_there, policy)}


def test_stale_takes_every_arch_on_which_it_should_not_pass() -> None:
    both = {"n150": XFAIL, "p150": XFAIL}
    stale, semi = Verdict.STALE, Verdict.SEMI_STALE
    assert on_archs(both, {"n150": "P P P", "p150": "P P P"}) == {"n150": stale, "p150": stale}
    assert on_archs(both, {"n150": "P P P", "p150": "F F F"}) == {"n150": semi, "p150": Verdict.ACTIVE}
    assert on_archs(both, {"n150": "P P P", "p150": "P P"}) == {"n150": stale, "p150": stale}
    assert on_archs(both, {"n150": "P P P"}) == {"n150": semi, "p150": Verdict.UNKNOWN}
    one = {"n150": XFAIL, "p150": PASSING}
    assert on_archs(one, {"n150": "P P P"}) == {"n150": stale, "p150": Verdict.UNKNOWN}
    unsupported = {"n150": XFAIL, "n300": replace(XFAIL, supported=False)}
    assert on_archs(unsupported, {"n150": "P P P"}) == {"n150": stale, "n300": Verdict.UNKNOWN}


def test_the_policy_may_name_the_archs_that_must_agree() -> None:
    both = {"n150": XFAIL, "p150": XFAIL}
    rows = {"n150": "P P P"}
    assert on_archs(both, rows, Policy(archs=("n150",)))["n150"] is Verdict.STALE
    assert on_archs(both, rows, Policy(archs=("n150", "p150")))["n150"] is Verdict.SEMI_STALE


def test_why_a_semi_stale_one_is_no_more_and_why_it_stays() -> None:
    found = judge(TEST_ID, {"n150": XFAIL, "p150": XFAIL}, {"n150": [PASSES] * 3}, Policy(), "waits for a driver")
    assert found[0].why == "passed 3 times in a row; not shown on p150"
    assert {one.pinned for one in found} == {"waits for a driver"}


observed = st.builds(
    lambda row, when, arch: replace(row, when=when, arch=arch),
    st.sampled_from([P, EXACT, BARE, HIGH, L, WRONG, NAN, OTHER, F, G, C, H, T, W, S, B]),
    st.integers(0, 50).map(float),
    st.sampled_from(["n150", "p150"]),
)
claims = st.builds(
    Expected,
    status=st.sampled_from(Status),
    reason=st.sampled_from(["", OOM, NO_OP]),
    bringup=st.sampled_from([None, FE, RUNTIME, BringupStatus.INCORRECT_RESULT]),
    required_pcc=st.sampled_from([0.9, 0.96, 0.99]),
    pcc_checked=st.booleans(),
    supported=st.booleans(),
    scheduled=st.sampled_from([None, True, False]),
    silent_runs=st.integers(0, 5),
    training=st.booleans(),
)
WEAK = {Verdict.UNKNOWN, Verdict.UNUSED, Verdict.FLAKY}


def judged(expected: Mapping[str, Expected], rows: Sequence[Observation]) -> dict[str, Judgement]:
    by_arch: dict[str, list[Observation]] = {}
    for row in fold_attempts(Attempt(row) for row in rows):
        by_arch.setdefault(row.arch, []).append(row)
    return {one.arch: one for one in judge(TEST_ID, expected, by_arch, Policy())}


@given(st.fixed_dictionaries({"n150": claims, "p150": claims}), st.lists(observed, max_size=14))
def test_more_of_what_proves_a_verdict_leaves_it(expected: dict[str, Expected], rows: list[Observation]) -> None:
    before = judged(expected, rows)
    # With a third result of a level a threshold may be raised: these two are left out.
    decided = [one for one in before.values() if one.verdict not in WEAK | {Verdict.ACTIVE, Verdict.PCC_LOOSE}]
    again = [replace(one.rows[-1], when=51.0) for one in decided]
    after = judged(expected, [*rows, *again])
    for one in decided:
        assert after[one.arch].verdict is one.verdict
        assert after[one.arch].required_pcc == one.required_pcc


@given(st.fixed_dictionaries({"n150": claims, "p150": claims}), st.lists(observed, max_size=14), st.randoms())
def test_the_order_of_results_does_not_matter(expected: dict[str, Expected], rows: list[Observation], random) -> None:  # type: ignore[no-untyped-def]
    rows = [replace(row, source=str(at)) for at, row in enumerate(rows)]
    before = judged(expected, rows)
    random.shuffle(rows)
    assert judged(expected, rows) == before


@given(st.fixed_dictionaries({"n150": claims, "p150": claims}), st.lists(observed, max_size=14))
def test_a_promotion_has_only_passes_behind_it(expected: dict[str, Expected], rows: list[Observation]) -> None:
    for one in judged(expected, rows).values():
        if one.verdict in (Verdict.STALE, Verdict.SEMI_STALE):
            assert min(one.grade, 3) <= len(one.rows) > 0
            assert not {row.ending for row in one.rows} - {Ending.PASSED, Ending.INACCURATE}


def test_the_words_are_pinned() -> None:
    # The words of the queries and of JSON: their spelling is a contract.
    assert " ".join(Verdict) == (
        "stale semi-stale active drifted regressed flaky crash hang slow pcc-loose pcc-tight unused unknown new missing"
    )
    assert " ".join(Direction) == "forward back same"
