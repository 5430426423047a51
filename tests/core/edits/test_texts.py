# SPDX-License-Identifier: Apache-2.0
"""The texts that operations are planned on."""

from pathlib import Path

import pytest

from core.edits.operations import Operation, OpKind
from core.edits.planning import Planner, plan_texts
from core.edits.texts import FileTexts, read_texts, texts_of
from core.sources.expectations import parse_expectations
from core.sources.schema import Schema
from core.sources.yaml_syntax import MOST_CHARACTERS, compose_yaml

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
