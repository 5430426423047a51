# SPDX-License-Identifier: Apache-2.0
"""core.runs.ir.diff: exactly the ops that differ, on pairs where the difference is known."""

from pathlib import Path

import pytest

from core.runs.ir import Change, Ops, ProgramDiff, Stage, diff_programs, read_ops

OPS = [
    "stablehlo.convert %arg0 : (tensor<2xbf16>) -> tensor<2xf32>",
    "stablehlo.add %0, %0 : tensor<2xf32>",
    "stablehlo.multiply %1, %0 : tensor<2xf32>",
    "stablehlo.subtract %2, %1 : tensor<2xf32>",
    "stablehlo.convert %3 : (tensor<2xf32>) -> tensor<2xbf16>",
]


def diff(tmp_path: Path, one: list[str], other: list[str]) -> ProgramDiff:
    both = []
    for name, ops in (("one", one), ("other", other)):
        body = "".join(f"    %{number} = {op}\n" for number, op in enumerate(ops))
        file = tmp_path / f"{name}.mlir"
        file.write_text(f"module {{\n  func.func @main(%arg0: tensor<2xbf16>) {{\n{body}    return\n  }}\n}}\n")
        both.append(read_ops(file, Stage.STABLEHLO))
    return diff_programs(both[0], both[1])


def changes(found: ProgramDiff) -> list[tuple[str, str, str]]:
    return [
        (row.change.value, row.left.name if row.left else "", row.right.name if row.right else "")
        for row in found
        if row.change is not Change.SAME
    ]


def test_a_program_is_like_itself_under_other_names(tmp_path: Path) -> None:
    found = diff(tmp_path, OPS, OPS)
    assert found.same and len(found) == 8
    renamed = [op.replace("%3", "%x").replace("%0", "%y") for op in OPS]
    assert changes(diff(tmp_path, OPS, renamed)) == []


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (
            [OPS[0], "stablehlo.negate %0 : tensor<2xf32>", "stablehlo.add %1, %1 : tensor<2xf32>", *[
                "stablehlo.multiply %2, %0 : tensor<2xf32>",
                "stablehlo.subtract %3, %2 : tensor<2xf32>",
                "stablehlo.convert %4 : (tensor<2xf32>) -> tensor<2xbf16>",
            ]],
            [("added", "", "stablehlo.negate")],
        ),
        (
            [*OPS[:2], "stablehlo.subtract %1, %1 : tensor<2xf32>", OPS[4].replace("%3", "%2")],
            [("removed", "stablehlo.multiply", "")],
        ),
        (
            [*OPS[:3], OPS[3].replace("f32", "bf16"), OPS[4]],
            [("changed", "stablehlo.subtract", "stablehlo.subtract")],
        ),
        (
            [*OPS[:3], "stablehlo.subtract %1, %2 : tensor<2xf32>", OPS[4]],
            [("operands", "stablehlo.subtract", "stablehlo.subtract")],
        ),
    ],
)  # fmt: skip
def test_exactly_what_differs(tmp_path: Path, other: list[str], expected: list[tuple[str, str, str]]) -> None:
    assert changes(diff(tmp_path, OPS, other)) == expected


def test_both_ends_and_nothing(tmp_path: Path) -> None:
    assert list(diff_programs(Ops.of([]), Ops.of([]))) == []
    found = diff(tmp_path, [], OPS)
    assert found.counts[Change.ADDED] == 5 and found.counts[Change.SAME] == 3
    assert found.by_name["stablehlo.convert"] == (0, 2)
    assert diff(tmp_path, OPS, []).counts[Change.REMOVED] == 5
