# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_runner.item: the life of a test, and how its failure reads."""

import pytest

from .conftest import MODULE, Checkout

ONE = f"{MODULE}::test_all_models_torch[tiny/pytorch-Base-single_device-inference]"


@pytest.mark.parametrize("style", ["auto", "short", "long", "native"])
def test_a_traceback_begins_in_the_model(checkout: Checkout, style: str) -> None:
    checkout.acting("raise ValueError('of the model')")
    output = checkout.run(ONE, f"--tb={style}").output
    assert "ValueError: of the model" in output
    assert "tiny/pytorch/loader.py" in output
    if style != "native":
        assert "ttmatrix_runner/" not in output
        assert "pluggy/" not in output


def test_the_stage_file_is_there_while_the_test_runs_only(checkout: Checkout) -> None:
    checkout.acting("raise ValueError(open('._bringup_stage.txt').read())")
    case = checkout.one(environ={"ENABLE_BRINGUP_STAGE_LOGGING": "1"})
    assert case.message == "ValueError: TTMLIR_COMPILATION_START"
    assert not (checkout.root / "._bringup_stage.txt").exists()


def test_a_test_can_be_asked_for_again_by_the_id_it_prints(checkout: Checkout) -> None:
    checkout.loader("tiny/pytorch")
    for name in checkout.run("--collect-only", "-q").ids()[::5]:
        assert checkout.run("--collect-only", "-q", f"{MODULE}::{name}").ids() == [name]
