# SPDX-License-Identifier: Apache-2.0
"""core.edits.texts: which file an operation is about."""

from pathlib import Path

import pytest

from core.edits.operations import Operation, OpKind, Refused
from core.edits.planning import plan
from core.edits.texts import Workspace, read_texts
from core.sources.schema import Schema

TORCH = "torch/test_config_inference_single_device.yaml"
JAX = "jax/test_config_inference_single_device.yaml"
C = "c/jax-single_device-inference"


@pytest.fixture
def workspace(test_config: Path) -> Workspace:
    return opened(test_config)


def opened(test_config: Path) -> Workspace:
    return Workspace(read_texts(test_config, Schema()), Schema())


def remove(identifier: str, file: str | None = None) -> Operation:
    return Operation(OpKind.REMOVE, identifier, file)


def test_an_id_leads_to_the_one_file_it_stands_in(workspace: Workspace) -> None:
    assert workspace.home(remove(C)).name == JAX
    assert workspace.home(remove("anything", TORCH)).name == TORCH
    assert [file.name for file in workspace.opened] == [JAX, TORCH]


def test_an_id_in_two_files_needs_one_of_their_names(test_config: Path) -> None:
    other = test_config / "jax" / "test_config_inference_data_parallel.yaml"
    other.write_text(f"test_config:\n  {C}:\n    status: UNSPECIFIED\n")
    workspace = opened(test_config)
    with pytest.raises(Refused, match=f"is in jax/test_config_inference_data_parallel.yaml and {JAX}; name"):
        workspace.home(remove(C))
    assert workspace.home(remove(C, JAX)).name == JAX


def test_a_file_that_cannot_be_read_hides_nothing(test_config: Path) -> None:
    (test_config / "torch" / "test_config_broken.yaml").write_text("test_config: [\n")
    (test_config / "torch" / "test_config_latin.yaml").write_bytes(b"# \xe9\n")
    workspace = opened(test_config)
    assert workspace.home(remove(C)).name == JAX
    with pytest.raises(Refused, match=r"no file has .*could not look into torch/test_config_broken.yaml, torch/test"):
        workspace.home(remove("nobody"))
    with pytest.raises(Refused, match="byte 2 is not UTF-8"):
        workspace.open("torch/test_config_latin.yaml")
    with pytest.raises(Refused, match=r"test_config_broken\.yaml: not valid YAML on line 2"):
        workspace.open("torch/test_config_broken.yaml")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/etc/passwd", "is not an expectation file"),
        ("../test_config_x.yaml", "is not an expectation file"),
        ("torch/../../test_config_x.yaml", "is not an expectation file"),
        ("torch/test_config_/../../x.yaml", "is not an expectation file"),
        ("torch/other.yaml", "is not an expectation file; these are test_config_\\*.yaml in torch, jax, torch_llm"),
        ("tests/test_config_x.yaml", "is not an expectation file"),
        ("torch/test_config_x\n.yaml", "is not an expectation file"),
        ("torch/test_config_absent.yaml", "there is no file"),
    ],
)
def test_only_expectation_files_are_opened(workspace: Workspace, name: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        workspace.open(name)


def test_a_link_out_of_the_directory_is_not_followed(test_config: Path) -> None:
    outside = test_config.parent / "outside.yaml"
    outside.write_text("test_config:\n  a:\n    x: 1\n")
    (test_config / "torch" / "test_config_link.yaml").symlink_to(outside)
    workspace = opened(test_config)
    with pytest.raises(Refused, match="a link to a place outside"):
        workspace.open("torch/test_config_link.yaml")


def test_no_second_entry_of_an_id_comes_about(workspace: Workspace) -> None:
    add = Operation(OpKind.ADD, C, TORCH, value={"status": "UNSPECIFIED"})
    with pytest.raises(Refused, match=f"{C} is in {JAX} already"):
        workspace.refuse_taken(add, workspace.open(TORCH))
    rename = Operation(OpKind.RENAME, "b/pytorch-single_device-inference", TORCH, to=C)
    with pytest.raises(Refused, match="already"):
        workspace.refuse_taken(rename, workspace.open(TORCH))
    workspace.refuse_taken(remove(C), workspace.open(TORCH))


def test_a_placeholder_can_be_removed_and_nothing_else(test_config: Path) -> None:
    file = "torch/test_config_placeholders.yaml"
    (test_config / file).write_text("# Planned.\nPLACEHOLDER_MODELS:\n  X y:\n    a: b\n  Z:\n    a: c\n")
    for named in (None, file):
        done = plan(test_config, [Operation(OpKind.REMOVE, "X y", named)])
        assert [edit.after for edit in done.files] == ["# Planned.\nPLACEHOLDER_MODELS:\n  Z:\n    a: c\n"]
    everything = plan(test_config, [Operation(OpKind.REMOVE, "X y"), Operation(OpKind.REMOVE, "Z")])
    assert [edit.after for edit in everything.files] == ["# Planned.\nPLACEHOLDER_MODELS:\n"]
    others = [
        Operation(OpKind.SET, "X y", file, ("status",), "EXPECTED_PASSING"),
        Operation(OpKind.RENAME, "X y", file, to="Y"),
        Operation(OpKind.MOVE, "X y", file, to="torch/test_config_training_single_device.yaml"),
        Operation(OpKind.ADD, "new", file, value={"status": "EXPECTED_PASSING"}),
        Operation(OpKind.UNSET, "X y", file, ("a",)),
    ]
    assert {one.why for one in plan(test_config, others).rejected} == {
        f"{file} lists placeholders, which can only be removed"
    }
    (no,) = plan(test_config, [Operation(OpKind.SET, "X y", None, ("reason",), "r")]).rejected
    assert no.why == "no file has an entry of this id"
    assert plan(test_config, [Operation(OpKind.REMOVE, "absent")]).rejected


def test_no_entry_is_moved_among_placeholders(test_config: Path) -> None:
    file = "torch/test_config_placeholders.yaml"
    (no,) = plan(test_config, [Operation(OpKind.MOVE, C, JAX, to=file)]).rejected
    assert no.why == f"{file} lists placeholders, which are not entries"
