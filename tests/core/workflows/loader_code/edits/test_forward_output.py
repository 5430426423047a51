# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.forward_output: what a gradient reaches, and how it becomes one tensor."""

from typing import Any

import pytest

from core.workflows.loader_code.edits.forward_output import ForwardOutput
from core.workflows.loader_code.edits.unpack import Form
from tests.support.loader_code import tensor


def output(*leaves: tuple[str | None, bool], kind: str = "tuple", inputs: Any = ()) -> ForwardOutput:
    """An output of float32 tensors, each given by its access path and whether a gradient reaches it."""
    described = [
        {**tensor(f"x{number}", "float32", 2, 3), **({"requires_grad": True} if grad else {})}
        for number, (_, grad) in enumerate(leaves)
    ]
    made = {"class": kind, "module": "m", "leaves": described, "access": [access for access, _ in leaves]}
    return ForwardOutput(made, inputs)


def heads(*accesses: str | None) -> list[tuple[str | None, bool]]:
    return [(access, True) for access in accesses]


@pytest.mark.parametrize(
    ("leaves", "access", "form", "parts"),
    [
        (heads("[0]"), "[0]", Form.TENSOR, ()),
        (heads("[0]", "[1]"), "", Form.SUM, ()),
        (heads('["a]"]', '["b\\"]"]'), "", Form.SUM_VALUES, ()),
        (heads("[0][0]", "[0][1]", "[1][0]"), "", Form.SUM_NESTED, ()),
        ([*heads('[0]["a"]', '[0]["b"]'), ("[1]", False)], "[0]", Form.SUM_VALUES, ()),
        ([*heads("[0]", "[1]"), ("[2]", False)], "", Form.SUM_PARTS, ("[0]", "[1]")),
        ([*heads("[0]", "[1]", "[2]", "[3]", "[4]"), ("[5]", False)], "", Form.SUM_GRADIENTS, ()),
        ([*heads("[0]", None), ("[1]", False)], "", Form.SUM_GRADIENTS, ()),
        (heads(".a", ".b"), "", Form.SUM_PARTS, (".a", ".b")),
        (heads(".a[0]", ".a[1]"), ".a", Form.SUM, ()),
        (heads(".a.x", ".a.y"), "", Form.SUM_PARTS, (".a.x", ".a.y")),
        (heads(*(f".x{n}" for n in range(6))), "", Form.SUM_PARTS, tuple(f".x{n}" for n in range(6))),
    ],
)
def test_all_that_a_gradient_reaches(
    leaves: list[tuple[str | None, bool]], access: str, form: Form, parts: tuple[str, ...]
) -> None:
    found = output(*leaves)
    selection = found.selection(found.grads, "All.")
    assert (selection.access, selection.form, selection.parts) == (access, form, parts)


def test_some_of_many_are_named_one_by_one() -> None:
    found = output(*heads(*(f"[{n}]" for n in range(7))))
    selection = found.selection(found.grads[:5], "The first.")
    assert selection.parts == ("[0]", "[1]", "[2]", "[3]", "[4]")
    assert selection.why == "The first. Left out: x5, x6."


def test_the_parts_that_hold_several_tensors() -> None:
    found = output(*heads("[0]", "[1][0]", "[1][1]", "[2][0][0]"), ("[2][0][1]", False))
    assert found.containers() == [("[1]",)]


def test_what_no_gradient_reaches_is_left_out_and_said_so() -> None:
    found = output(("[0]", True), ("[1]", False))
    assert found.selection(found.grads, "One.").why == "One. Left out, as no gradient reaches them: x1."
    assert found.described() == "tuple of x0: Tensor [2, 3], x1: Tensor [2, 3] without gradient."


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ([tensor("a", "int64", 1, 9)], "; seen with 1 row."),
        ([tensor("a", "int64", 2, 9), tensor("b", "int64", 2)], "; seen with 2 rows."),
        ([tensor("a", "int64", 3, 8, 8), tensor("b", "int64", 5)], "; seen with inputs of shapes [3, 8, 8], [5]."),
        ([tensor("images", "float32", 2, 3), tensor("targets[0].boxes", "float32", 1, 4)], "; seen with 2 rows."),
        ([], "."),
    ],
)
def test_rows_are_counted(inputs: Any, told: str) -> None:
    assert output(*heads("[0]"), inputs=inputs).described() == f"tuple of x0: Tensor [2, 3]{told}"


def test_long_outputs_are_cut() -> None:
    described = output(*heads(*(f"[{n}]" for n in range(14))), kind="list").described()
    assert described.startswith("list of x0: Tensor [2, 3], x1: ")
    assert described.endswith("and 2 more.")


def test_a_name_leads_to_attributes_and_keys() -> None:
    found = output(*heads(".logits[0]", '["boxes"]', ".logits_all"), kind="O")
    assert [leaf["access"] for leaf in found.part("logits")] == [".logits[0]"]
    assert [leaf["access"] for leaf in found.part("boxes")] == ['["boxes"]']
