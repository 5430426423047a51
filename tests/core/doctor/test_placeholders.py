# SPDX-License-Identifier: Apache-2.0
"""Placeholders whose model exists now."""

import json
from pathlib import Path

import pytest

from core.doctor.placeholders import PLACEHOLDER_CLASH
from core.edits import parse_operations, plan
from core.edits.placeholders import checkpoint_variants
from core.matrix import index
from core.model import Finding
from tests.support.tree import INFERENCE, LOADERS, write_checkout

LOADER = """\
from enum import Enum
class Names(Enum):
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
    return list(PLACEHOLDER_CLASH.find(index(write_checkout(root, LOADERS | {"some/pytorch": LOADER}, yaml))))


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
        ("org/Some-Big-2", "some/pytorch-Small-single_device-inference", "EXPECTED_PASSING"),
        ("org/Some-Big-2", "some/pytorch-Big_2-single_device-inference", "EXCLUDE_MODEL"),
        ("org/Tokenizer", "some/pytorch-Small-single_device-inference", "EXPECTED_PASSING"),
        ("org/Other", "some/pytorch-Small-single_device-inference", "EXPECTED_PASSING"),
        ("Alphabet", "alpha/pytorch-tiny-single_device-inference", "EXPECTED_PASSING"),
    ],
)
def test_another_model_or_one_that_is_not_reported_is_no_clash(tmp_path: Path, key: str, id: str, status: str) -> None:
    assert _clashes(tmp_path, key, id, status) == []


def test_variants_of_a_checkpoint() -> None:
    assert checkpoint_variants(LOADER, "org/Some-Small") == {"Small"}
    assert checkpoint_variants(LOADER, "org/Tokenizer") == set()
