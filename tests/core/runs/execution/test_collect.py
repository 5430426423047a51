# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.conclude: programs that upstream's options leave in the checkout are saved with their run."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.runs.execution.conclude import collect_programs
from core.runs.ir import Stage, programs
from core.runs.store.record import fold
from tests.core.runs.store.test_record import SPEC


def test_what_this_run_wrote_is_copied(tmp_path: Path) -> None:
    checkout, directory = tmp_path / "checkout", tmp_path / "runs" / "run"
    spec = replace(
        SPEC, run_id="run", test_id="a/pytorch-x-single_device-inference", cwd=checkout,
        argv=("pytest", "--compile-option=export_path=exported"),
    )  # fmt: skip
    own = f"{spec.function.value}_a_pytorch_x_single_device_inference"
    written = {
        f"output_artifact/{own}_ttir.mlir": True,
        f"output_artifact/{own}.ttnn": False,
        "output_artifact/test_other_ttir.mlir": False,
        "collected_irs/a/irs/ttnn_a_1732012345678.mlir": True,
        "collected_irs/a/irs/ttir_a_1732012345678.mlir": False,
        "exported/graph_0/main.py": True,
        "elsewhere/ttnn.mlir": False,
    }
    for name, mine in written.items():
        file = checkout / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("module {\n}\n")
        os.utime(file, (1000, 1000 if mine or "irs/ttir" not in name else 10))
    directory.mkdir(parents=True)
    assert collect_programs(spec, directory, 500.0) == 3
    found = programs(fold(spec, tmp_path / "runs", ()))
    assert [(one.stage, one.name) for one in found] == [
        (Stage.TTIR, f"ir/output_artifact/{own}_ttir.mlir"),
        (Stage.TTNN, "ir/collected_irs/a/irs/ttnn_a_1732012345678.mlir"),
        (Stage.CODE, "ir/exported/graph_0/main.py"),
    ]
    assert collect_programs(spec, directory, 2000.0) == 0


def test_what_others_remove_meanwhile_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, directory = tmp_path / "checkout", tmp_path / "runs" / "run"
    spec = replace(SPEC, run_id="run", test_id="a/pytorch-x-single_device-inference", cwd=checkout, argv=("pytest",))
    for name in ("a/irs/ttnn_a_1732012345678.mlir", "b/irs/ttnn_b_1732012345678.mlir"):
        file = checkout / "collected_irs" / name
        file.parent.mkdir(parents=True)
        file.write_text("module {\n}\n")
    directory.mkdir(parents=True)
    scan = os.scandir

    def late(place: str | Path) -> Iterator[os.DirEntry[str]]:
        if Path(place).name == "b":
            monkeypatch.undo()
            shutil.rmtree(place)
        return scan(place)

    monkeypatch.setattr("os.scandir", late)
    assert collect_programs(spec, directory, 0.0) == 1
    assert not (checkout / "collected_irs/b").exists()
