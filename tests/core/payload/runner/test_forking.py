# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.forking: a crash is one report, with what is known of the test (docs/rules.md 4.3)."""

import pytest

from core.runs import Outcome

from .conftest import MODULE, Checkout

ID = "tiny/pytorch-Base-single_device-inference"


@pytest.mark.parametrize(
    ("act", "ended", "signal"),
    [
        ("import os; os.abort()", "CRASHED with signal 6", 6),
        ("import os; os._exit(3)", "EXITED with status 3", None),
        ("import os; os._exit(0)", "EXITED with status 0", None),
    ],
)
def test_a_crash_is_an_error_even_where_failure_is_expected(
    checkout: Checkout, act: str, ended: str, signal: int | None
) -> None:
    checkout.acting(f"print('last words', flush=True); {act}")
    checkout.entries({ID: {"status": "KNOWN_FAILURE_XFAIL", "enable_weight_bfp8_conversion": True}})
    case = checkout.one("--forked", "--arch=n150")
    assert (case.outcome, case.signal) == (Outcome.CRASH, signal)
    assert ended in case.message
    assert case.message.startswith("failed on teardown with ")
    assert list(case.properties) == ["tags", "owner", "group", "backend"]
    told = {name: case.tags[name] for name in ("bringup_status", "guidance", "weights_dtype", "arch", "parallelism")}
    assert told == {
        "bringup_status": "UNKNOWN",
        "guidance": [],
        "weights_dtype": "bfp8",
        "arch": "n150",
        "parallelism": "single_device",
    }
    assert len(case.tags) == 16


def test_the_session_goes_on_and_shows_the_last_words(checkout: Checkout) -> None:
    checkout.acting("print('last words', flush=True)\n        if settings.mode == 'training': import os; os.abort()")
    done = checkout.run("--forked", f"{MODULE}::test_all_models_torch", "-k", "Base and not tensor")
    outcomes = [case.outcome for case in done.cases.values()]
    assert outcomes == [Outcome.PASS, Outcome.CRASH] * 2
    assert done.code == 1
    assert done.output.count("last words") == 2


def test_llm_tests_tell_less(checkout: Checkout) -> None:
    checkout.acting("import os; os.abort()\n    def load_inputs_decode(self): pass")
    id = "tiny/pytorch-Base-llm_decode-seq_1-batch_1-single_device-mesh_default-inference"
    done = checkout.run("--forked", f"{MODULE}::test_llms_torch[{id}]")
    tags = done.cases[id].tags
    assert (tags["parallelism"], tags["seq_len"], tags["batch_size"], tags["run_phase"]) == (
        None,
        None,
        None,
        "llm_decode",
    )


def test_each_test_has_a_process_of_its_own(checkout: Checkout) -> None:
    checkout.acting("import os; raise ValueError(os.getpid())")
    arguments = (f"{MODULE}::test_all_models_torch", "-k", "Base and not tensor")
    forked, plain = checkout.run("--forked", *arguments), checkout.run(*arguments)
    assert len({case.message for case in forked.cases.values()}) == 4
    assert len({case.message for case in plain.cases.values()}) == 1
