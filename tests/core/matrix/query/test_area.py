# SPDX-License-Identifier: Apache-2.0
"""`area:` selects rows of all kinds by whose they are in a nightly."""

import pytest

from core.domain.areas import area_of
from core.sources import Checkout
from tests.support.cli import call
from tests.support.sample import sample_checkout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    found = sample_checkout(tmp_path_factory.mktemp("area") / "tt-xla")
    for path in (
        "tests/integrations/vllm_plugin/test_generation.py",
        "tests/examples/test_examples.py",
        "tests/torch/multi_host/test_far.py",
        "tests/torch/test_near.py",
        "tests/jax/test_exp.py",
    ):
        file = found.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("def test_a():\n    pass\n")
    return found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("area:vllm", "tests/integrations/vllm_plugin/test_generation.py::test_a"),
        ("area:examples", "tests/examples/test_examples.py::test_a"),
        ("area:multi-host", "tests/torch/multi_host/test_far.py::test_a"),
        ("area:torch", "tests/torch/test_near.py::test_a"),
        ("area:jax", "tests/jax/test_exp.py::test_a"),
    ],
)
def test_tests_by_hand_are_of_the_area_of_their_path(checkout: Checkout, query: str, found: str) -> None:
    words = "list", query, "--format", "ids", "--repo", checkout.root
    assert call(*words).out.split() == [found]
    assert call(*words, "--kind", "handwritten").out.split() == [found]


def test_each_row_has_one_area(checkout: Checkout) -> None:
    def count(query: str) -> int:
        done = call("list", query, "--format", "ids", "--repo", checkout.root)
        assert done.code in (0, 1), done.err
        return len(done.out.splitlines())

    assert count('area:"model tests" kind:op') == count("area:ops kind:model") == 0
    assert count("area:model kind:model") == count("kind:model") > 0
    assert count("area:ops") == count("kind:op") > 0
    assert count("area:pjrt") == 0


def test_an_area_that_does_not_exist_is_named(checkout: Checkout) -> None:
    done = call("list", "area:vlm", "--repo", checkout.root)
    assert done.code == 64 and "vllm" in done.err.lower()


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("tests/torch/models/vllm_like/test_x.py", "vLLM"),
        ("pjrt::Client::Compiles", "PJRT unit tests"),
        ("tests/benchmark/test_vision.py", "benchmarks"),
        ("run_examples_bhqb", "examples"),
        ("run_forge_models", "model tests"),
        ("tests/torchvision/test_x.py", "other"),
    ],
)
def test_areas_of_paths_and_jobs(text: str, area: str) -> None:
    assert area_of(text) == area
