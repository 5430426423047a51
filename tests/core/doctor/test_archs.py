# SPDX-License-Identifier: Apache-2.0
"""Unknown archs, and overrides for archs on which the test does not run."""

import pytest

from core.doctor.archs import DEAD_OVERRIDE, DEFAULT_ARCH, UNKNOWN_ARCH
from tests.support.findings import Find

ID = "alpha/pytorch-tiny-single_device-inference"
PASSING = f"  {ID}:\n    status: EXPECTED_PASSING\n"


def test_an_item_of_supported_archs(find: Find) -> None:
    (one,) = find(UNKNOWN_ARCH, PASSING + "    supported_archs: [n150, n300_llmbox, N150]\n")[:1]
    assert (one.line, one.column) == (4, 29)
    assert one.message == "There is no arch 'n300_llmbox'; did you mean n300-llmbox?"
    assert [op["value"] for op in one.fix] == [["n150", "n300-llmbox"]]


def test_a_single_text_is_a_list_of_one(find: Find) -> None:
    (one,) = find(UNKNOWN_ARCH, PASSING + "    supported_archs: lb_blackhole\n")
    assert [op["value"] for op in one.fix] == [["lb-blackhole"]]


@pytest.mark.parametrize("arch", ["p100", "n1500", "moon"])
def test_another_number_is_another_arch(find: Find, arch: str) -> None:
    (one,) = find(UNKNOWN_ARCH, f"{PASSING}    supported_archs: [{arch}]\n")
    assert one.fix == ()
    assert "archs are n150, p150, n300" in one.message


def test_an_override_moves_to_the_arch_that_was_meant(find: Find) -> None:
    yaml = PASSING + "    supported_archs: [n300-llmbox]\n    arch_overrides:\n      n300_llmbox:\n        reason: x\n"
    (one,) = find(UNKNOWN_ARCH, yaml)
    assert (one.line, one.column) == (6, 7)
    assert [op["path"] for op in one.fix] == [
        ["arch_overrides", "n300-llmbox", "reason"],
        ["arch_overrides", "n300_llmbox"],
    ]


@pytest.mark.parametrize("lines", ["", "      p150:\n        reason: y\n"])
def test_an_override_does_not_move_to_where_it_is_dead_or_the_place_is_taken(find: Find, lines: str) -> None:
    arch = "P150" if lines else "n300_llmbox"
    (one,) = find(UNKNOWN_ARCH, f"{PASSING}    arch_overrides:\n      {arch}:\n        reason: x\n{lines}")
    assert one.fix == ()


def test_each_dead_override_is_a_finding_at_its_arch(find: Find) -> None:
    yaml = PASSING + (
        "    supported_archs: [p150]\n    arch_overrides:\n      n150:\n        reason: x\n"
        "      p150:\n        reason: y\n      galaxy-bh:\n        reason: z\n"
    )
    found = find(DEAD_OVERRIDE, yaml)
    assert [(one.line, one.column) for one in found] == [(6, 7), (10, 7)]
    assert "marked for p150 only" in found[0].message
    assert [op["path"] for op in found[0].fix] == [["arch_overrides", "n150"]]


def test_an_override_can_make_itself_supported(find: Find) -> None:
    yaml = PASSING + "    arch_overrides:\n      n300:\n        supported_archs: [n300]\n"
    assert find(DEAD_OVERRIDE, yaml) == []


def test_where_only_dead_overrides_have_a_status_the_archs_are_wrong_and_nothing_is_offered(find: Find) -> None:
    yaml = f"  {ID}:\n    arch_overrides:\n      n300:\n        status: EXPECTED_PASSING\n"
    (one,) = find(DEAD_OVERRIDE, yaml)
    assert one.fix == ()


def test_an_unknown_arch_is_not_dead_as_well(find: Find) -> None:
    assert find(DEAD_OVERRIDE, PASSING + "    arch_overrides:\n      moon:\n        reason: x\n") == []


@pytest.mark.parametrize(
    ("id", "fields", "found"),
    [
        ("alpha/pytorch-tiny-tensor_parallel-inference", "status: EXPECTED_PASSING", True),
        ("alpha/pytorch-tiny-data_parallel-inference", "status: KNOWN_FAILURE_XFAIL", True),
        ("alpha/pytorch-tiny-data_parallel-inference", "required_pcc: 0.98", True),
        ("alpha/pytorch-tiny-tensor_parallel-inference", "{status: EXPECTED_PASSING, supported_archs: [n300]}", False),
        ("alpha/pytorch-tiny-tensor_parallel-inference", "status: NOT_SUPPORTED_SKIP", True),
        ("alpha/pytorch-tiny-tensor_parallel-inference", "status: EXCLUDE_MODEL", False),
        ("alpha/pytorch-tiny-single_device-inference", "status: EXPECTED_PASSING", False),
    ],
)
def test_a_test_for_several_chips_on_machines_of_one(find: Find, id: str, fields: str, found: bool) -> None:
    name = "torch/test_config_inference_tensor_parallel.yaml"
    assert bool(find(DEFAULT_ARCH, {name: f"  {id}:\n    {fields}\n"})) is found
