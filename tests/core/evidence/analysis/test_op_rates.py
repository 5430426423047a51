# SPDX-License-Identifier: Apache-2.0
"""Numbers about results of op cases, checked against hand-computed ones and against laws for any results."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.evidence import Observation
from core.evidence.analysis import BackendNumbers, Night, Tally, measure_results, nights
from core.evidence.analysis.op_rates import Steadiness
from core.evidence.reports import Setting, observe_cases
from core.evidence.verdicts import results_that_count
from core.ops import OpTests, case_key, read_op_tests
from core.payload.ttmatrix_payload.ops.results import STATUSES

ALPHA = """\
model: alpha
cases:
  - {name: a1, op: torch.add, inputs: [{tensor: {shape: [2]}}, {value: 1.0}]}
  - {name: a2, op: torch.add, inputs: [{tensor: {shape: [2]}}, {value: 1.0}]}
  - {name: a3, op: torch.mul, inputs: [{tensor: {shape: [2]}}, {value: 2.0}]}
  - {name: a4, op: torch.neg, xfail_reason: known, inputs: [{tensor: {shape: [2]}}]}
  - {name: a5, op: torch._C._log_api_usage_once, inputs: [{value: x}]}
"""
BETA = """\
model: beta
cases:
  - {name: b1, op: torch.add, inputs: [{tensor: {shape: [2]}}, {value: 1.0}]}
  - {name: b2, op: torch.mul, inputs: [{tensor: {shape: [3]}}, {value: 2.0}]}
  - {name: b3, op: torch.abs, inputs: [{tensor: {shape: [3]}}]}
  - {name: b4, op: torch.abs, inputs: [{tensor: {shape: [4]}}]}
"""
FIRST = {
    "alpha::a1": ("pass", 1.0),
    "alpha::a2": ("dup", 0.0),
    "alpha::a3": ("fail", 0.5),
    "alpha::a4": ("xfail", 0.25),
    "alpha::a5": ("not-an-op", 0.0),
    "beta::b1": ("dup", 0.0),
    "beta::b2": ("pass", 0.5),
    "beta::b3": ("error(ref)", 0.25),
}
SECOND = {
    "alpha::a1": ("pass", 2.0),
    "alpha::a2": ("dup", 0.0),
    "alpha::a3": ("pass", 0.5),
    "beta::b1": ("dup", 0.0),
    "beta::b2": ("crash", 0.0),
}


def read(directory: Path, alpha: str = ALPHA) -> OpTests:
    (directory / "ops").mkdir(exist_ok=True)
    (directory / "ops/alpha.yaml").write_text(alpha)
    (directory / "ops/beta.yaml").write_text(BETA)
    return read_op_tests(directory, ["ops"])


@pytest.fixture(scope="module")
def tests(tmp_path_factory: pytest.TempPathFactory) -> OpTests:
    return read(tmp_path_factory.mktemp("ops"))


def run_of(
    tests: OpTests, number: int, results: Mapping[str, tuple[str, float]], backend: str = "eager", commit: str = ""
) -> list[Observation]:
    """The results of one run; a duplicate is one of `alpha::a1`."""
    rows = {row.id: row for row in tests.rows}
    documents: list[dict[str, Any]] = []
    for id, (status, seconds) in results.items():
        case = {"key": case_key(rows[id]), "rtol": rows[id].case.rtol, "atol": rows[id].case.atol}
        said = {"dup_of": "alpha::a1"} if status == "dup" else {}
        documents.append({"id": id, "status": status, "backend": backend, "seconds": {"run": seconds}, **case, **said})
    setting = Setting(run=f"run-{number}", when=60.0 * number, job=f"run-{number}", commit=commit or f"c{number}")
    return list(observe_cases(documents, setting))


def numbers_of(tests: OpTests, observations: list[Observation], *backends: str) -> list[BackendNumbers]:
    seen = results_that_count({row.id: row for row in tests.rows}, observations)
    return measure_results(tests.rows, seen, backends)


def test_the_numbers_of_two_runs(tests: OpTests) -> None:
    (found,) = numbers_of(tests, [*run_of(tests, 1, FIRST), *run_of(tests, 2, SECOND)])
    assert found.backend == "eager"
    assert found.total == Tally(
        cases=9, passed=4, failed=1, errors=1, xfailed=1, skipped=1, missing=1, duplicates=2, seconds=3.0
    )
    assert (found.total.executed, found.total.seconds_per_case) == (5, 0.6)
    assert found.total.pass_rate == pytest.approx(4 / 6)
    assert found.total.saved == pytest.approx(2 / 7)
    assert found.by_model == {
        "alpha": Tally(5, passed=3, failed=0, errors=0, xfailed=1, skipped=1, missing=0, duplicates=1, seconds=2.75),
        "beta": Tally(4, passed=1, failed=1, errors=1, xfailed=0, skipped=0, missing=1, duplicates=1, seconds=0.25),
    }
    assert found.by_model["alpha"].pass_rate == 1.0
    assert found.by_model["beta"].pass_rate == pytest.approx(1 / 3)
    assert {op: (one.cases, one.passed, one.pass_rate) for op, one in found.by_op.items()} == {
        "torch._C._log_api_usage_once": (1, 0, None),
        "torch.abs": (2, 0, 0.0),
        "torch.add": (3, 3, 1.0),
        "torch.mul": (2, 1, 0.5),
        "torch.neg": (1, 0, None),
    }
    assert {cell: (one.passed, one.cases) for cell, one in found.grid.items() if one.passed} == {
        ("torch.add", "alpha"): (2, 2),
        ("torch.add", "beta"): (1, 1),
        ("torch.mul", "alpha"): (1, 1),
    }
    assert (found.ops, found.enabled, found.coverage) == (4, 2, 0.5), "what computes nothing is no op"
    # add, mul of two, mul of three, and neg, which ran once.
    assert found.steadiness == Steadiness(4, compared=3, steady=1, still_failing=0, new_fail=1, fixed=1, flaky=0)
    assert found.steadiness.rate == pytest.approx(1 / 3)


def test_coverage_by_a_list_of_ops(tests: OpTests) -> None:
    seen = results_that_count({row.id: row for row in tests.rows}, run_of(tests, 1, FIRST))
    (found,) = measure_results(tests.rows, seen, enabled_ops=("torch.add", "torch.neg", "torch.no_case_has_it"))
    assert (found.ops, found.enabled) == (3, 1)


def test_both_ends_with_the_same_code_are_flaky(tests: OpTests) -> None:
    same = [*run_of(tests, 1, FIRST, commit="c"), *run_of(tests, 2, SECOND, commit="c")]
    (found,) = numbers_of(tests, same)
    assert found.steadiness == Steadiness(4, compared=3, steady=1, still_failing=0, new_fail=0, fixed=0, flaky=2)


def test_each_backend_has_its_own(tests: OpTests) -> None:
    both = [*run_of(tests, 1, FIRST), *run_of(tests, 1, {"alpha::a1": ("timeout", 8.0)}, backend="inductor")]
    eager, inductor = numbers_of(tests, both)
    assert (eager.backend, inductor.backend) == ("eager", "inductor")
    assert inductor.total == Tally(
        9, passed=0, failed=1, errors=0, xfailed=0, skipped=0, missing=8, duplicates=0, seconds=8.0
    )
    assert (inductor.coverage, inductor.steadiness.compared, inductor.steadiness.rate) == (0.0, 0, None)
    assert numbers_of(tests, both, "inductor") == [inductor]
    assert numbers_of(tests, both, "tt") == []


def test_a_result_counts_while_its_digest_is_the_same(tests: OpTests, tmp_path: Path) -> None:
    results = run_of(tests, 1, FIRST)
    edited = read(
        tmp_path,
        ALPHA.replace("op: torch.mul, inputs: [{tensor: {shape: [2]", "op: torch.mul, inputs: [{tensor: {shape: [5]"),
    )
    (found,) = numbers_of(edited, results)
    assert found.by_op["torch.mul"] == Tally(
        2, passed=1, failed=0, errors=0, xfailed=0, skipped=0, missing=1, duplicates=0, seconds=0.5
    )
    broken = read(tmp_path, ALPHA)
    assert numbers_of(broken, run_of(tests, 1, {"beta::b3": ("error(ref)", 0.25)}))[0].total.errors == 1
    (tmp_path / "ops/beta.yaml").write_text(
        BETA.replace("op: torch.abs, inputs: [{tensor: {shape: [3]", "op: torch.abs, inputs: [{tensor: {shape: [6]")
    )
    assert numbers_of(read_op_tests(tmp_path, ["ops"]), run_of(tests, 1, {"beta::b3": ("error(ref)", 0.25)})) == []


def test_a_duplicate_of_what_was_not_run_has_no_verdict(tests: OpTests) -> None:
    (found,) = numbers_of(tests, run_of(tests, 1, {"alpha::a2": ("dup", 0.0)}))
    assert (found.total.missing, found.total.duplicates, found.total.saved) == (9, 0, None)


def test_no_results_no_numbers(tests: OpTests) -> None:
    assert numbers_of(tests, []) == []


IDS = (*FIRST, "beta::b4")
COPIES = {"alpha::a2", "beta::b1"}


@st.composite
def runs(draw: st.DrawFn) -> dict[str, tuple[str, float]]:
    """Results of some of the cases; `dup` only if there is a case to duplicate."""
    found = {}
    for id in draw(st.lists(st.sampled_from(IDS), unique=True)):
        status = draw(st.sampled_from([one for one in STATUSES if one != "dup" or id in COPIES]))
        # Quarters of a second add up exactly, in any order.
        found[id] = (status, draw(st.integers(0, 4000)) / 4)
    return found


@given(several=st.lists(runs(), min_size=1, max_size=4))
def test_groups_add_up_to_the_total(tests: OpTests, several: list[dict[str, tuple[str, float]]]) -> None:
    observations = [one for number, results in enumerate(several, 1) for one in run_of(tests, number, results)]
    for found in numbers_of(tests, observations):
        for groups in (found.by_model, found.by_op, found.grid):
            assert Tally(*map(sum, zip(*groups.values(), strict=True))) == found.total
        for one in (found.total, *found.by_model.values(), *found.by_op.values(), *found.grid.values()):
            assert sum(one[1:7]) == one.cases
            assert one.executed >= 0
            assert one.pass_rate is None or 0 <= one.pass_rate <= 1
            assert (one.pass_rate is None) == (one.passed + one.failed + one.errors == 0)
        assert found.enabled <= found.ops
        steadiness = found.steadiness
        assert sum(steadiness[2:]) == steadiness.compared <= steadiness.tests


def test_each_day_has_the_last_results_of_its_cases(tests: OpTests) -> None:
    day = 86_400.0

    def at(
        when: float, number: int, results: Mapping[str, tuple[str, float]], backend: str = "eager"
    ) -> list[Observation]:
        return [replace(one, when=when) for one in run_of(tests, number, results, backend)]

    rows = [*at(day, 1, FIRST), *at(2 * day, 2, FIRST), *at(2 * day + 60, 3, SECOND), *at(2 * day, 4, SECOND, "tt")]
    found = nights(rows, since=2 * day)
    assert found == {"eager": [Night(2, ran=6, passed=4)], "tt": [Night(2, ran=5, passed=4)]}
    assert nights(rows, since=0.0)["eager"] == [Night(1, ran=6, passed=4), Night(2, ran=6, passed=4)]
    assert nights([], since=0.0) == {}
