# SPDX-License-Identifier: Apache-2.0
"""`area:` selects rows of all kinds by whose they are in a nightly: the directory of a test decides, not its name."""

import pytest

from core.domain.areas import AREAS, area_of
from core.matrix import index
from core.matrix.query.columns import area_column
from core.sources import Checkout
from core.sources.handwritten import ROOTS
from tests.support.cli import call
from tests.support.sample import sample_checkout

ROOTED = {
    "tests/integrations/vllm_plugin/generative/test_opt_generation.py": "vLLM",
    "tests/integrations/vllm_plugin/unit_tests/test_examples.py": "vLLM",
    "tests/integrations/vllm_plugin/test_torch_compile.py": "vLLM",
    "tests/torch/multi_host/experimental/test_far.py": "multi-host",
    "tests/examples/test_examples.py": "examples",
    "tests/torch/ops/test_add.py": "torch",
    "tests/torch/models/flux/test_flux.py": "torch",
    "tests/torch/models/vllm_like/test_perf.py": "torch",
    "tests/torch/graphs/test_example_graph.py": "torch",
    "tests/torch/training/graphs/test_jax_like.py": "torch",
    "tests/torch/quality/image_gen/test_benchmark_images.py": "torch",
    "tests/jax/single_chip/graphs/test_example_graph.py": "jax",
    "tests/jax/single_chip/ops/test_exp.py": "jax",
    "tests/jax/multi_chip/llmbox/test_torch_like.py": "jax",
    "tests/jax/multi_chip/bounties/test_pjrt_like.py": "jax",
}
"""Twins of paths that hand-written tests of tt-xla have, with names that another area would have."""
ELSEWHERE = {
    "tests/benchmark/test_vision.py": "benchmarks",
    "tests/benchmark/test_vllm_benchmarks.py": "benchmarks",
    "tests/benchmark/test_example_torch.py": "benchmarks",
    "tests/runner/test_models.py": "model tests",
    "tests/runner/test_config/torch_llm/test_jax.py": "model tests",
    "tests/pjrt/test_main.cc": "PJRT unit tests",
    "pjrt_implementation/tests/torch/client_test.cc": "PJRT unit tests",
    "pjrt": "PJRT unit tests",
    "integrations/vllm_tt/test_platform.py": "vLLM",
    "examples/pytorch/test_resnet.py": "examples",
    "tests/infra_tests/single_chip/test_torch_comparison.py": "other",
    "tests/op_by_op/test_model_test.py": "other",
    "tests/cpu_compile_only/test_cpu_compile_only.py": "other",
    "tests/torchvision/test_x.py": "other",
    "tests/test_vllm.py": "other",
}
JOBS = {
    "run_forge_models": "model tests",
    "test_full_model": "model tests",
    "run_examples_bhqb": "examples",
    "run_vllm_n300": "vLLM",
    "run_torch": "torch",
    "run_jax_multi_chip": "jax",
    "perf-benchmark": "benchmarks",
    "pjrt-unit-tests": "PJRT unit tests",
    "run_multi_host": "multi-host",
    "Build tt-xla": "other",
    "counterexamples_torchvision": "other",
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    found = sample_checkout(tmp_path_factory.mktemp("area") / "tt-xla")
    for path in ROOTED:
        file = found.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("def test_a():\n    pass\n")
    return found


@pytest.mark.parametrize(("text", "area"), [*ROOTED.items(), *ELSEWHERE.items(), *JOBS.items()])
def test_areas_of_paths_and_jobs(text: str, area: str) -> None:
    assert area_of(text) == area


def test_every_area_but_ops_is_that_of_some_path() -> None:
    assert {*ROOTED.values(), *ELSEWHERE.values(), "ops"} == {*AREAS}


def listed(checkout: Checkout, *words: str) -> list[str]:
    done = call("list", *words, "--format", "ids", "--repo", checkout.root)
    assert done.code in (0, 1), done.err
    return done.out.splitlines()


@pytest.mark.parametrize("area", sorted({*ROOTED.values()}))
def test_tests_by_hand_are_of_the_area_of_their_path(checkout: Checkout, area: str) -> None:
    expected = sorted(f"{path}::test_a" for path, found in ROOTED.items() if found == area)
    assert expected
    assert sorted(listed(checkout, f'area:"{area}"')) == expected
    assert sorted(listed(checkout, f'area:"{area}"', "--kind", "handwritten")) == expected


def test_each_row_of_every_kind_has_one_area(checkout: Checkout) -> None:
    every = listed(checkout, "", "--kind", "all")
    parts = [listed(checkout, f'area:"{area}"', "--kind", "all") for area in AREAS]
    assert sorted(id for part in parts for id in part) == sorted(every)
    assert len(every) > len(ROOTED)


def test_areas_are_found_once(checkout: Checkout) -> None:
    """Facets count them after each letter of a query, and a nightly has thousands of tests by hand."""
    matrix = index(checkout)
    assert area_column(matrix) is area_column(matrix)


def test_kinds_have_the_areas_that_they_say(checkout: Checkout) -> None:
    assert listed(checkout, 'area:"model tests" kind:op') == listed(checkout, "area:ops kind:model") == []
    assert listed(checkout, "area:model kind:model") == listed(checkout, "kind:model") != []
    assert listed(checkout, "area:ops") == listed(checkout, "kind:op") != []


def test_an_area_that_does_not_exist_is_named(checkout: Checkout) -> None:
    done = call("list", "area:vlm", "--repo", checkout.root)
    assert done.code == 64 and "vllm" in done.err.lower()


def test_each_root_of_tests_by_hand_has_an_area() -> None:
    assert "other" not in {area_of(f"{root}/test_x.py") for root in ROOTS if root != "tests/integrations"}
