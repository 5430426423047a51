# SPDX-License-Identifier: Apache-2.0
"""core.evidence.sources: results of runs here, in the form of reports, from pytest's output and the run's end."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base.processes import ProcessIdentity
from core.domain.model import BringupStatus, Function, Status
from core.evidence import Ending, Origin, own_observation
from core.evidence.sources import own_observations
from core.runs import Outcome, ResultFormat, RunSpec, TreeReader
from core.runs.execution.conclude import Remains, conclude
from core.runs.execution.supervisor import Exit
from core.runs.store import Finished, Queued, RunRecord, Started, TreeState
from core.runs.store.record import fold
from core.sources import Checkout
from tests.core.runs.test_junit import NAME, junit
from tests.support.corpus import make_report
from tests.support.git import committed_checkout
from tests.support.tree import sample
from tui.screens.run_log import shown_reason

ROOT = Path("/checkout")
TEST_ID = "alpha/pytorch-tiny-single_device-inference"
SPEC = RunSpec(
    "20261121-073215-ab12cd", TEST_ID, Function.TORCH, "device", "n150", (), {}, ROOT, 30.0, "", "", "device", 1,
    report=ResultFormat.JUNIT, devices=("*",), batch="20261121-073215-aaaaaa",
)  # fmt: skip


def ended(outcome: Outcome, *, spec: RunSpec = SPEC, **fields: Any) -> RunRecord:
    return fold(spec, Path("/runs"), [Queued(1.0, "f10", "boot"), Finished(9.0, outcome, 6.0, **fields)])


def tags(**fields: object) -> dict[str, object]:
    return {"model_test_status": "ModelTestStatus.EXPECTED_PASSING", "bringup_status": "PASSED", **fields}


def test_a_run_is_recognised_by_its_tags() -> None:
    one = own_observation(ended(Outcome.PASS, result={"message": "", "tags": tags(pcc=0.9987, arch="n150")}))
    assert (one.ending, one.pcc, one.origin, one.host) == (Ending.PASSED, 0.9987, Origin.HERE, "f10")
    assert (one.run, one.job, one.source) == (SPEC.batch, SPEC.run_id, f"/runs/{SPEC.run_id}")
    low = tags(pcc="nan", bringup_status="INCORRECT_RESULT")
    one = own_observation(ended(Outcome.FAIL, result={"message": "AssertionError: pcc", "tags": low}))
    assert (one.ending, one.pcc) == (Ending.INACCURATE, None)
    skipped = tags(model_test_status="ModelTestStatus.NOT_SUPPORTED_SKIP", bringup_status="None")
    one = own_observation(
        ended(Outcome.FAIL, result={"message": "ValueError: x", "tags": skipped}, stage="FE_COMPILATION_START")
    )
    assert (one.ending, one.expected, one.forced) == (Ending.FAILED, Status.NOT_SUPPORTED_SKIP, True)
    assert (one.stage, one.reason) == (BringupStatus.FAILED_FE_COMPILATION, "ValueError: x")


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [(Outcome.CRASH, Ending.CRASHED), (Outcome.HANG, Ending.HUNG), (Outcome.TIMEOUT, Ending.OUT_OF_TIME)],
)
def test_what_ended_it_counts_more_than_what_was_written_before(outcome: Outcome, ending: Ending) -> None:
    result = {"message": "", "tags": tags(pcc=0.5)}
    one = own_observation(ended(outcome, result=result, signal=6, stage="RUNTIME_EXECUTION_START"))
    assert (one.ending, one.signal, one.stage) == (ending, 6, BringupStatus.FAILED_RUNTIME)
    assert one.pcc is None
    assert one.reason


@pytest.mark.parametrize(
    ("idle", "ending", "words"),
    [
        (2.0, Ending.SLOW, "still working"),
        (40.0, Ending.OUT_OF_TIME, "the last 40 s without output or work"),
        (None, Ending.OUT_OF_TIME, "stopped after 60 s; the limit is 30 s"),
    ],
)
def test_a_run_over_its_time_limit_was_at_work_or_nobody_knows(idle: float | None, ending: Ending, words: str) -> None:
    finished = Finished(99.0, Outcome.TIMEOUT, 60.0, idle=idle)
    one = own_observation(fold(SPEC, Path("/runs"), [Queued(1.0, "f10", "boot"), finished]))
    assert one.ending is ending
    assert words in one.reason


def test_the_reason_of_a_hang_is_not_what_our_own_signal_made_the_log_say() -> None:
    hung = ended(Outcome.HANG, spec=replace(SPEC, hang_timeout=60.0), result={"cause": "KeyboardInterrupt"})
    assert own_observation(hung).reason == "Test hangs: 60 s without output or work"


def test_the_log_says_what_pytest_has_not_heard() -> None:
    cause = "Out of Memory: Not enough space to allocate 5 B DRAM buffer"
    nothing = "RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13"
    failing = tags(bringup_status="FAILED_RUNTIME")
    one = own_observation(ended(Outcome.FAIL, result={"message": nothing, "tags": failing, "cause": cause}))
    assert (one.ending, one.reason) == (Ending.FAILED, cause)
    assert own_observation(ended(Outcome.CRASH, result={"cause": cause}, signal=6)).reason == cause


def test_an_environment_that_cannot_run_it_says_nothing_of_the_model() -> None:
    one = own_observation(ended(Outcome.ERROR, detail="exit code 4, No junit.xml"))
    assert (one.ending, one.reason) == (Ending.BROKEN, "exit code 4, No junit.xml")


def test_which_runs_are_evidence() -> None:
    passed = ended(Outcome.PASS, result={"message": "", "tags": tags()})
    others = [
        ended(Outcome.PASS, spec=replace(SPEC, kind="cpu", report=ResultFormat.LINE)),
        ended(Outcome.PASS, spec=replace(SPEC, devices=())),
        ended(Outcome.PASS, spec=replace(SPEC, arch=None)),
        ended(Outcome.PASS, spec=replace(SPEC, devices=())),
        ended(Outcome.PASS, result={"message": "", "tags": tags(), "backend": "xla", "device": "CPU:0"}),
        ended(Outcome.CANCELLED),
        ended(Outcome.LOST),
        fold(SPEC, Path("/runs"), [Queued(1.0, "f10", "boot")]),
    ]
    reader = TreeReader(Checkout(ROOT))
    assert list(own_observations([passed, *others], reader)) == [own_observation(passed)]
    # In a sample checkout, which has no devices.
    assert len(list(own_observations([passed, *others], reader, cpu_counts=True))) == 2


def test_a_run_of_code_that_is_gone_is_no_evidence(tmp_path: Path) -> None:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    reader = TreeReader(checkout)
    committed = reader.state(TEST_ID)
    loader = checkout.models / "alpha/pytorch/loader.py"
    text = loader.read_text()
    loader.write_text(f"{text}# tried\n")
    tried = reader.state(TEST_ID)
    spec = replace(SPEC, cwd=checkout.root)

    def of(tree: TreeState, *, edited: bool = False) -> RunRecord:
        started = Started(2.0, ProcessIdentity(1, 1.0), (), tree)
        end = Finished(9.0, Outcome.PASS, 6.0, result={"message": "", "tags": tags()}, edited=edited)
        return fold(spec, Path("/runs"), [Queued(1.0, "f10", "boot"), started, end])

    def count(*records: RunRecord) -> int:
        return len([*own_observations(records, reader)])

    assert count(of(committed)) == count(of(tried)) == 1
    loader.write_text(text)
    assert (count(of(committed)), count(of(tried)), count(of(committed, edited=True))) == (1, 0, 0)
    loader.write_text(f"{text}# something else\n")
    assert (count(of(committed)), count(of(tried))) == (1, 0)
    (one,) = own_observations([of(committed)], reader)
    assert one.commit == committed.commit != ""


def test_a_real_report_counts_as_if_it_had_been_ingested(tmp_path: Path) -> None:
    make_report(tmp_path).rename(tmp_path / "junit.xml")
    for name, ending in (
        ("nan", Ending.INACCURATE),
        ("xfail_passes", Ending.PASSED),
        ("forced_low", Ending.INACCURATE),
    ):
        spec = replace(SPEC, test_id=f"{name}/pytorch-single_device-inference", cwd=tmp_path)
        finished = conclude(Remains(spec, tmp_path, Exit(9.0, 1), None, False, 3.0))
        one = own_observation(fold(spec, tmp_path, [Queued(1.0, "f10", "boot"), finished]))
        assert one.ending is ending
        assert one.pcc is None or math.isfinite(one.pcc)


_CODE = "RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13"
_BUFFERS = "Statically allocated circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0)]"
_NATIVE = f"loc(1): error: failed to legalize\n12:00:01.1 | critical | Always | TT_FATAL: {_BUFFERS}\nE   {_CODE}\n"


@pytest.mark.parametrize(
    ("child", "declared", "log", "code", "reason"),
    [
        (f'<failure message="{_CODE}">E   {_CODE}</failure>', "error: failed", _NATIVE, 1, "error: failed"),
        (f'<failure message="{_CODE}">E   {_CODE}</failure>', _CODE, _NATIVE, 1, f"TT_FATAL: {_BUFFERS}"),
        (f'<failure message="{_CODE}">E   {_CODE}</failure>', "", _NATIVE, 1, f"TT_FATAL: {_BUFFERS}"),
        ('<failure message="ValueError: x">E   ValueError: x</failure>', "x", "hint: error: no\n", 1, "ValueError: x"),
        ('<error message="t: running the test CRASHED with signal 6">x</error>', "", _NATIVE, 1, f"TT_FATAL: {_BUFFERS}"),
        ("", "", _NATIVE, -6, f"TT_FATAL: {_BUFFERS}"),
        (None, "", "x Cannot import path: /co/m/alpha/pytorch/loader.py: no cv2\nERROR: not found: y\n", 4,
         "cannot import alpha/pytorch: no cv2"),
    ],
)  # fmt: skip
def test_lists_log_and_evidence_show_one_reason(
    tmp_path: Path, child: str | None, declared: str, log: str, code: int, reason: str
) -> None:
    (tmp_path / "output.log").write_text(log)
    if child is not None:
        name = f"{SPEC.function}[{TEST_ID}]"
        text = junit(child, str(tags(bringup_status="UNKNOWN"))).replace(NAME, name)
        (tmp_path / "junit.xml").write_text(re.sub(r'(name="error_message" value=")[^"]*', rf"\g<1>{declared}", text))
    spec = replace(SPEC, run_id=tmp_path.name, cwd=tmp_path)
    finished = conclude(Remains(spec, tmp_path, Exit(9.0, code), None, False, 3.0))
    record = fold(spec, tmp_path.parent, [Queued(1.0, "f10", "boot"), finished])
    assert record.reason == own_observation(record).reason == shown_reason(record) == reason
    assert reason in record.summary
