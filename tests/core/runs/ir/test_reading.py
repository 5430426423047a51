# SPDX-License-Identifier: Apache-2.0
"""core.runs.ir.reading and folding: the ops of programs, whatever form they have."""

from itertools import pairwise
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.runs.ir import Stage, count_ops, fold, folded_lines, read_ops, stage_of

MLIR = """\
#loc = loc("/src/model.py":7:0)
#layout = #ttnn.ttnn_layout<(d0) -> (d0), <1x1>>
module @IrToHlo.94 attributes {a = 1} {
  func.func @main(%arg0: tensor<2xf32> loc("x"), %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %cst = stablehlo.constant dense<0.0> : tensor<2xf32> loc(#loc1)
    %0:2 = "ttnn.split"(%arg0, %cst) <{layout = #layout}> : (tensor<2xf32>) -> tensor<2xf32> loc(#loc2)
    %1 = "stablehlo.reduce"(%0#1) ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32> loc("/venv/site-packages/t.py":1:2)
      stablehlo.return %2 : tensor<f32> loc(callsite("/venv/site-packages/t.py":1:2 at #loc))
    }) : (tensor<2xf32>) -> tensor<f32> loc("reduce.5"(#loc2))
    return %1 : tensor<f32>
  }
}
#loc1 = loc("/src/model.py":12:4)
#loc2 = loc("a"(callsite(#loc1 at #loc)))
"""

FX = """\
class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "bf16[2, 2]", convert: "f32[2]"):
        l_x_ = L_x_

        # File: /src/model.py:24 in forward, code: return self.head(self.features(image))
        a: "bf16[2, 2]" = torch.conv2d(l_x_, convert, (1, 1));  l_x_ = None
        b: "bf16[2, 2]" = a.flatten(1);  a = None
        c = b[0]
        return (c,)
"""


def test_mlir(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(MLIR)
    ops = read_ops(file, Stage.TTNN)
    assert [(op.line, op.name, op.operands, op.place) for op in ops] == [
        (3, "module", (), ""),
        (4, "func.func", (0, 0), ""),
        (5, "stablehlo.constant", (), "/src/model.py:12"),
        (6, "ttnn.split", (0, 5), "/src/model.py:12"),
        (7, "stablehlo.reduce", (6,), ""),
        (9, "stablehlo.add", (0, 0), "/venv/site-packages/t.py:1"),
        (10, "stablehlo.return", (9,), "/src/model.py:7"),
        (12, "return", (7,), ""),
    ]
    assert ops[2].text == "%cst = stablehlo.constant dense<0.0> : tensor<2xf32>"
    assert count_ops(file, Stage.TTNN).by_name == {name: 1 for name in sorted(op.name for op in ops)}


def test_names_numbers_and_locations_make_no_difference(tmp_path: Path) -> None:
    one, other = tmp_path / "one.mlir", tmp_path / "other.mlir"
    one.write_text(MLIR)
    renumbered = MLIR.replace("%0", "%40").replace("%cst", "%cst_9").replace("#layout", "#layout5")
    other.write_text(renumbered.replace("IrToHlo.94", "IrToHlo.95").replace("model.py", "moved.py"))
    digests = [[op.digest for op in read_ops(file, Stage.TTNN)] for file in (one, other)]
    assert digests[0] == digests[1]
    other.write_text(MLIR.replace("<1x1>", "<2x1>"))
    changed = [op.digest for op in read_ops(other, Stage.TTNN)]
    assert [at for at, both in enumerate(zip(digests[0], changed, strict=True)) if both[0] != both[1]] == [3]


def test_fx_graphs(tmp_path: Path) -> None:
    file = tmp_path / "a.fx.0.py"
    file.write_text(FX)
    ops = read_ops(file, Stage.FX)
    assert [(op.name, op.operands, op.place) for op in ops] == [
        ("def", (), ""),
        ("get", (0,), ""),
        ("torch.conv2d", (3, 0), "/src/model.py:24"),
        ("Tensor.flatten", (6,), "/src/model.py:24"),
        ("getitem", (7,), "/src/model.py:24"),
        ("return", (8,), ""),
    ]
    assert ops[2].text.endswith("(1, 1))")


def test_generated_code_and_jaxprs(tmp_path: Path) -> None:
    file = tmp_path / "main.cpp"
    file.write_text("  ttnn::Tensor v2 = ttnn::matmul(v0, v1, false);\n  ::ttnn::Tensor v3 = ttnn::relu(v2);\n")
    assert [(op.name, op.operands) for op in read_ops(file, Stage.CODE)] == [("ttnn.matmul", ()), ("ttnn.relu", (1,))]
    file.write_text("def _main(v0, v1):\n    v2 = ttnn.matmul(v0, v1)\n    return v2\n")
    assert [op.name for op in read_ops(file, Stage.CODE)] == ["def", "ttnn.matmul", "return"]
    file.write_text("{ lambda ; a:f32[2] b:f32[2]. let\n    c:f32[2] = add a b\n    d:f32[2] = mul c c\n  in (d,) }\n")
    assert [(op.name, op.operands) for op in read_ops(file, Stage.JAXPR)] == [("add", ()), ("mul", (2, 2))]


def test_large_constants_are_folded_and_still_differ() -> None:
    hexadecimal = f'%0 = stablehlo.constant dense<"0x{"3F80" * 100}"> : tensor<200xbf16>'
    folded = fold(hexadecimal)
    assert folded.startswith('%0 = stablehlo.constant dense<"0x…400 bytes #')
    assert folded.endswith('…"> : tensor<200xbf16>')
    assert folded != fold(hexadecimal.replace("3F80", "3F81"))
    numbers = f"dense<[[{', '.join(['1.5e+00'] * 60)}]]> : tensor<1x60xf32>"
    assert fold(numbers).endswith("…]> : tensor<1x60xf32>") and len(fold(numbers)) < 70
    kept = "window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
    assert fold(kept * 2) == kept * 2


@pytest.mark.parametrize("size", [60_000, 64 * 1024 - 30, 64 * 1024, 70_000, 131_072, 400_000])
def test_lines_of_any_length(tmp_path: Path, size: int) -> None:
    file = tmp_path / "a.mlir"

    def written(name: str, letter: str, location: str) -> int:
        line = f'    %{name} = stablehlo.constant dense<"0x{"3F80" * (size // 4)}{letter}"> : tensor<9xbf16> loc({location})'
        file.write_text(f"module {{\n{line}\n}}\n")
        lines = list(folded_lines(file))
        assert len(lines) == 3 and len(lines[1]) < 200
        (_, op) = read_ops(file, Stage.STABLEHLO)
        assert op.text.startswith(f"%{name} = stablehlo.constant dense<")
        assert op.text.endswith("> : tensor<9xbf16>")
        return op.digest

    first = written("cst", "A", "#loc5")
    assert first == written("cst_12", "A", "#loc17")
    assert first != written("cst", "B", "#loc5")


def test_what_cannot_be_read_is_said_and_what_is_broken_gives_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match="Cannot read"):
        read_ops(tmp_path / "none.mlir", Stage.TTIR)
    file = tmp_path / "broken.mlir"
    file.write_bytes(MLIR.encode()[:420] + b"\xff\x00")
    assert [op.name for op in read_ops(file, Stage.TTIR)][:3] == ["module", "func.func", "stablehlo.constant"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.mlir", MLIR, ""),
        ("a.mlir", "", "a.mlir is empty"),
        ("a.mlir", MLIR[:420], "a.mlir is broken: it ends at line 7, and what line 7 opens is not closed"),
        (
            "a.mlir",
            MLIR.replace("    return", "  }\n}\n}\n    return"),
            "a.mlir is broken: line 14 closes what nothing",
        ),
        (
            "a.mlir",
            MLIR.replace("stablehlo.constant", "stablehlo\0\0"),
            "a.mlir is broken: line 5 has bytes that are no",
        ),
        ("a.mlir", "Traceback (most recent call last):\n", "a.mlir has no op in its 1 line"),
        ("a.fx.0.py", FX, ""),
        ("a.fx-passes.0.py", FX.replace("GraphModule", "<lambda>"), ""),
        ("a.fx.0.py", FX[:235], "a.fx.0.py is broken: line 6: "),
        ("a.fx.0.py", FX[:200], "a.fx.0.py is broken: its last op is get, no return"),
        ("a.fx.0.py", "# nothing\n", "a.fx.0.py has no op"),
        (
            "a.jaxpr",
            "{ lambda ; a:f32[2]. let\n    c:f32[2] = add a a\n",
            "a.jaxpr is broken: it ends at line 2, and a {",
        ),
    ],
)
def test_what_is_broken_is_said_with_its_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    stage = stage_of(name)
    assert stage is not None
    for broken in (read_ops(file, stage).broken, count_ops(file, stage).broken):
        assert broken.startswith(said) and bool(broken) == bool(said)


def test_ops_stay_readable_when_their_file_is_gone_or_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(MLIR)
    ops = read_ops(file, Stage.TTNN)
    file.unlink()
    assert ops[-1].text == "return %1 : tensor<f32>"
    file.write_text(MLIR)
    ops = read_ops(file, Stage.TTNN)
    file.write_text("")
    assert (ops[2].name, ops[2].text, ops[2].place) == ("stablehlo.constant", "", "")


def test_values_and_locations_of_any_number(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    names = ["0", "1500", "16777216", "99999999999", "cst_4"]
    body = "".join(f"%{name} = stablehlo.neg %{before} loc(#loc{len(before)})\n" for before, name in pairwise(names))
    file.write_text(f'module {{\n%0 = stablehlo.iota\n{body}}}\n#loc4 = loc("/a.py":4:0)\n#loc11 = loc("/a.py":11:0)\n')
    ops = read_ops(file, Stage.STABLEHLO)
    assert [op.operands for op in ops[2:]] == [(2,), (3,), (4,), (5,)]
    assert [op.place for op in ops[2:]] == ["", "/a.py:4", "", "/a.py:11"]
