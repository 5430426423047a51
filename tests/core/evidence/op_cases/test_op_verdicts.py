# SPDX-License-Identifier: Apache-2.0
"""Verdicts and stability of op cases, and the proposals for their manifests."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.edits import Operation, OpKind, to_json
from core.evidence import Ending, Results
from core.evidence.analysis import Stability, courses, find_clusters, last_failures
from core.evidence.proposals import propose_for_cases
from core.evidence.verdicts import OpVerdicts, Policy, Verdict, Verdicts
from core.matrix import index
from core.ops import OpTests, written_cases
from tests.core.evidence.op_cases.observed import MANIFEST, batches, op_tests_of, result
from tests.support.tree import sample


@pytest.fixture
def tests(tmp_path: Path) -> OpTests:
    return op_tests_of(tmp_path)


def verdicts(tests: OpTests, *results: Any, commit: str = "c1") -> OpVerdicts:
    return OpVerdicts(tests, batches(*results, commit=commit), Policy(), {})


def said(found: OpVerdicts) -> dict[tuple[str, str], Verdict]:
    return {(one.id, one.arch): one.verdict for rows in found.judged.values() for one in rows}


def proposed(tmp_path: Path, found: OpVerdicts) -> tuple[list[Operation], list[str]]:
    written = written_cases(tmp_path, found.rows.values())
    made, refused = propose_for_cases(found, written)
    return [op for one in made for op in one.ops], [one.why for one in refused]


def test_what_passes_though_it_is_skipped_needs_no_skip(tmp_path: Path, tests: OpTests) -> None:
    forced = [[result(tests, "skipped", "pass", backend="inductor", expected="skip")]] * 3
    found = verdicts(tests, *forced)
    assert said(found) == {("m::skipped", "inductor"): Verdict.STALE}
    operations, refused = proposed(tmp_path, found)
    assert refused == []
    assert to_json(operations) == [{"op": "unset", "id": "m::skipped", "file": "ops/m.yaml", "path": ["skip_if"]}]
    elsewhere = [[result(tests, "skipped", "pass", backend="eager")]] * 3
    assert said(verdicts(tests, *elsewhere)) == {("m::skipped", "eager"): Verdict.ACTIVE}, "it is not skipped there"
    one = verdicts(tests, *forced[:1])
    assert said(one) == {("m::skipped", "inductor"): Verdict.STALE}
    assert [judged.grade for judged in one.of("m::skipped")] == [1], "scripts take those of grade 3"


def test_what_passes_though_it_is_expected_to_fail(tmp_path: Path, tests: OpTests) -> None:
    found = verdicts(tests, *[[result(tests, name, "xpass", expected="xfail") for name in ("expected", "marked")]] * 3)
    assert set(said(found).values()) == {Verdict.STALE}
    operations, _ = proposed(tmp_path, found)
    assert [(one.op, one.id, one.path, one.value) for one in operations] == [
        (OpKind.UNSET, "m::expected", ("xfail_if",), None),
        (OpKind.UNSET, "m::expected", ("xfail_reason",), None),
        (OpKind.REMOVE, "m::marked", ("marks",), "xfail"),
    ]
    mixed = [
        [result(tests, "expected", "xpass"), result(tests, "expected", "xfail", backend="inductor")],
    ] * 3
    found = verdicts(tests, *mixed)
    assert said(found) == {
        ("m::expected", "eager"): Verdict.SEMI_STALE,
        ("m::expected", "inductor"): Verdict.ACTIVE,
    }
    operations, refused = proposed(tmp_path, found)
    assert (operations, len(refused)) == ([], 1)


def test_a_condition_in_the_defaults_is_of_other_cases_too(tmp_path: Path) -> None:
    tests = op_tests_of(tmp_path, MANIFEST.replace("atol: 1.0e-3}", "atol: 1.0e-3, skip_if: 'True'}"))
    found = verdicts(tests, *[[result(tests, "plain", "pass", expected="skip")]] * 3)
    operations, refused = proposed(tmp_path, found)
    assert operations == []
    assert refused == ["skip_if is in the defaults of its manifest, for other cases too"]


def test_a_tolerance_is_widened_by_the_errors_that_were_seen(tmp_path: Path, tests: OpTests) -> None:
    passing = [[result(tests, "plain", "pass")]] * 3
    failing = [[result(tests, "plain", "fail", max_abs=error, pcc=0.9999)] for error in (0.0031, 0.0044, 0.004)]
    found = verdicts(tests, *passing, *failing)
    assert said(found) == {("m::plain", "eager"): Verdict.REGRESSED}
    made, _ = propose_for_cases(found, written_cases(tmp_path, found.rows.values()))
    assert to_json(made[0].ops) == [
        {"op": "set", "id": "m::plain", "file": "ops/m.yaml", "path": ["atol"], "value": 0.0055}
    ]
    assert made[0].why.endswith("the greatest error in 3 results is 0.0044; 0.0055 is 1.25 times that")
    wrong = [[result(tests, "plain", "fail", max_abs=0.4, pcc=0.9999)]] * 3
    assert proposed(tmp_path, verdicts(tests, *wrong)) == ([], ["it is off by up to 0.4: wrong, not imprecise"])
    other = [[result(tests, "plain", "fail", max_abs=0.004, pcc=0.5)]] * 3
    assert proposed(tmp_path, verdicts(tests, *other))[0] == []
    raised = [[result(tests, "plain", "fail")]] * 3
    assert "no tolerance helps" in proposed(tmp_path, verdicts(tests, *raised))[1][0]


def test_results_of_another_case_or_tolerance_do_not_count(tmp_path: Path, tests: OpTests) -> None:
    passing = [[result(tests, "plain", "pass")]] * 3
    failing = [[result(tests, "plain", "fail", max_abs=0.004)]] * 3
    seen = batches(*passing, *failing)
    wider = op_tests_of(tmp_path, MANIFEST.replace("rtol: 1.0e-3, atol: 1.0e-3", "rtol: 1.0e-2, atol: 1.0e-2"))
    assert said(OpVerdicts(wider, seen, Policy(), {})) == {("m::plain", "eager"): Verdict.ACTIVE}
    tighter = op_tests_of(tmp_path, MANIFEST.replace("rtol: 1.0e-3, atol: 1.0e-3", "rtol: 1.0e-4, atol: 1.0e-4"))
    assert said(OpVerdicts(tighter, seen, Policy(), {})) == {("m::plain", "eager"): Verdict.REGRESSED}
    edited = op_tests_of(tmp_path, MANIFEST.replace("{shape: [2]}}, {value: 1.0}", "{shape: [3]}}, {value: 1.0}"))
    assert said(OpVerdicts(edited, seen, Policy(), {})) == {}


def test_a_duplicate_takes_the_result_of_the_case_that_represents_it(tests: OpTests) -> None:
    copy = result(tests, "same", "dup", dup_of="m::plain", message="")
    found = verdicts(tests, *[[copy, result(tests, "plain", "fail", max_abs=0.1)]] * 3)
    assert said(found) == {("m::plain", "eager"): Verdict.REGRESSED, ("m::same", "eager"): Verdict.REGRESSED}
    row = found.seen["m::same"]["eager"][0]
    assert row.op is not None and (row.op.status, row.op.dup_of, row.op.max_abs) == ("fail", "m::plain", 0.1)
    alone = verdicts(tests, [copy])
    assert [row.ending for row in alone.seen["m::same"]["eager"]] == [Ending.NOT_RUN]


def test_the_last_result_on_each_backend_is_a_column(tmp_path: Path, tests: OpTests) -> None:
    first = [result(tests, "plain", "fail"), result(tests, "plain", "fail", backend="inductor")]
    seen = batches(first, [result(tests, "plain", "pass")], [result(tests, "marked", "error(ref)")])
    matrix = index(sample(tmp_path / "checkout"))
    found = Verdicts(matrix, seen, Policy())
    assert found.facts().cases == {
        "m::plain": {"eager": "pass", "inductor": "fail"},
        "m::marked": {"eager": "error(ref)"},
    }
    assert found.result_words("m::plain") == "eager pass  inductor fail"
    assert found.result_words("m::same") == ""


def test_the_verdict_on_each_backend_is_a_column(tmp_path: Path, tests: OpTests) -> None:
    both = [result(tests, "plain", "fail", max_abs=0.1), result(tests, "plain", "pass", backend="inductor")]
    seen = batches(both, both, both)
    matrix = index(sample(tmp_path / "checkout"))
    found = Verdicts(matrix, seen, Policy(), judge_cases=lambda: OpVerdicts(tests, seen, Policy(), {}))
    assert found.facts().case_verdicts == {"m::plain": {"eager": "regressed", "inductor": "active"}}
    assert Verdicts(matrix, seen, Policy()).facts().case_verdicts == {}

    def read() -> OpVerdicts:
        raise AssertionError("no case has a result")

    assert Verdicts(matrix, [], Policy(), judge_cases=read).facts().case_verdicts == {}


def test_results_of_an_ignored_machine_do_not_count(tests: OpTests) -> None:
    seen = batches(*[[result(tests, "plain", "fail", max_abs=0.1)]] * 3)
    bad = [replace(one, host="bad") for one in seen]
    assert said(OpVerdicts(tests, bad, Policy(), {})) == {("m::plain", "eager"): Verdict.REGRESSED}
    assert said(OpVerdicts(tests, bad, Policy(ignored_hosts=("bad",)), {})) == {}


def test_stability_is_of_what_is_computed(tests: OpTests) -> None:
    def course(*statuses: str, commits: str = "") -> tuple[Stability, str]:
        seen = [
            row
            for number, status in enumerate(statuses)
            for row in batches(
                *[[]] * number, [result(tests, "plain", status)], commit=commits[number] if commits else "c"
            )
        ]
        (found,) = courses(seen)
        return found.stability, found.since

    assert course("pass", "pass") == (Stability.STEADY, "")
    assert course("pass", "fail", commits="ab") == (Stability.NEW_FAIL, "run-2")
    assert course("pass", "fail", "crash", commits="abc") == (Stability.STILL_FAILING, "run-2")
    assert course("fail", "pass", commits="ab") == (Stability.FIXED, "run-2")
    assert course("fail", "pass", "pass", commits="abc") == (Stability.STEADY, "run-2")
    assert course("pass", "fail") == (Stability.FLAKY, "run-2"), "nothing has changed but the result"
    both = [result(tests, "plain", "pass"), result(tests, "same", "dup", dup_of="m::plain")]
    (one,) = courses(batches(both))
    assert (one.ids, len(one.rows)) == (("m::plain", "m::same"), 1)


def test_failures_are_clustered_by_their_message(tmp_path: Path, tests: OpTests) -> None:
    matrix_seen = batches(
        [
            result(tests, "plain", "fail", message="fail: 3 of 12 elements differ by up to 0.5"),
            result(tests, "marked", "fail", message="fail: 9 of 40 elements differ by up to 0.1"),
            result(tests, "expected", "fail", message="RuntimeError: no such kernel"),
        ]
    )
    clusters = find_clusters(index(sample(tmp_path / "checkout")), last_failures(Results(matrix_seen)))
    ids = sorted(one.ids for one in clusters if one.ids[0].startswith("m::"))
    assert ids == [("m::expected",), ("m::marked", "m::plain")]
