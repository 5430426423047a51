# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.dtype: one cast in a loop, for several float inputs and never for another one."""

import pytest

from core.workflows.loader_code.analysis import Code, Followed, Symptom
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.loader_code.edits.dtype import shared_site
from tests.support.loader_code import changed, loader

MADE = "inputs = {'a': read(1), 'b': read(2), 'c': torch.arange(3)}"
GUARD = "if dtype_override is not None:"
CHOICE = "if dtype_override is not None and self.wide:"
ASSIGNED = ["        if v.dtype == torch.float32:", "            inputs[k] = v"]
APPENDED = ["for n in range(2):", "    x.append(read(n))"]
C = (("c", Followed.OTHER_TENSOR),)


def shared(source: str, *leaves: str, others: tuple[tuple[str, Followed], ...] = ()) -> SourceEdit | None:
    code = Code(source)
    function = code.method("ModelLoader", "load_inputs")
    assert function is not None
    return shared_site(code, function, "ModelLoader", "", Symptom(leaves, others=others))


@pytest.mark.parametrize(
    ("lines", "before", "after"),
    [
        (
            [MADE, "return {k: v if v.is_floating_point() else v for k, v in inputs.items()}"],
            "return {k: v if",
            "return {k: v.to(dtype_override or torch.float32) if",
        ),
        (
            [MADE, GUARD, "    for k, v in inputs.items():", *ASSIGNED, "return inputs"],
            "inputs[k] = v",
            "inputs[k] = v.to(dtype_override)",
        ),
        (
            [MADE, "for k in inputs:", "    if k != 'c':", "        inputs[k] = inputs[k].flatten()", "return inputs"],
            "= inputs[k].flatten()",
            "= inputs[k].flatten().to(dtype_override or torch.float32)",
        ),
    ],
)
def test_the_expression_of_a_loop(lines: list[str], before: str, after: str) -> None:
    found = shared(loader(*lines), "a", "b", others=C)
    assert found is not None
    gone, added = changed(found)
    assert len(gone) == len(added) == 1
    assert gone[0].replace(before, after) == added[0]


def test_elements_of_a_list() -> None:
    for lines in (["return [read(n) for n in range(2)]"], ["x = []", *APPENDED, "return x"]):
        found = shared(loader(*lines), "[0]", "[1]")
        assert found is not None and ".to(dtype_override or torch.float32)" in found.after


@pytest.mark.parametrize(
    "lines",
    [
        [MADE, "return {k: v for k, v in inputs.items()}"],
        [MADE, "for k in inputs:", "    inputs[k] = inputs[k].flatten()", "return inputs"],
    ],
)
def test_what_an_input_of_another_kind_passes_is_left_alone(lines: list[str]) -> None:
    assert shared(loader(*lines), "a", "b") is not None
    assert shared(loader(*lines), "a", "b", others=C) is None


@pytest.mark.parametrize(
    "lines",
    [
        [MADE, "return inputs"],
        ["a, b = read(1), read(2)", "return {'a': a, 'b': b}"],
        [MADE, "return {k: v.to(dtype_override) for k, v in inputs.items()}"],
        [MADE, CHOICE, "    inputs = {k: v for k, v in inputs.items()}", "return inputs"],
    ],
)
def test_none(lines: list[str]) -> None:
    assert shared(loader(*lines), "a", "b") is None


def test_one_input_needs_no_such_place() -> None:
    assert shared(loader("return {k: v for k, v in read().items()}"), "a") is None
