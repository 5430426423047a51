# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.unpack: one more method, and no other change."""

import ast
import types
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, strategies as st

from core.workflows.loader_code import edits
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import SourceEdit, has_override
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.loader_code.edits.unpack import Form, Selection
from tests.support.loader_code import came, loader, reason

A, B = torch.ones(2, 3), torch.full((4,), 2.0)
WHOLE = Selection("", Form.SUM, "list of 2 tensors", "all of them")

unpack_override = partial(edits.unpack_override, path="some/pytorch/loader.py")


def method(found: SourceEdit | NoSite) -> Callable[[Any, Any], Any]:
    """The added method, as a callable."""
    assert isinstance(found, SourceEdit), found
    tree = ast.parse(found.after)
    cls = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "ModelLoader")
    function = next(
        node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name == "unpack_forward_output"
    )

    def extract(value: Any, found: list[torch.Tensor]) -> None:
        if isinstance(value, torch.Tensor):
            found.append(value.flatten())
        else:
            for one in value.values() if isinstance(value, dict) else value:
                extract(one, found)

    names: dict[str, Any] = {"torch": torch, "extract_tensors_recursive": extract}
    exec(compile(ast.Module([function], []), "loader.py", "exec"), names)
    made: Callable[[Any, Any], Any] = names["unpack_forward_output"]
    return made


@pytest.mark.parametrize(
    ("access", "form", "output", "value"),
    [
        ("[1]", Form.TENSOR, (A, B), 8.0),
        (".logits", Form.TENSOR, types.SimpleNamespace(logits=A), 6.0),
        ('["dense_vecs"]', Form.TENSOR, {"dense_vecs": B}, 8.0),
        ("", Form.SUM, [A, B], 14.0),
        (".logits", Form.SUM, types.SimpleNamespace(logits=(A, B)), 14.0),
        ("[0]", Form.SUM_VALUES, ({"x": A, "y": B}, None), 14.0),
        ("", Form.SUM_NESTED, ([A], {"x": B}), 14.0),
        ("", Form.CONCAT, [A, B], 14.0),
        ("", Form.SUM_GRADIENTS, ([A.clone().requires_grad_()], {"x": B}), 6.0),
    ],
)
def test_forms(access: str, form: Form, output: Any, value: float) -> None:
    found = unpack_override(loader("return 1"), Selection(access, form, "s", "w"))
    assert method(found)(None, output).sum().item() == value


@pytest.mark.parametrize("more", [(), ('["c_name_that_is_rather_long"]["and_another"]',)])
def test_parts_are_added_up_on_a_line_or_on_one_each(more: tuple[str, ...]) -> None:
    parts = ("[0]", '[1]["x"]', *more)
    output = (A, {"x": B, "y": A})
    found = unpack_override(loader("return 1"), Selection("", Form.SUM_PARTS, "s", "w", "l", parts))
    if more:
        assert "    heads = (" in [line[4:] for line in str(getattr(found, "after", "")).splitlines()]
    else:
        assert method(found)(None, output).sum().item() == 14.0
    assert max(map(len, came(found))) <= 88


def test_no_part_is_more_than_a_part() -> None:
    assert "not part" in reason(
        unpack_override(loader("return 1"), Selection("", Form.SUM_PARTS, "s", "w", "l", ("()",)))
    )


def test_the_method_and_its_docstring() -> None:
    found = unpack_override(loader("return 1", more="\n\nx = 1\n"), WHOLE)
    assert [line for line in came(found) if line] == [
        "def unpack_forward_output(self, fwd_output):",
        '"""Give the part of the output that training starts from.',
        "Forward output structure:",
        "list of 2 tensors",
        "What is selected and why:",
        "all of them",
        '"""',
        "return sum(t.sum() for t in fwd_output)",
    ]
    assert isinstance(found, SourceEdit) and found.kind is EditKind.OVERRIDE
    assert found.after.splitlines()[found.line - 1].strip() == "def unpack_forward_output(self, fwd_output):"
    assert found.after.endswith("fwd_output)\n\n\nx = 1\n")
    assert has_override(found.after) and not has_override(found.before)


def test_the_import_is_where_its_like_are() -> None:
    nested = Selection("", Form.SUM_NESTED, "s", "w")
    assert came(
        unpack_override(loader("return 1").replace("tools.utils import random_normal", "base import X"), nested)
    )[0] == ("from ...tools.utils import extract_tensors_recursive")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("step", ["    ", "  ", "\t"])
@pytest.mark.parametrize("end", ["\n", ""])
def test_indentation_and_line_ends_are_the_file_s(newline: str, step: str, end: str) -> None:
    source = loader("return 1").replace("    ", step).rstrip("\n").replace("\n", newline) + end.replace("\n", newline)
    found = unpack_override(source, WHOLE)
    assert isinstance(found, SourceEdit)
    assert found.after.startswith(source)
    added = found.after[len(source) :]
    assert f"{newline}{step}def unpack_forward_output" in added
    assert added.count("\n") == added.count(newline)
    assert found.after.endswith(newline) == bool(end)
    ast.parse(found.after)


def test_the_class_that_is_asked_for() -> None:
    source = "class Other:\n    def f(self):\n        pass\n\n\nclass ModelLoader:\n    x = 1\n\n\ny = 2\n"
    found = unpack_override(source, WHOLE)
    assert isinstance(found, SourceEdit)
    assert found.after.startswith(
        "class Other:\n    def f(self):\n        pass\n\n\nclass ModelLoader:\n    x = 1\n\n    def un"
    )
    assert isinstance(unpack_override(source, WHOLE, cls="Other"), SourceEdit)


@given(st.text(), st.text())
def test_no_text_of_a_model_leaves_the_docstring(structure: str, why: str) -> None:
    found = unpack_override(loader("return 1"), Selection("", Form.TENSOR, structure, why))
    assert method(found)(None, A) is A


@pytest.mark.parametrize("access", ["()", "[x]", ".a; import os", '["a"] + 1', "\nimport os", "[0:1]", "x"])
def test_only_a_part_of_the_output(access: str) -> None:
    assert "not part" in reason(unpack_override(loader("return 1"), Selection(access, Form.TENSOR, "s", "w")))


def test_no_place() -> None:
    more = "\n    def unpack_forward_output(self, x):\n        return x\n"
    assert "already" in reason(unpack_override(loader("return 1", more=more), WHOLE))
    assert "no class" in reason(unpack_override("x = 1\n", WHOLE))
    assert "no block" in reason(unpack_override("class ModelLoader: pass\n", WHOLE))
    nested = Selection("", Form.SUM_NESTED, "s", "w")
    assert "imports nothing" in reason(unpack_override("class ModelLoader:\n    x = 1\n", nested))


def test_what_joins_tensors_is_imported() -> None:
    concat = Selection("", Form.CONCAT, "s", "w")
    found = unpack_override("class ModelLoader:\n    x = 1\n", concat)
    assert isinstance(found, SourceEdit) and found.after.startswith("import torch\n\nclass")
    assert found.after.splitlines()[found.line - 1].strip() == "def unpack_forward_output(self, fwd_output):"


def test_the_loss_is_in_the_docstring() -> None:
    found = unpack_override(loader("return 1"), Selection("", Form.SUM, "s", "All.", "It is read by FocalLoss."))
    assert "All. It is read by FocalLoss." in came(found)


@pytest.mark.slow("all loaders of the sample")
def test_the_sample_s_loaders_take_one() -> None:
    tree = Path(__file__).parents[5] / "core/demo/tree/third_party/tt_forge_models"
    for path in sorted(tree.rglob("pytorch/loader.py")):
        source = path.read_text(encoding="utf-8")
        if "class ModelLoader" in source and not has_override(source):
            assert came(unpack_override(source, WHOLE))
