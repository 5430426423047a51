# SPDX-License-Identifier: Apache-2.0
"""Lists in the decorators of the LLM test, in every form that checkouts have had them."""

import pytest

from core.sources.schema_read import llm_parameters

_BODY = "def test_llms_torch():\n    pass\n"
_MODES = '@pytest.mark.parametrize("run_mode", [pytest.param(RunMode.INFERENCE, id="inference", marks=x)])\n'
_PHASES = '@pytest.mark.parametrize("test_entry_and_phase", _llm_test_params, ids=lambda p: p)\n'


def test_the_first_tests_name_the_phase_alone() -> None:
    assert llm_parameters("@pytest.mark.llm\n" + _MODES + _PHASES + _BODY) == {
        "llm_modes": ("inference",),
        "llm_parallelisms": (),
        "llm_meshes": (),
        "llm_sequence_lengths": (),
        "llm_batch_sizes": (),
    }


def test_sizes_that_are_in_the_decorators() -> None:
    sizes = (
        '@pytest.mark.parametrize("batch_size", [1, 2], ids=_id)\n'
        '@pytest.mark.parametrize("sequence_length", (None, 128, 1024), ids=_id)\n'
    )
    found = llm_parameters(_MODES + sizes + _PHASES + _BODY)
    assert (found["llm_batch_sizes"], found["llm_sequence_lengths"]) == ((1, 2), (128, 1024))


@pytest.mark.parametrize("values", ["LLM_BATCH_SIZES", "[*SIZES]", "[pytest.param(x, id=name)]"])
def test_a_list_that_is_no_literal_is_left_out(values: str) -> None:
    found = llm_parameters(f'@pytest.mark.parametrize("batch_size", {values})\n{_BODY}')
    assert "llm_batch_sizes" not in found
    assert found["llm_sequence_lengths"] == ()


@pytest.mark.parametrize("text", ["", "def test_all_models_torch(): pass\n", "def test_llms_torch(:\n", "\0"])
def test_nothing_is_said_of_other_modules(text: str) -> None:
    assert llm_parameters(text) == {}
