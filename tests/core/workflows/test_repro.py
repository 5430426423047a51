# SPDX-License-Identifier: Apache-2.0
"""core.workflows.repro: what the payload's result means."""

from core.workflows.repro import Repro
from tests.support.triage import MISMATCH, TARGET, failed_run, phase, repro


def test_phases_say_where_they_stopped_and_by_what() -> None:
    one = Repro.of(repro(TARGET, MISMATCH))
    assert one.low is not None
    assert one.full is not None
    assert (one.ok, one.low.ok, one.low.step, one.low.error) == (False, False, "forward", MISMATCH)
    assert (one.full.ok, one.full.step, one.full.error) == (True, "", "")


def test_an_exception_without_a_text_is_its_name() -> None:
    raw = {"phases": [{**phase("bfloat16", "KeyError"), "error": ""}]}
    one = Repro.of({"id": TARGET, "result": raw})
    assert one.low is not None
    assert one.low.error == "KeyError"


def test_without_a_result_nothing_is_known() -> None:
    one = Repro.of(failed_run(TARGET))
    assert (one.low, one.full, one.ok, one.output, one.problem) == (None, None, False, None, "")
    assert Repro.of(failed_run(TARGET, problem="no timm\nall that pip said")).problem == "no timm"


def test_the_output_is_that_of_the_phase_that_got_so_far() -> None:
    raw = {"phases": [phase("bfloat16", MISMATCH), phase("float32", output={"class": "list"})]}
    assert Repro.of({"id": TARGET, "result": raw}).output == {"class": "list"}


def test_a_result_of_before_these_facts_has_none_of_them() -> None:
    low = Repro.of({"id": TARGET, "result": {"phases": [{"dtype": "bfloat16", "ok": True}]}}).low
    assert low is not None
    assert (low.forward_parameters, low.inputs, low.traceback, low.unpacked) == ((), (), "", None)


def test_frames_read_like_a_traceback() -> None:
    frames = [{"file": "a/loader.py", "line": 3, "function": "load_inputs", "code": "return x"}]
    low = Repro.of(repro(TARGET, MISMATCH, frames=frames)).low
    assert low is not None
    assert low.traceback == '  File "a/loader.py", line 3, in load_inputs\n    return x'
