# SPDX-License-Identifier: Apache-2.0
"""Every row of the outcome table (docs/rules.md 4.4), in reports that a real pytest has written, plain and forked."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from core.domain.model import BringupStatus, Function, Status
from core.evidence import Ending, Observation
from core.evidence.reports import Setting, Signals, observe
from core.evidence.reports.classify import ending_of, model_test
from core.runs import UNHEARD, Outcome, Testcase, read_testcases
from tests.support.corpus import make_report
from tests.support.evidence import TEST_ID

_CRASHES = ("segfault", "abort", "exit", "forced_crash")
# pytest-forked does not tell a child that exits from one that it does not understand.
_CRASHED = {**dict.fromkeys(_CRASHES, Ending.CRASHED), "exit": Ending.BROKEN}


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "forked"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Observation]:
    """The observation of each situation, by its name."""
    forked: bool = request.param
    report = make_report(tmp_path_factory.mktemp("corpus"), forked=forked)
    setting = Setting(run="nightly", arch="p150", when=5.0, host="f10", source=str(report))
    # For a test whose teardown fails too, the testcase of its call comes first.
    found = {
        one.test_id.partition("/")[0]: one
        for case in reversed(read_testcases(report))
        if (one := observe(case, setting))
    }
    assert len(found) == (30 if forked else 26)
    return found


ENDINGS = {
    "pass": Ending.PASSED,
    "pass_exactly": Ending.PASSED,
    "low_checked": Ending.INACCURATE,
    "low_unchecked": Ending.INACCURATE,
    "nan": Ending.INACCURATE,
    "nan_behind": Ending.INACCURATE,
    "training_backward_low": Ending.INACCURATE,
    "exception": Ending.FAILED,
    "unicode": Ending.FAILED,
    "xfail_passes": Ending.PASSED,
    "xfail_fails": Ending.FAILED,
    "xfail_low": Ending.INACCURATE,
    "skip": Ending.NOT_RUN,
    "skip_bare": Ending.NOT_RUN,
    "forced_fails": Ending.FAILED,
    "forced_passes": Ending.PASSED,
    "forced_low": Ending.INACCURATE,
    "forced_low_unchecked": Ending.INACCURATE,
    "open_passes": Ending.PASSED,
    "open_fails": Ending.FAILED,
    "combination": Ending.NOT_RUN,
    "setup": Ending.BROKEN,
    "pip": Ending.BROKEN,
    "other_comparison": Ending.INACCURATE,
    "teardown": Ending.FAILED,
    "both": Ending.FAILED,
}


@pytest.mark.slow("pytest runs on models of its own")
def test_the_ending_of_every_row(corpus: Mapping[str, Observation]) -> None:
    wanted = ENDINGS | (_CRASHED if "exit" in corpus else {})
    assert {name: one.ending for name, one in corpus.items()} == wanted


def test_an_expected_failure_that_passes_is_recognised_by_its_tags_alone(corpus: Mapping[str, Observation]) -> None:
    passes, fails = corpus["xfail_passes"], corpus["xfail_fails"]
    assert passes.expected is fails.expected is Status.KNOWN_FAILURE_XFAIL
    assert (passes.stage, passes.reason) == (BringupStatus.PASSED, "")
    assert (fails.stage, fails.reason) == (BringupStatus.FAILED_RUNTIME, "DRAM OOM on 3 banks")


def test_what_the_entry_says_of_a_forced_run_is_not_taken_for_what_happened(corpus: Mapping[str, Observation]) -> None:
    fails, passes, low = (corpus[name] for name in ("forced_fails", "forced_passes", "forced_low"))
    assert fails.forced and passes.forced and low.forced
    assert (fails.reason, fails.stage) == ("RuntimeError: TT_THROW @ b.cpp:7: no", BringupStatus.FAILED_RUNTIME)
    assert fails.pcc is None
    assert (passes.reason, passes.pcc) == ("", 0.9987)
    assert (low.stage, low.pcc) == (BringupStatus.INCORRECT_RESULT, 0.91)
    assert not corpus["skip"].forced
    assert corpus["skip"].pcc is None


def test_the_lowest_number_counts_and_a_nan_is_none(corpus: Mapping[str, Observation]) -> None:
    # The tags of a training test contain the forward number, 0.999 here, unless that is the low one.
    assert corpus["training_backward_low"].pcc == 0.5
    assert corpus["training_backward_low"].pcc_checked is False
    assert corpus["nan"].pcc is None
    assert "nan" in corpus["nan"].reason
    assert corpus["pass_exactly"].shortcut and not corpus["pass"].shortcut
    assert (corpus["pass"].pcc, corpus["pass"].pcc_required, corpus["pass"].pcc_checked) == (0.9987, 0.99, True)


def test_reasons_are_plain_lines(corpus: Mapping[str, Observation]) -> None:
    assert corpus["exception"].reason == "RuntimeError: TT_FATAL @ a.cpp:3: bad shape"
    assert corpus["unicode"].reason.startswith("RuntimeError: µ → red")
    assert all(one.reason.isprintable() for one in corpus.values())


def test_a_crash_says_what_ended_it(corpus: Mapping[str, Observation]) -> None:
    if "segfault" not in corpus:
        pytest.skip("without a process of its own for each test none can crash")
    assert [corpus[name].signal for name in _CRASHES] == [11, 6, None, 6]
    assert corpus["exit"].reason == UNHEARD
    assert corpus["abort"].expected is Status.KNOWN_FAILURE_XFAIL
    assert corpus["forced_crash"].forced
    assert corpus["segfault"].stage is BringupStatus.UNKNOWN


def test_the_tags_name_the_arch_and_the_session_the_rest(corpus: Mapping[str, Observation]) -> None:
    one = corpus["pass"]
    assert (one.arch, one.run, one.when, one.host) == ("n150", "nightly", 5.0, "f10")
    assert corpus["pip"].arch == "p150"
    assert (one.function, one.test_id) == (Function.TORCH, "pass/pytorch-single_device-inference")


PLAIN = Testcase("x", "test_llms_torch[a]", Outcome.PASS, "", "", None, 0.0, {}, {})


def test_other_tests_are_none_of_ours() -> None:
    assert model_test("test_all_models_jax[a/jax[x]-y]") == (Function.JAX, "a/jax[x]-y")
    assert model_test("test_something[a]") is None
    assert model_test("test_llms_torch") is None
    assert observe(replace(PLAIN, name="test_matmul[4]"), Setting()) is None


@pytest.mark.parametrize(
    ("case", "ending"),
    [
        (PLAIN, Ending.PASSED),
        (replace(PLAIN, outcome=Outcome.XFAIL), Ending.BROKEN),
        (
            replace(PLAIN, outcome=Outcome.FAIL, message="Failed: Timeout (>60.0s) from pytest-timeout."),
            Ending.OUT_OF_TIME,
        ),
        (replace(PLAIN, outcome=Outcome.FAIL, text="x\nE   Failed: Timeout >60.0s"), Ending.OUT_OF_TIME),
        (replace(PLAIN, outcome=Outcome.XFAIL, text="Timeout (>60.0s) from pytest-timeout."), Ending.OUT_OF_TIME),
        (replace(PLAIN, outcome=Outcome.FAIL, text="E   TimeoutError: x", tags={"arch": "n150"}), Ending.FAILED),
        (replace(PLAIN, outcome=Outcome.ERROR, message="x", tags={"bringup_status": "PASSED"}), Ending.FAILED),
        (replace(PLAIN, tags={"bringup_status": "PASSED", "pcc": math.inf}), Ending.INACCURATE),
        (replace(PLAIN, tags={"bringup_status": 3, "model_test_status": None, "pcc": "x"}), Ending.PASSED),
    ],
)
def test_rows_that_no_real_session_here_can_write(case: Testcase, ending: Ending) -> None:
    assert ending_of(case) is ending


@pytest.mark.parametrize(
    ("message", "ending"),
    [
        ("ValueError: x", Ending.FAILED),
        ("PCC comparison failed. Calculated: pcc=0.5", Ending.INACCURATE),
        ("AssertionError: pcc = 0.5", Ending.INACCURATE),
        ("Tensor mismatch", Ending.INACCURATE),
    ],
)
def test_a_failure_without_properties_is_the_models_where_its_loader_is_known_to_work(
    message: str, ending: Ending
) -> None:
    case = replace(PLAIN, outcome=Outcome.FAIL, message=message)
    assert (ending_of(case), ending_of(case, loads=True)) == (Ending.BROKEN, ending)
    # A failure in the set-up is not the model's, whatever is known about the loader.
    assert ending_of(replace(case, outcome=Outcome.ERROR), loads=True) is Ending.BROKEN


def test_tags_of_the_wrong_type_say_nothing() -> None:
    one = observe(replace(PLAIN, tags={"arch": 3, "pcc": True, "pcc_assertion_enabled": 1, "guidance": 4}), Setting())
    assert one is not None
    assert (one.arch, one.pcc, one.pcc_checked, one.guidance) == ("", None, None, ())


def test_a_number_that_no_float_holds_is_no_measurement() -> None:
    tags = {"arch": "n150", "bringup_status": "PASSED", "pcc": 10**400, "pcc_threshold": 10**400, "atol": 10**400}
    case = Testcase("", f"test_all_models_torch[{TEST_ID}]", Outcome.PASS, "", "", None, 1.0, {}, tags)
    seen = observe(case, Setting())
    assert seen and (seen.pcc, seen.pcc_required, seen.ending) == (None, None, Ending.PASSED)


def test_the_reports_message_is_quoted_and_what_was_raised_is_remembered() -> None:
    """The message differs between runs of one failure, the raised error does not (docs/rules.md 11)."""
    tags = {"bringup_status": "FAILED_TTMLIR_COMPILATION", "model_test_status": "ModelTestStatus.EXPECTED_PASSING"}
    text = "E   ValueError: the wrapper gave up"
    case = replace(PLAIN, outcome=Outcome.FAIL, text=text, tags=tags, properties={"error_message": "error: bad gather"})
    one = observe(case, Setting())
    assert one is not None
    assert (one.reason, one.raised, one.steady) == ("error: bad gather", text[4:], text[4:])
    plain = observe(replace(case, properties={}), Setting())
    assert plain is not None
    assert (plain.reason, plain.raised, plain.steady) == (text[4:], "", text[4:])
    logged = observe(replace(case, properties={}), Setting(), Signals("TT_FATAL: no room"))
    assert logged is not None
    assert logged.reason == "TT_FATAL: no room"


def test_how_far_a_run_came_is_known_by_its_tags_then_by_its_stage_file_then_by_its_text() -> None:
    case = replace(PLAIN, outcome=Outcome.FAIL, text="E   ValueError: x", tags={"bringup_status": "UNKNOWN"})
    begun = Signals(stage=BringupStatus.FAILED_RUNTIME)
    live = replace(case, tags={"bringup_status": "FAILED_TTMLIR_COMPILATION"})
    found = [observe(one, Setting(), beside) for one, beside in ((live, begun), (case, begun), (case, Signals()))]
    assert [one.stage for one in found if one] == [
        BringupStatus.FAILED_TTMLIR_COMPILATION,
        BringupStatus.FAILED_RUNTIME,
        BringupStatus.FAILED_FE_COMPILATION,
    ]
