# SPDX-License-Identifier: Apache-2.0
"""Placeholders whose model exists now."""

import json
from pathlib import Path

import pytest

from core.doctor.placeholders import clashes
from core.domain.model import Finding
from core.edits import PlannedModel, models_named, nearest_models, parse_operations, plan, read_models
from core.matrix import Matrix, index
from core.sources import read_model_infos
from tests.support.tree import INFERENCE, LOADERS, loader_source, write_checkout

LOADER = """\
from enum import StrEnum
from somewhere import Config
class Names(StrEnum):
    BIG = "Big_2"
    SMALL = "Small"
class ModelLoader:
    _VARIANTS = {
        Names.BIG: Config(pretrained_model_name="org/Some-Big-2", tokens=4),
        Names.SMALL: Config(pretrained_model_name="org/Some-Small"),
    }
    tokenizer = "org/Tokenizer"
"""
PLACEHOLDERS = """\
PLACEHOLDER_MODELS:
  {}:
    bringup_status: NOT_STARTED
"""


def _clashes(root: Path, key: str, id: str, status: str = "EXPECTED_PASSING") -> list[Finding]:
    yaml = {
        INFERENCE: f"test_config:\n  {id}:\n    status: {status}\n",
        "torch/test_config_placeholders.yaml": PLACEHOLDERS.format(key),
    }
    matrix = index(write_checkout(root, LOADERS | {"some/pytorch": LOADER}, yaml))
    return list(clashes(matrix, _models(matrix)))


def _models(matrix: Matrix) -> tuple[PlannedModel, ...]:
    return read_models(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))


def test_the_checkpoint_of_a_variant_with_an_entry(tmp_path: Path) -> None:
    id = "some/pytorch-Big_2-single_device-inference"
    (one,) = _clashes(tmp_path, "org/Some-Big-2", id)
    assert (one.file, one.line, one.column, one.id) == (
        "tests/runner/test_config/torch/test_config_placeholders.yaml",
        2,
        3,
        "org/Some-Big-2",
    )
    assert f"{INFERENCE}:2 has {id}" in one.message
    file = "torch/test_config_placeholders.yaml"
    assert one.fix == ({"op": "remove", "id": "org/Some-Big-2", "file": file},)
    planned = plan(tmp_path / "tests/runner/test_config", parse_operations(json.dumps(one.fix)))
    assert (planned.rejected, [edit.after for edit in planned.files]) == ((), ["PLACEHOLDER_MODELS:\n"])


def test_the_name_of_a_model_directory(tmp_path: Path) -> None:
    assert _clashes(tmp_path, "ALPHA", "alpha/pytorch-tiny-single_device-inference")


@pytest.mark.parametrize(
    ("key", "id", "status"),
    [
        ("org/Some-Big-2", "some/pytorch-Big_2-single_device-inference", "EXCLUDE_MODEL"),
        ("org/Tokenizer", "some/pytorch-Small-single_device-inference", "EXPECTED_PASSING"),
        ("org/Other", "some/pytorch-Small-single_device-inference", "EXPECTED_PASSING"),
        ("Alphabet", "alpha/pytorch-tiny-single_device-inference", "EXPECTED_PASSING"),
    ],
)
def test_another_model_or_one_that_is_not_reported_is_no_clash(tmp_path: Path, key: str, id: str, status: str) -> None:
    assert _clashes(tmp_path, key, id, status) == []


def test_a_loader_without_an_entry_is_named(tmp_path: Path) -> None:
    (one,) = _clashes(tmp_path, "org/Some-Big-2", "some/pytorch-Small-single_device-inference")
    assert "The model has a loader now: some/pytorch." in one.message
    assert one.fix == ()


@pytest.mark.parametrize(
    ("key", "directory", "variants", "found"),
    [
        ("Gemma 3 27B", "gemma3/multimodal/pytorch", ["google/gemma-3-27b-it"], True),
        ("Gemma 3 9B", "gemma3/multimodal/pytorch", ["google/gemma-3-27b-it"], False),
        ("google/gemma-3-27b", "gemma3/multimodal/pytorch", ["27B_IT"], True),
        ("openai/gpt-oss-20b", "gpt_oss/pytorch", ["20B"], True),
        ("openai/gpt-oss-120b", "gpt_oss/pytorch", ["20B"], False),
        ("oft-net", "oft/pytorch", [], True),
        ("Open VLA", "openvla/pytorch", [], True),
        ("RT-Detr", "rt_detr/pytorch", [], True),
        ("3D_DenseUNet", "dense_unet_3d/pytorch", [], True),
        ("Isaac GROOT", "issac_groot/pytorch", [], True),
        ("WhisperX", "whisper/pytorch", ["Tiny"], False),
        ("Yolov3_416", "yolov3/pytorch", [], False),
        ("DeepSeek-V3", "deepseek/coder/pytorch", ["1.3B"], False),
        ("Command A Reasoning", "command/pytorch", ["command-a-reasoning-08-2025"], True),
        ("mistralai/Mistral-Large-Instruct-2411", "mistral/pytorch", ["large_instruct_2411"], True),
    ],
)
def test_names_as_people_write_them(tmp_path: Path, key: str, directory: str, variants: list[str], found: bool) -> None:
    yaml = {"torch/test_config_placeholders.yaml": PLACEHOLDERS.format(key)}
    matrix = index(write_checkout(tmp_path, {directory: loader_source(variants)}, yaml))
    models = _models(matrix)
    assert bool(list(models_named(key, models))) is found
    assert bool(list(clashes(matrix, models))) is found
    assert directory in (*nearest_models(key, models), *(one.base for one in models))


def test_a_loader_without_variants_is_known_by_the_checkpoint_in_its_code(tmp_path: Path) -> None:
    source = 'class ModelLoader:\n    def load_model(self):\n        return load("mistral-community/pixtral-12b")\n'
    matrix = index(write_checkout(tmp_path, {"mistral/pixtral/pytorch": source}, {}))
    assert list(models_named("mistralai/Pixtral-12B-2409", _models(matrix))) == ["mistral/pixtral/pytorch"]


def test_tests_by_hand(tmp_path: Path) -> None:
    yaml = {"torch/test_config_placeholders.yaml": PLACEHOLDERS.format("SURYA OCR")}
    checkout = write_checkout(tmp_path, LOADERS, yaml)
    test = checkout.root / "tests/torch/models/surya_ocr/test_surya.py"
    test.parent.mkdir(parents=True)
    test.write_text("def test_a(): ...\n")
    (one,) = clashes(index(checkout), ())
    assert "tests by hand now: tests/torch/models/surya_ocr" in one.message
