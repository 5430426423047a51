# SPDX-License-Identifier: Apache-2.0
"""Some op cases to add after the model tests of a matrix."""

from array import array

from core.matrix import HANDWRITTEN_KIND, LEVELS, OP_KIND, Column, FlagColumn, OtherRows

SOME_RESULTS = {
    "m::add": {"eager": "pass", "inductor": "fail"},
    "m::mm": {"inductor": "pass"},
    "n::add": {"eager": "pass"},
    "gone::case": {"tt": "fail"},
}
"""The last results of some of them, and of one that no longer exists."""


def some_op_rows() -> OtherRows:
    """Four cases of two models: one passes, one is skipped, one fails as expected, and one equals the first.

    Two of their ops differ only in the case of a letter.
    """
    return OtherRows(
        kind=OP_KIND,
        ids=("m::add", "m::mm", "n::Add", "n::add"),
        lines=array("I", [3, 5, 3, 9]),
        status=Column.of(["EXPECTED_PASSING", "NOT_SUPPORTED_SKIP", "KNOWN_FAILURE_XFAIL", "EXPECTED_PASSING"]),
        columns={
            "op": Column.of(["torch.add", "torch.mm", "torch.Add", "torch.add"]),
            "model": Column.of(["m", "m", "n", "n"]),
            "shape": Column.of(["10x3 3", "2x2 2x2", "4", "10x3 3"]),
            "dup": Column.of(["", "", "", "m::add"]),
            "rtol": Column.of(["0.005", "0.1", "0.005", "0.005"]),
            "atol": Column.of(["0.005"] * 4),
            "reason": Column.of(["", "no kernel", "wrong", ""]),
            "file": Column.of(["ops/m.yaml", "ops/m.yaml", "ops/n.yaml", "ops/n.yaml"]),
        },
        flags={
            "dtype": FlagColumn.sparse(
                4, (), dict(enumerate([["float16"], ["float16", "int64"], ["int8"], ["float16"]]))
            ),
            "mark": FlagColumn.sparse(4, (), {1: ["slow"]}),
        },
    )


def some_handwritten_rows() -> OtherRows:
    """Three tests in two files: an op that passes, an op that is skipped, and a graph that fails as expected."""
    return OtherRows(
        kind=HANDWRITTEN_KIND,
        ids=("tests/jax/test_a.py::test_b", "tests/torch/test_c.py::test_d[1]", "tests/torch/test_c.py::test_e"),
        lines=array("I", [4, 7, 9]),
        status=Column.of(["EXPECTED_PASSING", "NOT_SUPPORTED_SKIP", "KNOWN_FAILURE_XFAIL"]),
        columns={
            "level": Column.of(["op", "op", "graph"], LEVELS),
            "file": Column.of(["tests/jax/test_a.py", "tests/torch/test_c.py", "tests/torch/test_c.py"]),
            "reason": Column.of(["", "no kernel", "wrong"]),
        },
        flags={"mark": FlagColumn.sparse(3, (), {0: ["push"], 1: ["push", "slow"]})},
    )
