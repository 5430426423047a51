# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.dtype: what is tried, and in which order."""

import pytest

from core.workflows.loader_code.analysis import Symptom
from core.workflows.loader_code.edits import dtype_candidates
from core.workflows.loader_code.edits.dtype import MOST
from tests.support.loader_code import changed, loader

TWO = loader("x = torch.rand(3)", "y = torch.rand(4)", "return {'x': x, 'y': y}")
LOOP = loader("return {k: v for k, v in read().items()}")


def tried(source: str, symptom: Symptom) -> list[str]:
    return [changed(edit)[1][-1] for edit in dtype_candidates(source, symptom)[0]]


def test_an_input_that_the_error_names_comes_first() -> None:
    assert tried(TWO, Symptom(("y",), floats=("x", "y"))) == [
        "y = torch.rand(4, dtype=dtype_override)",
        "x = torch.rand(3, dtype=dtype_override)",
    ]


def test_several_without_a_name_are_tried_one_by_one() -> None:
    edits, why = dtype_candidates(TWO, Symptom(("x", "y"), floats=("x", "y")))
    assert len(edits) == 2
    assert why == "several inputs would have to change: x: line 14; y: line 15"


def test_one_cast_for_all_goes_before_one_for_each() -> None:
    found = dtype_candidates(LOOP, Symptom(("x", "y"), floats=("x", "y")))
    assert ".to(dtype_override or torch.float32) for k, v in" in found[0][0].after
    assert found[1] == ""


@pytest.mark.parametrize("leaves", [("x",), ()])
def test_one_input_or_none_gives_one_edit(leaves: tuple[str, ...]) -> None:
    source = loader("x = torch.rand(3)", "return {'x': x}")
    edits, why = dtype_candidates(source, Symptom(leaves, (14,), floats=leaves))
    assert (len(edits), why) == (1, "")


def test_there_is_an_end() -> None:
    names = [f"x{number}" for number in range(9)]
    source = loader(*(f"{name} = torch.rand({number})" for number, name in enumerate(names)), f"return {names}")
    source = source.replace("'", "")
    leaves = tuple(f"[{number}]" for number in range(9))
    assert len(dtype_candidates(source, Symptom(leaves, floats=leaves))[0]) == MOST


def test_no_edit_at_all() -> None:
    edits, why = dtype_candidates(loader("return {'a': torch.rand(3)}"), Symptom(("b",), floats=("b",)))
    assert (edits, why) == ((), "b is not found in what is returned")
