# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.proposal: operations for each test, proven by the effective values of every arch."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.domain.model import Status
from core.edits import Operation, OpKind
from core.edits.apply import after
from core.evidence import Ending, Origin
from core.evidence.proposals import propose
from core.evidence.proposals.rules import wanted
from core.evidence.verdicts import Judgement, Policy, Verdict
from core.matrix import UNWRITTEN, Matrix, acting, index, raw_value, status_on, supports, with_fields
from tests.support.evidence import judged, observed
from tests.support.tree import INFERENCE, LOADERS, TRAINING, YAML, loader_source, sample, write_checkout

TINY, NET = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug"))
TRAIN = "alpha/pytorch-tiny-single_device-training"
DELTA = "delta/pytorch-single_device-inference"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("tree")))


def _judged(verdict: Verdict, id: str, arch: str, ending: Ending = Ending.PASSED, reason: str = "") -> Judgement:
    rows = [observed(ending, reason, test_id=id, arch=arch, run=f"nightly-{number}") for number in (1, 2, 3)]
    return judged(verdict, rows)


def test_both_archs_pass_and_the_entry_itself_is_promoted(matrix: Matrix) -> None:
    (made,), held = propose(matrix, [_judged(Verdict.STALE, TRAIN, arch) for arch in ("p150", "n150")])
    assert not held
    assert made.ops == (
        Operation(OpKind.SET, TRAIN, TRAINING, ("status",), "EXPECTED_PASSING"),
        Operation(OpKind.UNSET, TRAIN, TRAINING, ("bringup_status",)),
        Operation(OpKind.UNSET, TRAIN, TRAINING, ("reason",)),
    )
    assert (made.archs, made.verdicts) == (("n150", "p150"), (Verdict.STALE,))
    assert made.why == "n150, p150: stale it is"
    assert made.evidence[0] == f"{TRAIN} on n150 PPP 3/3: nightly-1, nightly-2, nightly-3"


def test_a_run_here_is_cited_by_its_id(matrix: Matrix) -> None:
    rows = [observed(test_id=TRAIN, run="batch", job="run-7", origin=Origin.HERE)]
    (made,), _ = propose(matrix, [judged(Verdict.STALE, rows)])
    assert made.evidence == (f"{TRAIN} on n150 +P 1/1: run-7",)


def test_one_arch_alone_is_promoted_in_an_override(matrix: Matrix) -> None:
    (made,), _ = propose(matrix, [_judged(Verdict.SEMI_STALE, TRAIN, "p150")])
    fields = matrix.entries[TRAIN].fields
    for op in made.ops:
        fields = after(fields, op) or {}
    entry = with_fields(None, fields)
    assert status_on(entry, "p150") is Status.EXPECTED_PASSING
    assert status_on(entry, "n150") is Status.KNOWN_FAILURE_XFAIL
    assert raw_value(entry, "reason", "n150") == "Bad StatusOr access"


def test_an_override_that_is_no_more_needed_goes(matrix: Matrix) -> None:
    (made,), _ = propose(matrix, [_judged(Verdict.STALE, NET, "n150")])
    assert {op.path for op in made.ops} == {
        ("arch_overrides", "n150", "status"),
        ("arch_overrides", "n150", "reason"),
    }
    assert all(op.op is OpKind.UNSET for op in made.ops)


def test_archs_that_differ_are_distinguished(matrix: Matrix) -> None:
    crash = _judged(Verdict.CRASH, TRAIN, "n150", Ending.CRASHED, "Fatal Python error: Aborted")
    (made,), _ = propose(matrix, [crash, _judged(Verdict.STALE, TRAIN, "p150")])
    fields = matrix.entries[TRAIN].fields
    for op in made.ops:
        fields = after(fields, op) or {}
    entry = with_fields(None, fields)
    assert status_on(entry, "n150") is Status.NOT_SUPPORTED_SKIP
    assert raw_value(entry, "reason", "n150") == "Fatal Python error: Aborted"
    assert status_on(entry, "p150") is Status.EXPECTED_PASSING


def test_a_test_without_an_entry_gets_one(matrix: Matrix) -> None:
    (made,), _ = propose(matrix, [_judged(Verdict.STALE, DELTA, arch) for arch in ("n150", "p150")])
    assert made.ops == (Operation(OpKind.ADD, DELTA, INFERENCE, value={"status": "EXPECTED_PASSING"}),)
    assert made.base.fields is None


def test_nothing_is_proposed_where_there_is_no_file_for_an_entry(matrix: Matrix) -> None:
    judgements = [
        _judged(Verdict.STALE, DELTA.replace("inference", mode), "p150") for mode in ("inference", "training")
    ]
    (matrix.checkout.test_config / INFERENCE).rename(matrix.checkout.test_config / "elsewhere")
    try:
        proposals, not_proposed = propose(matrix, judgements)
    finally:
        (matrix.checkout.test_config / "elsewhere").rename(matrix.checkout.test_config / INFERENCE)
    assert [one.id for one in proposals] == [DELTA.replace("inference", "training")]
    assert [(one.id, one.arch) for one in not_proposed] == [(DELTA, "p150")]
    assert not_proposed[0].why == f"it has no entry, and there is no file {INFERENCE} for one"


def test_nothing_is_proposed_for_what_is_true_or_not_marked(matrix: Matrix) -> None:
    judgements = [
        _judged(Verdict.ACTIVE, TINY, "n150"),
        _judged(Verdict.STALE, TINY, "n150"),
    ]
    assert propose(matrix, judgements[:1]) == ((), ())
    assert propose(matrix, judgements[1:]) == ((), ())


def _new(id: str, *archs: str, ending: Ending = Ending.PASSED, reason: str = "") -> list[Judgement]:
    return [_judged(Verdict.NEW, id, arch, ending, reason) for arch in archs]


def _added(matrix: Matrix, judgements: list[Judgement]) -> object:
    (made,), _ = propose(matrix, judgements)
    (op,) = made.ops
    assert (op.op, op.file) == (OpKind.ADD, INFERENCE)
    return op.value


def test_a_test_without_an_entry_is_adopted_as_its_results_are(matrix: Matrix) -> None:
    assert _added(matrix, _new(DELTA, "n150", "p150")) == {"status": "EXPECTED_PASSING"}
    failing = _new(DELTA, "n150", "p150", ending=Ending.FAILED, reason="ValueError: no such layout")
    assert _added(matrix, failing) == {"status": "KNOWN_FAILURE_XFAIL", "reason": "ValueError: no such layout"}
    crashing = _new(DELTA, "n150", "p150", ending=Ending.CRASHED, reason="Fatal Python error: Aborted")
    assert _added(matrix, crashing) == {"status": "NOT_SUPPORTED_SKIP", "reason": "Fatal Python error: Aborted"}


def test_an_adopted_near_miss_gets_a_threshold_and_wrong_numbers_none(matrix: Matrix) -> None:
    near = [
        judged(Verdict.NEW, [observed(Ending.INACCURATE, "PCC comparison failed", test_id=DELTA, arch=arch, pcc=0.975)])
        for arch in ("n150", "p150")
    ]
    assert _added(matrix, near) == {"status": "EXPECTED_PASSING", "required_pcc": 0.97}
    wrong = [replace(one, rows=tuple(replace(row, pcc=0.5) for row in one.rows)) for one in near]
    assert _added(matrix, wrong) == {
        "status": "KNOWN_FAILURE_XFAIL",
        "bringup_status": "INCORRECT_RESULT",
        "reason": "PCC comparison failed",
    }


def test_an_adopted_test_supports_the_archs_it_was_seen_on(matrix: Matrix) -> None:
    assert _added(matrix, _new(DELTA, "n300-llmbox")) == {
        "supported_archs": ["n300-llmbox"],
        "status": "EXPECTED_PASSING",
    }
    differ = [*_new(DELTA, "p150"), *_new(DELTA, "n300-llmbox", ending=Ending.FAILED, reason="ValueError: no")]
    value = _added(matrix, differ)
    assert isinstance(value, dict)
    entry = with_fields(None, value)
    assert value["supported_archs"] == ["p150", "n300-llmbox"]
    assert status_on(entry, "p150") is Status.EXPECTED_PASSING
    assert status_on(entry, "n300-llmbox") is Status.KNOWN_FAILURE_XFAIL
    # Nothing is claimed for an arch without results.
    one = with_fields(None, _added(matrix, _new(DELTA, "n150")))  # type: ignore[arg-type]
    assert (status_on(one, "n150"), status_on(one, "p150")) == (Status.EXPECTED_PASSING, Status.UNSPECIFIED)


def test_an_arch_on_which_a_test_passes_joins_those_that_its_entry_supports(matrix: Matrix) -> None:
    (made,), held = propose(matrix, [_judged(Verdict.ACTIVE, TINY, "galaxy-bh")])
    (op,) = made.ops
    assert (op.op, op.path, op.value) == (OpKind.SET, ("supported_archs",), ["n150", "p150", "galaxy-bh"])
    assert not held and "supported_archs gains galaxy-bh" in made.why
    (failing,), _ = propose(matrix, [_judged(Verdict.REGRESSED, TINY, "galaxy-bh", Ending.FAILED, "ValueError: no")])
    fields = matrix.entries[TINY].fields
    for op in failing.ops:
        fields = after(fields, op) or {}
    entry = with_fields(None, fields)
    assert status_on(entry, "galaxy-bh") is Status.KNOWN_FAILURE_XFAIL
    assert status_on(entry, "n150") is Status.EXPECTED_PASSING
    crashing = [_judged(Verdict.CRASH, TINY, "galaxy-bh", Ending.CRASHED, "Fatal Python error: Aborted")]
    assert propose(matrix, crashing) == ((), ()), "that may be why it is not supported"


def test_an_arch_joins_an_entry_without_a_check_whatever_its_number(tmp_path: Path) -> None:
    text = YAML[INFERENCE].replace("status: EXPECTED_PASSING", "status: EXPECTED_PASSING\n    assert_pcc: false", 1)
    unchecked = index(write_checkout(tmp_path / "unchecked", LOADERS, YAML | {INFERENCE: text}))
    low = _judged(Verdict.ACTIVE, TINY, "galaxy-bh", Ending.INACCURATE, "PCC comparison failed")
    (made,), _ = propose(unchecked, [low])
    assert [op.value for op in made.ops] == [["n150", "p150", "galaxy-bh"]]


def test_an_arch_joins_an_entry_that_skips_others_with_what_it_shows(matrix: Matrix, tmp_path: Path) -> None:
    text = (
        YAML[INFERENCE]
        + f"  {DELTA}:\n    supported_archs: [n300]\n    status: NOT_SUPPORTED_SKIP\n    reason: hangs\n"
    )
    skipped = index(write_checkout(tmp_path / "skipped", LOADERS, YAML | {INFERENCE: text}))
    (made,), _ = propose(skipped, _new(DELTA, "n300-llmbox", ending=Ending.FAILED, reason="ValueError: no"))
    fields = skipped.entries[DELTA].fields
    for op in made.ops:
        fields = after(fields, op) or {}
    entry = with_fields(None, fields)
    assert (status_on(entry, "n300"), raw_value(entry, "reason", "n300")) == (Status.NOT_SUPPORTED_SKIP, "hangs")
    assert status_on(entry, "n300-llmbox") is Status.KNOWN_FAILURE_XFAIL
    assert raw_value(entry, "reason", "n300-llmbox") == "ValueError: no"
    # An arch is not added in order to be skipped.
    assert propose(skipped, [_judged(Verdict.ACTIVE, DELTA, "n300-llmbox", Ending.FAILED, "ValueError: no")]) == (
        (),
        (),
    )


def test_a_change_that_a_person_has_to_complete_has_the_lowest_grade(matrix: Matrix) -> None:
    rows = [observed(Ending.FAILED, "Error code: 13", test_id=TINY, arch=arch) for arch in ("n150", "p150")]
    (made,), _ = propose(matrix, [judged(Verdict.REGRESSED, [row], grade=4) for row in rows])
    assert made.grade == 1 and "write the reason" in made.why


def test_the_grade_is_that_of_the_weakest_and_grows_with_others_of_one_cause(matrix: Matrix) -> None:
    def red(id: str, grade: int) -> Judgement:
        row = observed(Ending.FAILED, "ValueError: no such layout", test_id=id, run="nightly-9")
        return judged(Verdict.REGRESSED, [row], grade=grade, since="nightly-9")

    alone, _ = propose(matrix, [red(TINY, 1)])
    assert [(one.grade, one.shared, one.since) for one in alone] == [(1, 0, "nightly-9")]
    ids = [*[id for id in matrix.entries if id.endswith("single_device-inference")][:3], DELTA]
    together, _ = propose(matrix, [red(id, 1) for id in ids])
    assert {(one.grade, one.shared) for one in together} == {(2, 3)}
    # It is what the grade rests on, not why something is proposed.
    assert together[0].grade_why == "failed once on n150; 3 other tests with this error since the same run"


def test_an_issue_that_a_new_reason_no_longer_links_is_named(tmp_path: Path) -> None:
    link = 'reason: "Bad StatusOr access - https://github.com/tenstorrent/tt-xla/issues/7"'
    text = YAML[TRAINING].replace('reason: "Bad StatusOr access"', link)
    linked = index(write_checkout(tmp_path / "linked", LOADERS, YAML | {TRAINING: text}))
    (made,), _ = propose(linked, [_judged(Verdict.STALE, TRAIN, arch) for arch in ("n150", "p150")])
    assert "no longer links tenstorrent/tt-xla#7" in made.why


def test_what_is_paused_says_why(matrix: Matrix) -> None:
    proposals, held = propose(
        matrix,
        [_judged(Verdict.FLAKY, TINY, "n150"), _judged(Verdict.CRASH, TINY, "p150", Ending.CRASHED)],
        Policy(must_pass=(TINY,)),
    )
    assert proposals == ()
    assert [(one.arch, one.verdict) for one in held] == [("n150", Verdict.FLAKY), ("p150", Verdict.CRASH)]
    assert all(one.why for one in held)


def test_a_young_entry_is_promoted_by_a_person_only(matrix: Matrix) -> None:
    judgements = [_judged(Verdict.STALE, TRAIN, arch) for arch in ("n150", "p150")]
    judgements = [replace(one, grade=4) for one in judgements]

    def grade(policy: Policy, age: int, judged_so: list[Judgement] = judgements) -> tuple[int, bool]:
        (one,), _ = propose(matrix, judged_so, policy, ages={TRAIN: age})
        return one.grade, "its status is younger than 7 days" in one.why

    assert grade(Policy(), 6) == (1, True)
    assert grade(Policy(), 7) == grade(Policy(grace_days=0.0), 0) == (4, False)
    red = replace(_judged(Verdict.CRASH, TRAIN, "n150", Ending.CRASHED, "Fatal Python error: Aborted"), grade=3)
    assert grade(Policy(), 0, [red]) == (3, False), "what turns red does not wait"


_ENDINGS = st.sampled_from([Ending.PASSED, Ending.INACCURATE, Ending.FAILED, Ending.CRASHED, Ending.HUNG])
_CASES = st.tuples(
    st.sampled_from([one for one in Verdict if one is not Verdict.FLAKY]), _ENDINGS, st.sampled_from(["", "DRAM OOM", "TypeError: x"])
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["n150", "p150", "n300-llmbox"]), _CASES), st.data())
def test_every_arch_has_what_its_evidence_asks_for_and_no_other_changes(
    tmp_path_factory: pytest.TempPathFactory, cases: dict[str, tuple[Verdict, Ending, str]], data: st.DataObject
) -> None:
    entry_text = data.draw(st.sampled_from(_ENTRIES))
    checkout = write_checkout(
        tmp_path_factory.mktemp("tree"),
        {"alpha/pytorch": loader_source(["tiny"])},
        {INFERENCE: f"test_config:\n  {TINY}:\n{entry_text}"},
    )
    matrix = index(checkout)
    entry = matrix.entries[TINY]
    judgements = [_judged(verdict, TINY, arch, ending, reason) for arch, (verdict, ending, reason) in cases.items()]
    proposals, _ = propose(matrix, judgements)
    fields = entry.fields
    for op in (op for one in proposals for op in one.ops):
        fields = after(fields, op) or {}
    new, asked = with_fields(None, fields), {arch: one for one in proposals for arch in one.archs}
    names = ("status", "reason", "bringup_status", "assert_pcc", "required_pcc")
    for arch, name in product(matrix.schema.archs, names):
        value = raw_value(entry, name, arch)
        if arch in asked:
            (one,) = (one for one in judgements if one.arch == arch)
            wish = wanted(one, entry, Policy()).fields
            value = (UNWRITTEN if wish[name] is None else wish[name]) if name in wish else value
        if supports(entry, arch):
            assert acting(name, raw_value(new, name, arch)) == acting(name, value)


_ENTRIES = (
    "    supported_archs: [n150, p150, n300-llmbox]\n    status: KNOWN_FAILURE_XFAIL\n    reason: \"DRAM OOM\"\n",
    "    status: EXPECTED_PASSING\n    required_pcc: 0.97\n",
    "    supported_archs: [n150, p150, n300-llmbox]\n    status: NOT_SUPPORTED_SKIP\n    bringup_status: FAILED_RUNTIME\n"
    "    arch_overrides:\n      p150:\n        status: EXPECTED_PASSING\n        assert_pcc: false\n",
)  # fmt: skip


def test_a_proposal_knows_the_entry_it_was_made_for(matrix: Matrix, tmp_path: Path) -> None:
    (made,), _ = propose(matrix, [_judged(Verdict.STALE, TRAIN, "n150")])
    assert made.base.key == (TRAINING, TRAIN)
    assert made.base.fields == matrix.entries[TRAIN].fields
