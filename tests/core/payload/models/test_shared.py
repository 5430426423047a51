# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.shared: variants share what is imported, and nothing else."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.payload.conftest import Payload

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
    pytest.mark.slow("interpreters load torch"),
]

LOADER = """
import os, sys
from tt_forge_models.config import StrEnum
import torch

print("imported by", os.getpid())
SEEN = []

class ModelVariant(StrEnum):
    A = "A"
    B = "B=b"
    C = "C"

class ModelLoader:
    _VARIANTS = {ModelVariant.A: None, ModelVariant.B: None, ModelVariant.C: None}

    def __init__(self, variant=None):
        self.variant = variant

    @classmethod
    def query_available_variants(cls):
        return cls._VARIANTS

    def load_model(self, dtype_override=None):
        SEEN.append(str(self.variant.value))
        print("seen", SEEN, "in", os.getpid())
        if self.variant is ModelVariant.A:
            os.abort()
        model = torch.nn.Linear(3, 2)
        return model.to(dtype_override) if dtype_override else model

    def load_inputs(self, dtype_override=None):
        if self.variant is ModelVariant.C:
            raise ValueError("no inputs")
        return torch.ones(1, 3, dtype=dtype_override)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    models = tmp_path / "third_party/tt_forge_models"
    (models / "tiny/pytorch").mkdir(parents=True)
    (models / "config.py").write_text("from enum import Enum\n\n\nclass StrEnum(str, Enum):\n    pass\n")
    (models / "tiny/pytorch/loader.py").write_text(LOADER)
    return tmp_path


def run(payload: Payload, checkout: Path, *options: str) -> tuple[int, str, list[dict[str, Any]]]:
    code, output = payload([f"--checkout={checkout}", "--loader=tiny/pytorch", "--mode=inference", *options])
    lines = [line for line in output.splitlines() if line.startswith("TTMATRIX-RESULT ")]
    return code, output, [json.loads(line.partition(" ")[2]) for line in lines]


def test_each_variant_has_its_own_process_and_result_and_the_imports_are_made_once(
    checkout: Path, payload: Payload
) -> None:
    code, out, results = run(payload, checkout, "--variant=B=b", "--nonce=3", "--also=r1=1=A", "--also=r2=2=C")
    # A aborted: it has no result, and does not affect the others.
    assert [(one["nonce"], one["phases"][0]["ok"]) for one in results] == [("2", False), ("3", True)]
    assert code == 0
    assert out.count("imported by") == 1
    assert "seen ['C'] in" in out
    assert "seen ['B=b'] in" in out
    assert len({line.rpartition(" ")[2] for line in out.splitlines() if line.startswith("seen")}) == 3


def test_it_ends_as_the_variant_that_was_asked_for_does(checkout: Path, payload: Payload) -> None:
    code, _, results = run(payload, checkout, "--variant=A", "--nonce=2", "--also=r1=1=B=b")
    assert code == -6
    assert [one["nonce"] for one in results] == ["1"]
    code, _, results = run(payload, checkout, "--variant=C", "--nonce=2", "--also=r1=1=none such")
    assert code == 1
    assert [(one["problem"] or {}).get("kind") for one in results] == ["unknown-variant", None]


def test_a_loader_that_cannot_be_imported_says_so_for_each(checkout: Path, payload: Payload) -> None:
    (checkout / "third_party/tt_forge_models/tiny/pytorch/loader.py").write_text("raise ValueError('broken')\n")
    code, _, results = run(payload, checkout, "--variant=A", "--nonce=2", "--also=r1=1=C")
    assert code == 1
    assert [(one["phases"][0]["step"], one["phases"][0]["error"]) for one in results] == [("import", "broken")] * 2
