# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.sizes: memory of a case by its shapes."""

import pytest

from core.payload.ttmatrix_payload.ops import estimate, read_text


@pytest.mark.parametrize(
    ("op", "inputs", "expected"),
    [
        # Three copies of the inputs and two results, of 2 bytes each.
        ("torch.neg", "[{tensor: {shape: [10, 10]}}]", 3 * 200 + 2 * 200),
        ("torch.add", "[{tensor: {shape: [10, 1]}}, {tensor: {shape: [1, 20]}}]", 3 * 60 + 2 * 400),
        ("torch.matmul", "[{tensor: {shape: [5, 10, 1]}}, {tensor: {shape: [1, 20]}}]", 3 * 140 + 2 * 2000),
        ("torch.nn.functional.linear", "[{tensor: {shape: [7, 3]}}, {tensor: {shape: [5, 3]}}]", 3 * 72 + 2 * 70),
        (
            "torch.nn.functional.embedding",
            "[{tensor: {shape: [4], init: randint, init_args: {high: 9}, dtype: int8}}, {tensor: {shape: [9, 3]}}]",
            3 * 58 + 2 * 24,
        ),
        (
            "torch.conv2d",
            "[{tensor: {shape: [2, 3, 10, 10]}}, {tensor: {shape: [7, 3, 3, 3]}}, {py: None}, {value: 2}]",
            3 * 2 * (600 + 189) + 2 * 2 * (2 * 7 * 4 * 4),
        ),
        # Shapes that do not broadcast say nothing of the result; the larger input is its least.
        ("torch.gather", "[{tensor: {shape: [5, 4]}}, {tensor: {shape: [3, 6]}}]", 3 * 76 + 2 * 40),
        ("torch.cat", "[{tensor_list: [{shape: [3]}, {shape: [4]}]}]", 3 * 14 + 2 * 14),
        ("torch.zeros", "[{value: [1000, 1000]}]", 2 * 2_000_000),
        ("torch.repeat", "[{tensor: {shape: [3]}}, {value: 1000}]", 3 * 6 + 2 * 6000),
        ("torch.neg", "[{tensor: {shape: [10], stride: [0], storage_offset: 4}}]", 3 * 10 + 2 * 20),
        ("torch.neg", "[{tensor: {shape: [10], preset: noncontig_slice, preset_args: {step: 3}}}]", 3 * 60 + 2 * 20),
        ("torch.neg", "[{tensor: {shape: [0, 10]}}]", 0),
    ],
)
def test_by_shapes(op: str, inputs: str, expected: int) -> None:
    manifest = read_text(f"cases: [{{op: {op}, inputs: {inputs}}}]", "m.yaml")
    assert not manifest.problems
    assert estimate(manifest.cases[0]) == expected
