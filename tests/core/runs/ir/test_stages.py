# SPDX-License-Identifier: Apache-2.0
"""core.runs.ir.stages: which file of a run is a program, and of which stage."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.runs.ir import Program, Stage, programs, same_program, stage_of
from core.runs.store.record import fold
from tests.core.runs.store.test_record import SPEC


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("ir/x/forward.fx.0.py", Stage.FX),
        ("ir/x/forward.fx-passes.0.py", Stage.FX_PASSES),
        ("ir/forward.jaxpr", Stage.JAXPR),
        ("ir/backward.stablehlo.mlir", Stage.STABLEHLO),
        ("irs/vhlo_resnet50_bs32_g0_1732012345678.mlir", Stage.VHLO),
        ("irs/shlo_compiler_cleaned_ttnn_model_1732012345678.mlir", Stage.STABLEHLO),
        ("irs/ttir_1732012345678.mlir", Stage.TTIR),
        ("output_artifact/test_mnist_256_128_64_ttnn.mlir", Stage.TTNN),
        ("graph_0/ttnn.mlir", Stage.TTNN),
        ("graph_0/main.py", Stage.CODE),
        ("graph_0/ttnn-standalone.cpp", Stage.CODE),
        ("what.mlir", Stage.OTHER),
        ("output_artifact/test.ttnn", None),
        ("junit.xml", None),
        ("ir/compile_options.json", None),
    ],
)
def test_names_of_upstream_and_our_own(name: str, stage: Stage | None) -> None:
    assert stage_of(name) is stage


def test_programs_come_in_the_order_of_compilation(tmp_path: Path) -> None:
    record = fold(replace(SPEC, run_id="run"), tmp_path, ())
    names = ["ttnn_7.mlir", "shlo_compiler_5.mlir", "shlo_4.mlir", "shlo_compiler_cleaned_6.mlir", "vhlo_3.mlir"]
    for name in (*names, "notes.txt"):
        (tmp_path / "run" / "irs").mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / "irs" / name).write_text("module {\n}\n")
    assert [Path(one.name).stem.rpartition("_")[0] for one in programs(record)] == [
        "vhlo",
        "shlo",
        "shlo_compiler",
        "shlo_compiler_cleaned",
        "ttnn",
    ]


def made(name: str) -> Program:
    return Program(name, Path(name), stage_of(name) or Stage.OTHER, 0)


def test_the_same_program_of_another_run() -> None:
    others = [made("irs/ttir_g0_1732012345999.mlir"), made("irs/ttir_g1_1732012346000.mlir"), made("ttnn.mlir")]
    assert same_program(made("irs/ttir_g1_1732012345678.mlir"), others) is others[1]
    assert same_program(made("irs/ttnn_1732012345678.mlir"), others) is others[2]
    assert same_program(made("irs/ttir_g2_1732012345678.mlir"), others) is None
    assert same_program(made("forward.fx.0.py"), others) is None
