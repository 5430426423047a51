# SPDX-License-Identifier: Apache-2.0
"""Upstream's lists come from the checkout, literal by literal."""

from pathlib import Path

import pytest

from core.domain.model import Function
from core.sources import Schema, read_schema
from core.sources.schema_read import CONSTANTS
from tests.support.tree import sample


def test_without_constants_the_built_in_lists_count(tmp_path: Path) -> None:
    assert read_schema(sample(tmp_path)) == (Schema(), ())


def test_constants_of_the_checkout_win_in_their_order(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / CONSTANTS).write_text('ALLOWED_ARCHES = {"z9", "a1"}\nLLM_BATCH_SIZES = (2,)\nOTHER = 1\n')
    schema, findings = read_schema(checkout)
    assert schema.archs == ("z9", "a1")
    assert schema.llm_batch_sizes == (2,)
    assert schema.modes == Schema().modes
    assert findings == ()


@pytest.mark.parametrize("text", ["ALLOWED_ARCHES = set(x)", "ALLOWED_ARCHES = 3", "LLM_BATCH_SIZES = ('a',)"])
def test_what_is_not_such_a_literal_is_left_alone(tmp_path: Path, text: str) -> None:
    checkout = sample(tmp_path)
    (tmp_path / CONSTANTS).write_text(text)
    assert read_schema(checkout)[0] == Schema()


def test_a_broken_file_is_a_finding(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / CONSTANTS).write_text("def (")
    schema, findings = read_schema(checkout)
    assert schema == Schema()
    assert [finding.kind for finding in findings] == ["broken-schema"]


def test_constants_without_meshes_mean_ids_without_meshes(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / CONSTANTS).write_text('PARALLELISMS_LLM = ("single_device",)\n')
    assert read_schema(checkout)[0].llm_meshes == ()


def test_archs_of_the_conftest_count_where_there_are_no_constants(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / "tests/runner/conftest.py").write_text('ALLOWED_ARCHES = {"a1"}\n')
    assert read_schema(checkout)[0].archs == ("a1",)
    (tmp_path / CONSTANTS).write_text('ALLOWED_ARCHES = {"b2"}\nLLM_MESH_SHAPES = ("mesh_default",)\n')
    assert read_schema(checkout)[0].archs == ("b2",)


def test_the_shape_of_ids_is_read_off_the_test_module(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    module = tmp_path / "tests/runner/test_models.py"
    module.write_text('@pytest.mark.parametrize("op_by_op", [None], ids=["full"])\ndef test_all_models_torch():\n')
    schema = read_schema(checkout)[0]
    assert (schema.full_in_ids, schema.has_llm_tests) == (True, False)
    module.write_text("def test_all_models_torch():\n    pass\ndef test_llms_torch(x):\n    pass\n")
    schema = read_schema(checkout)[0]
    assert (schema.full_in_ids, schema.has_llm_tests) == (False, True)
    assert not schema.has_op_by_op_tests


def test_parameters_of_llm_tests_are_read_off_the_test_module_where_there_are_no_constants(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / "tests/runner/test_models.py").write_text(
        '@pytest.mark.parametrize("parallelism", [pytest.param(1, id="single_device")])\n'
        '@pytest.mark.parametrize("run_mode", ["no mode", 7])\n'
        "def test_llms_torch(): ...\n"
    )
    schema = read_schema(checkout)[0]
    assert (schema.llm_parallelisms, schema.llm_batch_sizes, schema.llm_sequence_lengths) == (
        ("single_device",),
        (),
        (),
    )
    assert schema.llm_modes == ("inference", "training"), "what does not fit is left alone"
    constants = tmp_path / "tests/runner/test_config/constants.py"
    constants.write_text("LLM_BATCH_SIZES = [2]\n")
    assert read_schema(checkout)[0].llm_batch_sizes == (2,)


def test_parameters_of_jax_tests_are_read_off_the_test_module(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    assert read_schema(checkout)[0].jax_parameters == (*Schema().parallelisms, *Schema().modes)
    (tmp_path / "tests/runner/test_models.py").write_text(
        'x = pytest.param(1, id="training")\ndef test_all_models_torch():\n    pass\n'
        '@parametrize([pytest.param(A, id="inference")])\n'
        '@parametrize([pytest.param(B, id="single_device"),\n    # pytest.param(C, id="data_parallel"),\n])\n'
        "def test_all_models_jax():\n    pass\n"
    )
    assert read_schema(checkout)[0].jax_parameters == ("inference", "single_device")


def test_before_jax_was_tested_one_function_tested_all(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / "tests/runner/test_models.py").write_text(
        '@parametrize([pytest.param(A, id="inference")])\n'
        '@parametrize([pytest.param(B, id="single_device"),\n    # pytest.param(C, id="data_parallel"),\n])\n'
        "def test_all_models(x):\n    pass\n"
    )
    schema = read_schema(checkout)[0]
    assert schema.torch_function is Function.MODELS
    assert (schema.torch_parameters, schema.jax_parameters) == (("inference", "single_device"), ())


def test_decorators_that_do_not_tell_both_take_nothing_away(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / "tests/runner/test_models.py").write_text(
        '@parametrize([pytest.param(A, id="inference")])\n@parametrize(PARALLELISMS)\ndef test_all_models_jax(): ...\n'
    )
    assert read_schema(checkout)[0].jax_parameters == Schema().jax_parameters


def test_parameters_of_the_first_decode_tests_are_read_off_the_test_module(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    assert read_schema(checkout)[0].decode_parameters == ()
    (tmp_path / "tests/runner/test_models.py").write_text(
        "def test_all_models_torch():\n    pass\n"
        '@parametrize([pytest.param(A, id="inference")])\n'
        '@parametrize([pytest.param(B, id="single_device")])\n'
        "def test_llms_decode_torch():\n    pass\n"
    )
    schema = read_schema(checkout)[0]
    assert (schema.decode_parameters, schema.has_llm_tests) == (("inference", "single_device"), False)


def test_markers_by_group_are_read_off_the_conftest(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    conftest = tmp_path / "tests/runner/conftest.py"
    conftest.write_text("mark = pytest.mark.weekly\n")
    assert read_schema(checkout)[0].group_markers == Schema().group_markers
    conftest.write_text("def pytest_collection_modifyitems(items):\n    pytest.mark.weekly; pytest.mark.red\n")
    assert read_schema(checkout)[0].group_markers == ("red", "weekly")
    assert not read_schema(checkout)[0].has_bringup_markers
    conftest.write_text("def pytest_collection_modifyitems(items):\n    status = meta.bringup_status\n")
    assert read_schema(checkout)[0].has_bringup_markers
    conftest.write_text("def pytest_collection_modifyitems(items):\n    ...\ndef bringup_status(): ...\n")
    assert not read_schema(checkout)[0].has_bringup_markers
