# SPDX-License-Identifier: Apache-2.0
"""Numbers of memory that was full, as compiler and runtime write them."""

import pytest

from core.payload.ttmatrix_payload.models.compile_options import TRACE_ADVICE
from core.runs.log import out_of_memory, trace_advice


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "E   RuntimeError: TT_THROW Out of Memory: Not enough space to allocate 36126720 B L1 buffer across 24 banks, "
            "where each bank needs to store 1505280 B, but bank size is only 1331936 B",
            {"memory": "L1", "asked": 36126720, "banks": 24, "per_bank": 1505280, "bank": 1331936},
        ),
        (
            "Not enough space to allocate 83886080 B DRAM buffer across 12 banks",
            {"memory": "DRAM", "asked": 83886080, "banks": 12},
        ),
        ("Not enough space to allocate 8 B L1_SMALL buffer", {"memory": "L1_SMALL", "asked": 8}),
        (
            "Statically allocated circular buffers on core range [(x=6,y=7) - (x=6,y=7)] grow to 2010400 B which is "
            "beyond max L1 size of 1499136 B",
            {"memory": "L1", "asked": 2010400, "bank": 1499136},
        ),
        ("circular buffers in program 284 clash with L1 buffers", None),
        ("passed", None),
    ],
)
def test_numbers_of_full_memory(line: str, expected: dict[str, object] | None) -> None:
    assert out_of_memory(["before", line, "Not enough space to allocate 1 B L1 buffer"][:2]) == expected


def test_the_first_line_counts() -> None:
    lines = [f"Not enough space to allocate {size} B L1 buffer" for size in (1, 2)]
    assert out_of_memory(lines) == {"memory": "L1", "asked": 1}


def test_a_number_of_thousands_of_digits_is_none() -> None:
    assert out_of_memory([f"Not enough space to allocate {'9' * 5000} B DRAM buffer"]) is None


@pytest.mark.parametrize(
    ("line", "traced", "said"),
    [
        (
            "TT_FATAL: Creating trace buffers of size 23425024B on MeshDevice 1, but only 0B is allocated for trace region.",
            False,
            "the trace needs 23425024 bytes and has 0: ",
        ),
        ("E   RuntimeError: TT_THROW: Cannot end a trace that was not begun", True, ""),
        ("E   RuntimeError: TT_THROW: Cannot end a trace that was not begun", False, None),
        ("Traceback (most recent call last):", True, None),
        ("INFO trace region: 10000000 bytes", True, None),
    ],
)
def test_an_error_of_a_trace_has_its_advice(line: str, traced: bool, said: str | None) -> None:
    found = trace_advice(["passed", line], traced=traced)
    assert found == (None if said is None else f"{said}{TRACE_ADVICE}")
