# SPDX-License-Identifier: Apache-2.0
"""Markers of collected tests, source by source."""

from pathlib import Path

import pytest

from core.ci import groups
from core.ci.markers import Traits, collect, markers
from core.domain.model import Entry, Function, ModelInfo
from core.matrix import Matrix, Universe, index
from tests.support.tree import LOADERS, YAML, write_checkout

TRAITS = Traits(Function.TORCH, "single_device", "inference", "generality", skipped=False)
DECORATORS = {"model_test", "no_auto_properties", "parametrize"}
PLACEHOLDERS = "PLACEHOLDER_MODELS:\n  org/Some Model:\n    bringup_status: NOT_STARTED\n"


def _entry(**fields: object) -> Entry:
    return Entry("an-id", "torch/test_config_x.yaml", 1, 1, fields)


def _found(entry: Entry | None = None, arch: str | None = None, **traits: object) -> frozenset[str]:
    found = markers(TRAITS._replace(**traits), entry, arch)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_a_test_without_entry() -> None:
    assert _found() == DECORATORS | {
        "single_device",
        "inference",
        "unspecified",
        "generality",
        "weekly",
        "n150",
        "p150",
    }


@pytest.mark.parametrize(
    ("group", "wanted"),
    [
        ("red", {"red", "nightly"}),
        ("priority", {"nightly"}),
        ("generality", {"generality", "weekly"}),
        ("vulcan", {"vulcan", "weekly"}),
        (None, set()),
    ],
)
def test_group_and_schedule(group: str | None, wanted: set[str]) -> None:
    assert _found(group=group) & {"red", "priority", "generality", "vulcan", "nightly", "weekly"} == wanted


def test_a_checkout_gives_the_group_markers_it_knows() -> None:
    assert _found(by_group=("red", "nightly", "weekly")) & {"generality", "weekly"} == {"weekly"}
    assert _found(by_group=()).isdisjoint({"generality", "weekly"})
    assert "weekly" in _found(_entry(markers=["weekly"]), by_group=())


def test_a_written_schedule_replaces_that_of_the_group_and_push_does_not() -> None:
    assert "weekly" not in _found(_entry(markers=["nightly", "large"]))
    assert {"nightly", "large", "generality"} <= _found(_entry(markers=["nightly", "large"]))
    assert {"push", "weekly"} <= _found(_entry(markers="push"))


def test_values_are_those_of_the_arch() -> None:
    entry = _entry(
        status="EXPECTED_PASSING",
        markers=["push"],
        arch_overrides={
            "n150": {"status": "KNOWN_FAILURE_XFAIL", "markers": ["nightly"], "bringup_status": "FAILED_RUNTIME"}
        },
    )
    assert {"expected_passing", "push", "weekly"} <= _found(entry)
    on_n150 = _found(entry, "n150")
    assert {"known_failure_xfail", "nightly", "failed_runtime"} <= on_n150
    assert on_n150.isdisjoint({"expected_passing", "push", "weekly"})
    assert "failed_runtime" not in _found(entry, "n150", by_bringup=False)


def test_archs_with_hyphens_have_both_forms() -> None:
    found = _found(_entry(supported_archs=["n300-llmbox", "p150"]))
    assert {"n300-llmbox", "n300_llmbox", "p150"} <= found
    assert found.isdisjoint({"n150", "n300"})
    assert {"n150", "p150"} <= _found(_entry(supported_archs=[]))


def test_excluded_tests_are_deselected_where_they_are_excluded() -> None:
    entry = _entry(status="EXPECTED_PASSING", arch_overrides={"n150": {"status": "EXCLUDE_MODEL"}})
    assert markers(TRAITS, entry, "n150") is None
    assert markers(TRAITS, entry, None) is not None


def test_a_placeholder_has_its_decorators_only() -> None:
    assert _found(function=Function.PLACEHOLDER, group="red") == DECORATORS | {"placeholder"}


def test_llm_tests_and_op_by_op_twins() -> None:
    assert "llm" in _found(function=Function.LLM)
    assert _found(function=Function.OP_BY_OP) == _found()
    assert _found(function=Function.LLM_DECODE) == _found() | {"llm_decode"}


def test_the_skip_of_the_conftest_is_a_marker_on_its_arch() -> None:
    assert "skip" in _found(arch="lb-blackhole", skipped=True)
    assert "skip" not in _found(arch="n150", skipped=True)
    assert "skip" not in _found(arch="lb-blackhole")


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    yaml = YAML | {"torch/test_config_placeholders.yaml": PLACEHOLDERS}
    return index(write_checkout(tmp_path, LOADERS, yaml), Universe.COLLECTED)


def test_collect_sorts_every_known_row_by_its_traits(matrix: Matrix) -> None:
    collection = collect(matrix, lambda id: "red" if id.startswith("beta/") else None, ["gamma/jax-Base-single"])

    def traits(id: str) -> list[tuple[object, ...]]:
        return [tuple(one)[:5] for one in collection.traits[matrix.rows[id]]]

    assert traits("alpha/pytorch-tiny-single_device-training") == [
        (Function.TORCH, "single_device", "training", None, False),
        (Function.OP_BY_OP, "single_device", "training", None, False),
    ]
    assert traits("gamma/jax-Base-single_device-inference")[0] == (
        Function.JAX,
        "single_device",
        "inference",
        None,
        True,
    )
    llm = "beta/causal_lm/pytorch-1B-llm_prefill-seq_128-batch_1-fsdp-dp-tensor_parallel-mesh_2x2-inference"
    assert traits(llm) == [(Function.LLM, "tensor_parallel", "inference", "red", False)]
    assert traits("org/Some Model") == [(Function.PLACEHOLDER, "", "", None, False)]
    assert matrix.rows["alpha/pytorch-gone-single_device-training"] not in collection.traits
    listed = sorted(row for rows in collection.rows.values() for row in rows)
    assert listed == sorted(row for row, found in collection.traits.items() for _ in found)


def test_the_group_is_asked_for_once_a_model_and_phase(matrix: Matrix) -> None:
    asked: list[str] = []
    collect(matrix, asked.append)
    # alpha has three variants, gamma and delta one; beta has two of each of the plain and decode tests, one of prefill.
    assert len(asked) == 3 + 1 + 1 + 2 + 2 + 1


def test_groups_by_directory_and_variant() -> None:
    info = ModelInfo(model="m", variant="x", group="vulcan", task="t", source="s", framework="pytorch")
    group_of = groups({("a/pytorch", "x-1"): info, ("b/jax", None): info})
    assert group_of("a/pytorch-x-1-single_device-inference") == "vulcan"
    assert group_of("a/pytorch-x-1-llm_decode-seq_1-batch_1-single_device-mesh_default-inference") == "vulcan"
    assert group_of("b/jax-data_parallel-training") == "vulcan"
    assert group_of("a/pytorch-x-single_device-inference") is None
    assert group_of("org/Some Model") is None
