# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.item: the life cycle of a test, and the text of its failure."""

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
        assert "ttmatrix_payload/" not in output
        assert "pluggy/" not in output


def test_no_frame_of_ours_is_between_those_of_the_model(checkout: Checkout) -> None:
    """Like a widened product: the model calls us, and we call the failing function."""
    pytest.importorskip("torch")
    checkout.acting("self.call()")
    loader = checkout.models / "tiny/pytorch/loader.py"
    loader.write_text(
        f"{loader.read_text()}"
        "    def call(self):\n        from ttmatrix_payload.models.widen import widened as wide\n        wide(self.fails, (), {}, None)\n"
        "    def fails(self):\n        raise ValueError('of the model')\n"
    )
    output = checkout.run(ONE).output
    assert "ValueError: of the model" in output
    assert "in call" in output and "in fails" in output
    assert "widen.py" not in output


def test_the_stage_file_is_there_while_the_test_runs_only(checkout: Checkout) -> None:
    checkout.acting("raise ValueError(open('._bringup_stage.txt').read())")
    case = checkout.one(environ={"ENABLE_BRINGUP_STAGE_LOGGING": "1"})
    assert case.message == "ValueError: TTMLIR_COMPILATION_START"
    assert not (checkout.root / "._bringup_stage.txt").exists()


def test_a_test_can_be_asked_for_again_by_the_id_it_prints(checkout: Checkout) -> None:
    checkout.loader("tiny/pytorch")
    for name in checkout.run("--collect-only", "-q").ids()[::5]:
        assert checkout.run("--collect-only", "-q", f"{MODULE}::{name}").ids() == [name]
