# SPDX-License-Identifier: Apache-2.0
"""core.edits.texts: the texts that operations are planned on, and which file an operation is about."""

from pathlib import Path

import pytest

from core.edits import Operation, OpKind, Planner, plan
from core.edits.operations import Refused
from core.edits.planning import plan_texts
from core.edits.texts import FileTexts, Workspace, read_texts, texts_of
from core.sources import MOST_CHARACTERS, Schema, compose_yaml, parse_expectations

TORCH = "torch/test_config_inference_single_device.yaml"
JAX = "jax/test_config_inference_single_device.yaml"
PLACEHOLDERS = "torch/test_config_placeholders.yaml"
A = "a/pytorch-One-single_device-inference"


def test_files_come_in_the_order_in_which_they_are_merged(test_config: Path) -> None:
    texts = read_texts(test_config, Schema())
    assert list(texts.names(Schema())) == [TORCH, PLACEHOLDERS, JAX]
    assert texts.texts[TORCH] == (test_config / TORCH).read_text()
    assert not texts.unreadable


def test_what_cannot_be_read_says_why(test_config: Path) -> None:
    (test_config / "torch/test_config_gone.yaml").symlink_to(test_config / "nowhere")
    (test_config / "torch/test_config_latin.yaml").write_bytes(b"\xe9")
    (test_config / "torch/test_config_long.yaml").write_bytes(b"#" * (MOST_CHARACTERS + 1))
    texts = read_texts(test_config, Schema())
    why = {name.rpartition("_")[2]: texts.unreadable[name] for name in texts.unreadable}
    assert why["gone.yaml"] == "there is no file torch/test_config_gone.yaml"
    assert "byte 0 is not UTF-8" in why["latin.yaml"]
    assert "characters" in why["long.yaml"]
    found = {file.name: file for file in texts.parsed(Schema())}
    assert all(found[name].findings[0].kind == "broken-yaml" for name in texts.unreadable)
    assert found[TORCH].entries[0].id == A


def test_what_has_the_same_text_is_not_parsed_again(test_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_texts(test_config, Schema()).parsed(Schema())
    (test_config / JAX).write_text((test_config / JAX).read_text() + "# mine\n")
    parsed: list[str] = []

    def counting(text: str) -> object:
        parsed.append(text)
        return compose_yaml(text)

    monkeypatch.setattr("core.sources.expectations.compose_yaml", counting)
    texts = read_texts(test_config, Schema(), before)
    after = {file.name: file for file in texts.parsed(Schema())}
    assert parsed == [(test_config / JAX).read_text()]
    assert after[TORCH] is before[0]
    assert texts.entries(TORCH) == before[0].entries
    assert texts.entries(JAX) is None


def test_placeholders_are_entries_that_can_be_removed() -> None:
    text = "PLACEHOLDER_MODELS:\n  X:\n    a: b\n"
    texts = texts_of({PLACEHOLDERS: text}, [parse_expectations(text, PLACEHOLDERS, placeholder=True)])
    found = texts.entries(PLACEHOLDERS)
    assert found is not None
    assert [(entry.id, entry.fields) for entry in found] == [("X", {"a": "b"})]


def test_planning_needs_no_files() -> None:
    texts = texts_of({TORCH: f"test_config:\n  {A}:\n    status: EXPECTED_PASSING\n"})
    operation = Operation(OpKind.SET, A, path=("status",), value="EXCLUDE_MODEL")
    (edit,) = plan_texts(texts, [operation], Schema()).files
    assert edit.after == f"test_config:\n  {A}:\n    status: EXCLUDE_MODEL\n"


def test_the_same_is_planned_once_and_what_differs_is_not_the_same() -> None:
    texts, planner = FileTexts({TORCH: f"test_config:\n  {A}:\n    required_pcc: 0.9\n"}), Planner()

    def setting(value: object) -> list[Operation]:
        return [Operation(OpKind.SET, A, path=("required_pcc",), value=value)]

    first = planner.plan(texts, setting(1), Schema())
    assert planner.plan(FileTexts(dict(texts.texts)), setting(1), Schema()) is first
    # In Python the two values are equal, in YAML they are not.
    assert planner.plan(texts, setting(1.0), Schema()).files[0].after.endswith(" 1.0\n")
    assert planner.plan(texts_of({TORCH: "test_config:\n"}), setting(1), Schema()).rejected
    assert planner.plan(texts, setting(1), Schema()._replace(fields=())).rejected


C = "c/jax-single_device-inference"


@pytest.fixture
def workspace(test_config: Path) -> Workspace:
    return opened(test_config)


def opened(test_config: Path) -> Workspace:
    return Workspace(read_texts(test_config, Schema()), Schema())


def remove(identifier: str, file: str | None = None) -> Operation:
    return Operation(OpKind.REMOVE, identifier, file)


def test_an_id_leads_to_the_one_file_it_is_in(workspace: Workspace) -> None:
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
    why = (
        r"no file that can be read has .*torch/test_config_broken.yaml: not valid YAML.*latin.yaml: byte 2 is not UTF-8"
    )
    with pytest.raises(Refused, match=why):
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
