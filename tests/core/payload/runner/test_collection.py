# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.collection: what pytest collects, and that one id costs one import."""

from pathlib import Path

import pytest

from core.matrix import Universe, index
from core.matrix.universe import functions
from core.sources import Checkout as Real
from tests.support.sample import sample_checkout

from .conftest import LOADER, MODULE, Checkout


def test_order_and_names_are_upstreams(checkout: Checkout) -> None:
    checkout.loader("b/pytorch")
    checkout.loader("a/jax")
    (checkout.config / "torch/test_config_placeholders.yaml").write_text("PLACEHOLDER_MODELS: {Some Model: }")
    ids = checkout.run("--collect-only", "-q").ids()
    assert ids[:3] == [
        "test_all_models_torch[b/pytorch-Base-single_device-inference]",
        "test_all_models_torch[b/pytorch-Base-single_device-training]",
        "test_all_models_torch[b/pytorch-Base-data_parallel-inference]",
    ]
    functions = list(dict.fromkeys(id.partition("[")[0] for id in ids))
    assert functions == [
        "test_all_models_torch",
        "test_all_models_jax",
        "test_all_models_op_by_op",
        "test_placeholder_models",
    ]
    assert ids[-1] == "test_placeholder_models[Some Model]"


def test_one_id_imports_one_loader(checkout: Checkout) -> None:
    checkout.loader("a/pytorch", "raise AssertionError('imported')\n")
    checkout.loader("b/pytorch")
    name = "test_all_models_torch[b/pytorch-v1.5/Large-2-single_device-training]"
    done = checkout.run("--collect-only", "-q", f"{MODULE}::{name}")
    assert done.ids() == [name]
    assert "cannot be imported" not in done.output


def test_an_unknown_id_is_an_error_with_a_hint(checkout: Checkout) -> None:
    checkout.loader("b/pytorch")
    done = checkout.run(f"{MODULE}::test_all_models_torch[b/pytorch-Bass-single_device-inference]")
    assert done.code == 4
    assert "closest: test_all_models_torch[b/pytorch-Base-single_device-inference]" in done.output
    checkout.loader("c/pytorch", "import no_such_package\n")
    done = checkout.run(f"{MODULE}::test_all_models_torch[c/pytorch-X-single_device-inference]")
    assert done.code == 4
    assert "cannot import c/pytorch: ModuleNotFoundError" in done.output


def test_excluded_tests_are_deselected(checkout: Checkout) -> None:
    checkout.loader("b/pytorch")
    id = "b/pytorch-Base-single_device-inference"
    checkout.entries({id: {"arch_overrides": {"n150": {"status": "EXCLUDE_MODEL"}}}})
    assert checkout.run("--collect-only", "-q", f"{MODULE}::test_all_models_torch[{id}]").code == 0
    done = checkout.run("--arch=n150", "--collect-only", "-q")
    assert len(done.ids()) == 2 * 8 - 2, "its op-by-op twin goes as well"
    assert checkout.run("--arch=n150", f"{MODULE}::test_all_models_torch[{id}]").code == 5


def test_expressions_select_by_marker_and_name(checkout: Checkout) -> None:
    checkout.loader("b/pytorch")
    checkout.entries(
        {"b/pytorch-Base-single_device-training": {"markers": ["own"], "supported_archs": ["n300-llmbox"]}}
    )
    assert (
        len(checkout.run("--collect-only", "-q", "-m", "own and n300-llmbox and weekly", "--strict-markers").ids()) == 2
    )
    assert checkout.run("--collect-only", "-q", "-k", "large and tensor").ids() == [
        f"test_all_models_torch[b/pytorch-v1.5/Large-2-tensor_parallel-{mode}]" for mode in ("inference", "training")
    ]


def test_a_bad_entry_ends_the_collection_with_its_place(checkout: Checkout) -> None:
    checkout.loader("b/pytorch")
    checkout.entries({"b/pytorch-Base-single_device-training": {"optimization_level": 7}})
    done = checkout.run("--collect-only")
    assert done.code == 2
    assert "b/pytorch-Base-single_device-training: optimization_level must be 0, 1 or 2" in done.output


def test_other_tests_are_collected_as_ever(checkout: Checkout) -> None:
    checkout.loader("b/pytorch", LOADER)
    (checkout.root / "test_other.py").write_text("def test_it(): pass\n")
    done = checkout.run("--collect-only", "-q", "test_other.py", f"{MODULE}::test_all_models_torch")
    assert "test_other.py::test_it" in done.output
    assert len(done.ids()) == 12
    assert checkout.run("--collect-only", "-q", "test_other.py").ids() == []


def test_the_plugin_and_the_matrix_agree_on_every_id_of_the_sample(checkout: Checkout, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    sample: Real = sample_checkout(tmp_path / "sample")
    matrix = index(sample, Universe.COLLECTED)
    wanted = {
        f"{function}[{member.id}]" for member in matrix.members() for function in functions(member, matrix.schema)
    }
    checkout.root = sample.root
    done = checkout.run("--collect-only", "-q")
    excluded = {
        f"{function}[mlp_mixer_tiny/pytorch-B_8-single_device-inference]"
        for function in ("test_all_models_torch", "test_all_models_op_by_op")
    }
    jax = {name for name in wanted if "/jax-" in name} if "mlp_classifier/jax: Module" in done.output else set()
    assert "spot_detector/pytorch: ImportError" in done.output
    assert set(done.ids()) == wanted - excluded - jax
