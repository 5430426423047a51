# SPDX-License-Identifier: Apache-2.0
"""core.evidence.ending_fields: the table from an end to YAML, and that verdicts and workflows give one answer by it."""

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import example, given, strategies as st

from core.domain.model import BringupStatus, Status
from core.evidence import FAILURES, Ending, Observation, Result, quotable, recommend, stage_in
from core.evidence.ending_fields import PROMOTED, UNCHECKED
from core.evidence.proposals.rules import wanted as by_verdict
from core.evidence.reports import Setting, observe
from core.evidence.verdicts import Policy, Verdict
from core.matrix import with_fields
from core.runs import Testcase, read_testcases, reasons as own_reasons
from core.runs.log import STAGES
from core.workflows import DeviceResult
from core.workflows.device import read_device_result
from core.workflows.outcomes import wanted as by_workflow
from tests.support.corpus import make_report
from tests.support.evidence import judged, seen

ID = "alpha/pytorch-tiny-single_device-training"
NAME = f"test_all_models_torch[{ID}]"
PAYLOAD = Path(__file__).parents[3] / "core/payload"
SAMPLE = Path(__file__).parents[3] / "test_config"
FE, TTMLIR, RUNTIME, INCORRECT, UNKNOWN = (
    BringupStatus.FAILED_FE_COMPILATION,
    BringupStatus.FAILED_TTMLIR_COMPILATION,
    BringupStatus.FAILED_RUNTIME,
    BringupStatus.INCORRECT_RESULT,
    BringupStatus.UNKNOWN,
)
OOM = "Out of Memory: Not enough space to allocate 36126720 B L1 buffer across 24 banks"
CODE_13 = "RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13"
VERDICTS = {Ending.CRASHED: Verdict.CRASH, Ending.HUNG: Verdict.HANG}
LIVE = "{'bringup_status': 'UNKNOWN', 'model_test_status': 'ModelTestStatus.KNOWN_FAILURE_XFAIL'}"


def of_verdict(row: Observation) -> Mapping[str, object]:
    """The fields that evidence writes for a cell that ended like `row` three times, without an entry."""
    verdict = VERDICTS.get(row.ending, Verdict.STALE if row.ending is Ending.PASSED else Verdict.DRIFTED)
    found = by_verdict(judged(verdict, [row] * 3), with_fields(None, {}), Policy())
    # What a person has to complete, a workflow leaves to them.
    return {} if found.caution else found.fields


def of_workflow(result: DeviceResult) -> Mapping[str, object]:
    return by_workflow(result).fields or {}


def report(text: str, message: str = "") -> str:
    """The report of a failure with `text`, for which upstream's runner has `message`."""
    told = f"<property name='error_message' value={quoteattr(message)}/>" if message else ""
    lines = "\n".join(f"E   {line}" for line in text.split("\n"))
    failure = f"<failure message={quoteattr(text)}>{escape(lines)}</failure>"
    properties = f"<properties><property name='tags' value={quoteattr(LIVE)}/>{told}</properties>"
    return f"<testsuite><testcase classname='a' name='{NAME}'>{properties}{failure}</testcase></testsuite>"


def both(directory: Path, text: str, message: str = "") -> tuple[Mapping[str, object], Mapping[str, object]]:
    """The fields that verdicts and workflows write for the same failure."""
    return both_of(directory, report(text, message))


def both_of(directory: Path, document: str) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """The fields that verdicts and workflows write for the same report."""
    file = directory / "r.xml"
    file.write_text(document, encoding="utf-8")
    (case,) = read_testcases(file)
    row = observe(case, Setting())
    assert row is not None
    return of_verdict(row), of_workflow(DeviceResult.of(read_device_result(file, [ID])[0]))


FAILING = {"status": "KNOWN_FAILURE_XFAIL"}


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        (OOM, RUNTIME),
        ("error: 'ttir.conv2d' op is not legal: TT_FATAL in its kernel", TTMLIR),
        ("ValueError: x", FE),
    ],
)
def test_verdicts_and_workflows_give_one_answer(text: str, stage: BringupStatus, tmp_path: Path) -> None:
    of_evidence, of_triage = both(tmp_path, text)
    assert of_evidence == of_triage == {**FAILING, "bringup_status": stage.value, "reason": text}
    assert of_workflow(DeviceResult(ID, Ending.FAILED, text)) == of_evidence


def test_what_hangs_is_skipped_and_what_is_slow_is_left_by_both() -> None:
    hung = {"status": "NOT_SUPPORTED_SKIP", "reason": "Test hangs"}
    assert of_verdict(seen(Ending.HUNG)) == of_workflow(DeviceResult(ID, Ending.HUNG)) == hung
    for ending in (Ending.SLOW, Ending.OUT_OF_TIME):
        row = seen(ending, reason="stopped after 9 s")
        assert by_verdict(judged(Verdict.SLOW, [row] * 3), with_fields(None, {}), Policy()).fields == {}
        assert of_workflow(DeviceResult.seen(ID, row)) == {}


PIECES = st.sampled_from(
    [OOM, CODE_13, "error: 'ttir.sum' op", "TT_FATAL @ a.cpp:3", "info:", "ValueError: x", "None", "Aborted", "plain"]
)
LINES = st.lists(st.one_of(PIECES, st.text("ab :.'%-13E", max_size=20)), min_size=1, max_size=5).map("\n".join)
STAGED = st.sampled_from([*BringupStatus])


@given(
    st.sampled_from(sorted(FAILURES - {Ending.INACCURATE})),
    STAGED,
    st.one_of(st.just(""), st.text(max_size=40), LINES),
    st.one_of(st.none(), st.integers(0, 64)),
)
@example(Ending.CRASHED, UNKNOWN, "", 6)
@example(Ending.FAILED, BringupStatus.PASSED, "ValueError: in the teardown", None)
@example(Ending.FAILED, UNKNOWN, f"ValueError: x\n{CODE_13}", None)
def test_on_whatever_an_observation_says_both_agree(
    ending: Ending, stage: BringupStatus, reason: str, signal: int | None
) -> None:
    row = seen(ending, stage=stage, reason=reason, signal=signal)
    shown = DeviceResult.of(DeviceResult.seen(ID, row, f"{reason}\nmore that was said").to_fields())
    assert of_verdict(row) == of_workflow(shown)
    assert of_verdict(row).get("bringup_status") != BringupStatus.PASSED


def test_the_payload_knows_the_same_stages_and_lines_of_output() -> None:
    """It runs where core cannot be imported, so it has its own tables."""
    sys.path.append(str(PAYLOAD))
    from core.payload.ttmatrix_payload.runner import reasons, stage

    assert {mark: status.value for mark, status in STAGES.items()} == stage._STATUSES
    assert tuple(begin for _, begin in reasons._SIGNS) == own_reasons._FROM_OUTPUT


@cache
def texts() -> tuple[str, ...]:
    """Failures for every name that upstream has, texts that its rules look for, and reasons in the sample."""
    # Modules of the payload import each other as they do in their own interpreter.
    sys.path.append(str(PAYLOAD))
    from core.payload.ttmatrix_payload.runner.reason_rules import RULES
    from tests.core.payload.runner.test_reason_rules import CASES

    rules = [text for error, log, _ in CASES.values() for text in (f"{type(error).__name__}: {error}", log)]
    patterns = [
        pattern.removeprefix(r"\A").removesuffix(r"\Z")
        for rule in RULES
        for pattern in (*rule.message, *rule.log, *rule.output, rule.description)
    ]
    lines = [line for file in SAMPLE.rglob("*.yaml") for line in file.read_text(encoding="utf-8").splitlines()]
    reasons = [line.partition("reason:")[2].strip().strip('"') for line in lines if "reason:" in line]
    assert len(CASES) > 40 and len(reasons) > 20
    return tuple(dict.fromkeys(filter(None, (*rules, *patterns, *reasons))))


def test_on_every_text_that_is_known_both_agree(tmp_path: Path) -> None:
    for text in texts():
        of_evidence, of_triage = both(tmp_path, text)
        assert of_evidence == of_triage, text
        assert "error code: 13" not in str(of_evidence.get("reason", "")).lower()


@given(LINES, st.one_of(st.just(""), LINES))
@example(CODE_13, "")
@example("PCC check enabled. Calculated: pcc=0.5", "")
@example(f"ValueError: x\n{CODE_13}", "")
@example("ValueError: wrapper", "error: 'ttir.sum' op")
def test_on_whatever_a_report_says_both_agree(
    tmp_path_factory: pytest.TempPathFactory, text: str, message: str
) -> None:
    of_evidence, of_triage = both(tmp_path_factory.getbasetemp(), text, message)
    assert of_evidence == of_triage


def test_a_traceback_that_ends_in_error_code_13_has_no_line_for_either(tmp_path: Path) -> None:
    """As written by upstream's runner on a device: its frames are not a reason."""
    message = f"{CODE_13}\n\nWhile executing %x : [num_users=1] = call_function()\nOriginal traceback:\nNone"
    frames = "tests/runner/test_models.py:355: in test_all_models_torch\n    _run_model_test_impl("
    lines = "\n".join(f"E   {line}" for line in message.split("\n"))
    document = report(message, message)
    begin = document.index(">", document.index("<failure")) + 1
    document = document[:begin] + escape(f"{frames}\n{lines}") + document[document.index("</failure>") :]
    assert both_of(tmp_path, document) == ({}, {})


@pytest.mark.slow("pytest runs on models of its own")
@pytest.mark.parametrize("forked", [False, True], ids=["plain", "forked"])
def test_on_reports_of_a_real_pytest_both_agree(forked: bool, tmp_path: Path) -> None:
    file = make_report(tmp_path, forked=forked)
    agreed = 0
    for case in read_testcases(file):
        row = observe(case, Setting())
        if row is not None and row.ending in FAILURES and not _asked_not_to_be(case):
            # Two testcases of one test are read as one.
            alone = [one for one in read_testcases(file) if one.name == case.name]
            if len(alone) == 1 and row.ending is not Ending.INACCURATE:
                (answer,) = read_device_result(file, [row.test_id])
                assert of_workflow(DeviceResult.of(answer)) == of_verdict(row), row.test_id
                agreed += 1
    assert agreed > 2


def _asked_not_to_be(case: Testcase) -> bool:
    return case.outcome.value in ("skip", "xfail")


def test_inaccurate_training_is_the_same_to_both() -> None:
    # For a training test, the known number is that of the forward pass (docs/rules.md 4.6).
    row = seen(Ending.INACCURATE, test_id=ID, pcc=0.98, reason="PCC comparison failed")
    assert of_verdict(row) == of_workflow(DeviceResult.seen(ID, row)) == {**PROMOTED, **UNCHECKED}


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("loc(1): error: 'ttir.sum' op", TTMLIR),
        ("loc(\"x\"): error: 'ttir.conv2d' op failed", TTMLIR),
        ("ElementsAttr does not provide iteration facilities", TTMLIR),
        ("'stablehlo.gather' op slice size out of bounds", TTMLIR),
        ("crashed with SIGABRT", TTMLIR),
        ("running the test CRASHED with signal 6", TTMLIR),
        ("E   RuntimeError: TT_FATAL @ /ttnn.cpp:1", RUNTIME),
        ("TT_FATAL @ device.cpp: no\nAborted (core dumped)", RUNTIME),
        ("DRAM OOM", RUNTIME),
        ("Out of Memory: Not enough space", RUNTIME),
        ("Not enough space to allocate 12435456 B L1 buffer across 3 banks", RUNTIME),
        ("Fatal Python error: Aborted", TTMLIR),
        ("Fatal Python error: Floating point exception", UNKNOWN),
        ("circular buffers on core range [(x=0,y=0)] grow to 2 B which is beyond max L1 size of 1 B", RUNTIME),
        ("ValueError: no", FE),
        ("RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16", FE),
        ("E   torch._dynamo.exc.TorchRuntimeError: Dynamo failed to run FX node", FE),
        ("AssertionError: PCC comparison failed. Calculated: pcc=0.5", INCORRECT),
        # A dead process, plain sentences and generic texts identify no failure.
        ("crashed with SIGSEGV", UNKNOWN),
        ("running the test CRASHED with signal 9", UNKNOWN),
        (CODE_13, UNKNOWN),
        ("E   ValueError: Error code: 13", UNKNOWN),
        ("tt-forge-models doesn't implement unpack_forward_output for this model.", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_the_stage_that_a_text_gives_away(text: str, stage: BringupStatus) -> None:
    assert stage_in(text) is stage


@pytest.mark.parametrize("ending", Ending)
def test_every_end_has_its_answer_in_words(ending: Ending) -> None:
    found = recommend(Result(ending, "ValueError: x"))
    assert found.why
    assert found.fields is None or "status" in found.fields


def test_a_dead_process_is_skipped_for_no_expected_failure_survives_it() -> None:
    for ending in (Ending.CRASHED, Ending.HUNG):
        found = recommend(Result(ending, signal=6))
        assert found.fields is not None and found.fields["status"] == Status.NOT_SUPPORTED_SKIP
        assert "cannot be expected to fail" in found.why


def test_a_stage_that_is_not_known_is_neither_guessed_nor_left_from_a_pass() -> None:
    result = Result(Ending.FAILED, "the loader says no")
    assert recommend(result).fields == {**FAILING, "reason": "the loader says no"}
    assert recommend(result, stage_is_stale=True).fields == {
        **FAILING,
        "bringup_status": None,
        "reason": "the loader says no",
    }


def test_without_a_line_to_quote_a_failure_is_left_to_a_person() -> None:
    assert recommend(Result(Ending.FAILED, quotable(CODE_13))).fields is None
