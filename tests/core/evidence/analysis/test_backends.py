# SPDX-License-Identifier: Apache-2.0
"""Op cases on two backends."""

from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.evidence import Results
from core.evidence.analysis import BackendKind, backends_of, compare_backends, two_backends
from core.ops import OpTests
from tests.core.evidence.op_cases.observed import batches, op_tests_of, result

IDS = [f"m::{name}" for name in ("plain", "skipped", "expected", "marked", "same")]


@pytest.fixture
def tests(tmp_path: Path) -> OpTests:
    return op_tests_of(tmp_path)


def test_each_case_with_both_results_and_the_difference(tests: OpTests) -> None:
    eager = [
        result(tests, "plain", "pass", max_abs=0.25, pcc=1.0),
        result(tests, "expected", "xfail", message="no kernel"),
        result(tests, "marked", "fail", message="a"),
        result(tests, "same", "error(ref)"),
    ]
    other = [
        result(tests, "plain", "fail", max_abs=0.75, pcc=0.5, message="1 of 2 differ"),
        result(tests, "expected", "xfail", message="no kernel"),
        result(tests, "marked", "pass"),
        result(tests, "same", "pass"),
    ]
    last = Results(batches(eager, [{**one, "backend": "inductor"} for one in other])).last_of_cases()
    found = compare_backends(last, IDS, ("eager", "inductor"))
    assert [(one.id, one.kind) for one in found.cases] == [
        ("m::plain", BackendKind.ONLY_SECOND),
        ("m::marked", BackendKind.ONLY_FIRST),
        ("m::expected", BackendKind.BOTH),
        ("m::same", BackendKind.MISSING),
    ]
    plain = found.cases[0]
    assert (plain.numbers("max_abs"), plain.change("max_abs"), plain.change("pcc")) == ((0.25, 0.75), 0.5, -0.5)
    assert plain.change("max_rel") is None, "nobody has taken it"
    assert found.counts[BackendKind.PASS] == 0
    turned = compare_backends(last, IDS, ("inductor", "eager"))
    assert turned.cases[0].id == "m::marked" and turned.cases[0].kind is BackendKind.ONLY_SECOND


def test_what_fails_for_another_reason_and_what_passes_on_both(tests: OpTests) -> None:
    eager = [result(tests, "plain", "fail", message="a shape"), result(tests, "marked", "pass")]
    other = [result(tests, "plain", "crash", message="signal 11"), result(tests, "marked", "xpass")]
    last = Results(batches(eager, [{**one, "backend": "tt"} for one in other])).last_of_cases()
    found = compare_backends(last, IDS, ("eager", "tt"))
    assert [one.kind for one in found.cases] == [BackendKind.OTHERWISE, BackendKind.PASS]
    alone = compare_backends(last, IDS, ("eager", "xla"))
    assert {one.kind for one in alone.cases} == {BackendKind.MISSING}
    assert backends_of(last, IDS) == ("eager", "tt")
    assert backends_of(last, ["m::skipped"]) == ()


def test_the_two_that_are_compared() -> None:
    assert two_backends((), ("inductor", "tt", "eager")) == ("eager", "inductor")
    assert two_backends((), ("tt", "inductor")) == ("tt", "inductor")
    assert two_backends(("tt",), ("inductor", "tt", "eager")) == ("tt", "eager")
    assert two_backends(("tt", "eager"), ("eager", "tt")) == ("tt", "eager")
    for names, known in (((), ()), ((), ("eager",)), (("xla",), ("eager", "tt")), (("tt", "tt"), ("tt", "eager"))):
        with pytest.raises(UsageError):
            two_backends(names, known)
