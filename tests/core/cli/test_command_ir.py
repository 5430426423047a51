# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir`: the programs of runs, their ops, and what differs between two."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.settings import paths
from core.runs.store import RunStore
from core.sources import Checkout
from tests.core.runs.store.test_record import SPEC
from tests.support.cli import call

PROGRAM = """\
module @IrToHlo.{number} {{
  func.func @main(%arg0: tensor<2x{dtype}>) -> tensor<2x{dtype}> {{
    %0 = stablehlo.add %arg0, %arg0 : tensor<2x{dtype}> loc("/src/model.py":7:0)
    {more}return %0 : tensor<2x{dtype}>
  }}
}}
"""


def leave(run_id: str, **programs: str) -> str:
    directory = RunStore(paths().runs).create(replace(SPEC, run_id=run_id))
    (directory / "ir").mkdir()
    for name, text in programs.items():
        (directory / "ir" / f"{name}.stablehlo.mlir").write_text(text)
    return run_id


@pytest.fixture
def runs(runnable: Checkout) -> tuple[str, str]:
    one = PROGRAM.format(number=1, dtype="f32", more="")
    other = PROGRAM.format(number=2, dtype="f32", more="%1 = stablehlo.negate %0 : tensor<2xf32>\n    ")
    return (
        leave("20261121-073215-ab12cd", forward=one, backward=one),
        leave("20261121-073216-ab12ce", forward=other, backward=one.replace("IrToHlo.1", "IrToHlo.7")),
    )


def test_programs_and_their_ops(runnable: Checkout, runs: tuple[str, str]) -> None:
    listed = call("ir", "list", runs[0], "--json").json
    assert [(one["stage"], one["name"]) for one in listed] == [
        ("stablehlo", "ir/backward.stablehlo.mlir"),
        ("stablehlo", "ir/forward.stablehlo.mlir"),
    ]
    (counted,) = call("ir", "ops", f"{runs[1]}:forward", "--json").json
    assert counted["total"] == 5 and counted["ops"]["stablehlo.negate"] == 1
    (found,) = call("ir", "ops", f"{runs[1]}:forward", "--find", "stablehlo.add", "--json").json
    assert (found["line"], found["source"]) == (3, "/src/model.py:7")
    assert call("ir", "ops", listed[0]["file"], "--find", "nothing").code == 1
    assert "stablehlo.add" in call("ir", "ops", runs[0]).out


def test_two_runs_differ_in_one_op(runnable: Checkout, runs: tuple[str, str]) -> None:
    called = call("ir", "diff", *runs, "--json")
    assert called.code == 1
    backward, forward = called.json
    assert backward["differences"] == []
    (one,) = forward["differences"]
    assert (one["change"], one["before"], one["after"]["op"]) == ("added", None, "stablehlo.negate")
    assert forward["ops"] == {"stablehlo.negate": [0, 1]}
    assert call("ir", "diff", *runs).out.strip().startswith("+      4  %1 = stablehlo.negate")
    assert call("ir", "diff", f"{runs[0]}:back", f"{runs[1]}:back").code == 0


def test_what_is_not_there(runnable: Checkout, runs: tuple[str, str], tmp_path: Path) -> None:
    called = call("ir", "list", f"{runs[0]}:ttnn")
    assert called.code == 64 and "has left no such program" in called.err and "forward.stablehlo.mlir" in called.err
    empty = leave("20261121-073217-ab12cf")
    called = call("ir", "ops", empty)
    assert called.code == 64 and "profile that dumps" in called.err
    other = leave("20261121-073218-ab12d0", elsewhere="module {\n}\n", again="module {\n}\n")
    called = call("ir", "diff", runs[0], other)
    assert called.code == 64 and "The two have no program in common" in called.err


def test_a_broken_program_is_said_with_its_line(runnable: Checkout, runs: tuple[str, str]) -> None:
    cut = PROGRAM.format(number=1, dtype="f32", more="").partition("return")[0]
    broken = leave("20261121-073219-ab12d1", forward=cut)
    called = call("ir", "ops", broken)
    assert called.code == 1 and "stablehlo.add" in called.out
    assert "forward.stablehlo.mlir is broken: it ends at line 4, and what line 2 opens is not closed" in called.err
    (counted,) = call("ir", "ops", broken, "--json").json
    assert counted["total"] == 3 and "is broken" in counted["broken"]
    (found,) = call("ir", "diff", f"{runs[0]}:forward", broken, "--json").json
    assert [one["change"] for one in found["differences"]] == ["removed"]
    assert "line 2 opens is not closed" in found["broken"][0]
    same = call("ir", "diff", broken, broken)
    assert same.code == 1 and "is broken" in same.err


def generated(run_id: str, *graphs: str) -> Path:
    directory = RunStore(paths().runs).create(replace(SPEC, run_id=run_id, argv=(sys.executable, "export_code.py")))
    for graph in graphs:
        (directory / "ir" / graph).mkdir(parents=True)
        text = "import os, sys, ttnn\nprint('ran in', os.getcwd())\nsys.exit(ttnn.CODE)\n"
        (directory / "ir" / graph / "main.py").write_text(text)
    return directory


def test_generated_code_is_executed_where_it_is(
    runnable: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "20261121-073219-ab12d1"
    directory = generated(name, "graph_0", "graph_1")
    several = call("ir", "run", name)
    assert (several.code, "graph_0" in several.err) == (64, True)
    planned = call("ir", "run", f"{name}:graph_0", "--plan").out
    assert planned == f"cd {directory}/ir/graph_0 && {sys.executable} main.py\n"
    missing = call("ir", "run", f"{name}:graph_0")
    assert missing.code == 64 and "cannot import ttnn" in missing.err and planned.strip() in missing.err
    (tmp_path / "ttnn.py").write_text("CODE = 3\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    called = call("ir", "run", f"{name}:graph_0", "--json")
    assert (called.code, called.json["exit_code"]) == (1, 3)
    assert f"ran in {directory}/ir/graph_0" in called.err
    (directory / "ir/graph_0/run").write_text("#!/bin/sh\necho by script\n")
    (directory / "ir/graph_0/run").chmod(0o755)
    called = call("ir", "run", f"{name}:graph_0", "--json")
    assert (called.code, called.json["command"], "by script" in called.err) == (0, ["./run"], True)


def test_a_run_without_generated_code_says_how_to_make_some(runnable: Checkout, runs: tuple[str, str]) -> None:
    called = call("ir", "run", runs[0])
    assert called.code == 64 and "--kind codegen_py" in called.err
