# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.tt: the compiler's options, and what is missing without a device."""

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
tt: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.tt")
Settings: Any = importlib.import_module("core.payload.ttmatrix_payload.execute").Settings


def test_options_have_the_names_of_the_compiler(tmp_path: Path) -> None:
    backend = tt.Tenstorrent()
    assert backend.compile_options(Settings()) == {}
    asked = Settings(optimization_level=2, weight_bfp8=True, serialize_to=tmp_path)
    assert backend.compile_options(asked) == {
        "optimization_level": "2",
        "experimental_weight_dtype": "bfp_bf8",
        "export_path": str(tmp_path),
    }


def test_a_device_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tt.importlib.util, "find_spec", lambda _: object())
    monkeypatch.setattr(tt, "NODES", tmp_path)
    assert tt.Tenstorrent().missing() == f"there is no device at {tmp_path}"
    (tmp_path / "0").touch()
    assert tt.Tenstorrent().missing() is None
