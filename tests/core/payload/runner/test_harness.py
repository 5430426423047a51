# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.harness: the backend before any test, and the output of a test while it runs."""

from .conftest import MODULE, Checkout

ONE = f"{MODULE}::test_all_models_torch[tiny/pytorch-Base-single_device-inference]"


def test_a_missing_backend_is_reported_before_any_test(checkout: Checkout) -> None:
    checkout.acting("raise AssertionError('ran')")
    done = checkout.run(ONE, "--backend=inductor")
    assert (done.code, done.cases) == (4, {})
    assert "ERROR: inductor needs a C++ compiler" in done.output
    assert checkout.run(ONE, "--backend=inductor", "--collect-only", "-q").code == 0


def test_without_capturing_the_exception_is_the_reason(checkout: Checkout) -> None:
    checkout.acting("print('error: in the log'); raise ValueError('of the model')")
    assert checkout.one("-s").properties["error_message"] == "of the model"
    assert checkout.one().properties["error_message"] == "error: in the log"


def test_what_was_taken_is_still_in_the_report(checkout: Checkout) -> None:
    checkout.acting("import os; os.write(2, b'from ' + b'below'); print('to', 'out'); raise ValueError('x')")
    output = checkout.run(ONE).output
    assert output.count("from below") == output.count("to out") == 1
