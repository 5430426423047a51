# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.cast: where the guarded cast is put."""

import libcst as cst
import pytest

from core.workflows.loader_code.analysis import AttributeKey, Code, Place, nodes, outermost
from core.workflows.loader_code.edits.cast import cast, cast_edit

GUARD = "if dtype_override is not None:\n"
CAST = "x = x.to(dtype_override)\n"


def put(body: str, *access: str | int | None, name: str = "x") -> str | None:
    """The body after `name` was cast for the statement `use`."""
    code = Code("def f(self, dtype_override=None):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    use = next(node for node in nodes(code.module) if isinstance(node, cst.Name) and node.value == "use")
    frame = outermost(code.functions["f"], "")
    made = cast(code, Place(frame, code.statement(use), name, access))
    if made is None:
        return None
    lines = code.spliced([made[0]]).splitlines(keepends=True)
    assert ".to(" in lines[made[1] - 1] or ".to(" in lines[made[1]]
    return "".join(line[4:] for line in lines[1:])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a\nuse\n", f"x = a\n{GUARD}    {CAST}use\n"),
        ("x = a\nb = 1\nuse\n", f"x = a\n{GUARD}    {CAST}b = 1\nuse\n"),
        ("use\n", f"{GUARD}    {CAST}use\n"),
        ("x = a\nif b:\n    use\n", f"x = a\n{GUARD}    {CAST}if b:\n    use\n"),
        ("x = a\nfor b in c:\n    use\n", f"x = a\nfor b in c:\n    {GUARD}        {CAST}    use\n"),
        ("if a:\n    x = 1\nelse:\n    x = 2\nuse\n", f"if a:\n    x = 1\nelse:\n    x = 2\n{GUARD}    {CAST}use\n"),
        (f"x = a\n{GUARD}    b = 1\nuse\n", f"x = a\n{GUARD}    b = 1\n    {CAST}use\n"),
        (f"x = a\n{GUARD}    use\n", f"x = a\n{GUARD}    {CAST}    use\n"),
        (
            "x = a\nif dtype_override is not None and b:\n    use\n",
            f"x = a\nif dtype_override is not None and b:\n    {CAST}    use\n",
        ),
        (
            f"x = a\n{GUARD}    b = 1\nelse:\n    c = 1\nuse\n",
            f"x = a\n{GUARD}    {CAST}{GUARD}    b = 1\nelse:\n    c = 1\nuse\n",
        ),
    ],
)
def test_places(before: str, after: str) -> None:
    assert put(before) == after


def test_parts() -> None:
    assert put("x = a\nuse\n", "k") == f'x = a\n{GUARD}    x["k"] = x["k"].to(dtype_override)\nuse\n'
    assert (
        put("x = a\nuse\n", 'k"\\', 0)
        == f'x = a\n{GUARD}    x["k\\"\\\\"][0] = x["k\\"\\\\"][0].to(dtype_override)\nuse\n'
    )
    assert put("x = a\nuse\n", None) is None


KEY = 'x["k"] = x["k"].to(dtype_override)\n'


@pytest.mark.parametrize(
    ("one", "other", "guarded"),
    [
        ("f(a)", "f(b)", False),
        ("f(a)", "g(b)", True),
        ('{"k": a}', '{"k": b, "l": c}', False),
        ('{"k": a}', '{"l": b}', True),
        ('{"k": a}', "f(b)", True),
    ],
)
def test_a_part_that_not_every_branch_gives_is_cast_where_it_is_there(one: str, other: str, guarded: bool) -> None:
    branches = f"if a:\n    x = {one}\nelse:\n    x = {other}\n"
    guard = GUARD.replace(":", ' and "k" in x:') if guarded else GUARD
    assert put(f"{branches}use\n", "k") == f"{branches}{guard}    {KEY}use\n"
    inside = f'    if "k" in x:\n        {KEY}' if guarded else f"    {KEY}"
    assert put(f"{branches}{GUARD}    b = 1\nuse\n", "k") == f"{branches}{GUARD}    b = 1\n{inside}use\n"


def test_a_part_that_is_read_as_an_attribute_is_looked_for_as_one() -> None:
    branches = "if a:\n    x = f(a)\nelse:\n    x = g(a)\n"
    guard = GUARD.replace(":", ' and hasattr(x, "k"):')
    assert put(f"{branches}use\n", AttributeKey("k")) == f"{branches}{guard}    x.k = x.k.to(dtype_override)\nuse\n"


def test_a_file_that_is_indented_by_tabs_gets_tabs() -> None:
    code = Code("def f(self, dtype_override=None):\n\tx = a\n\treturn x\n")
    returned = next(node for node in nodes(code.module) if isinstance(node, cst.Return))
    made = cast(code, Place(outermost(code.functions["f"], ""), code.statement(returned), "x"))
    assert made is not None
    assert code.spliced([made[0]]).splitlines()[2:4] == ["\t" + GUARD.strip(), "\t\t" + CAST.strip()]


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("f(x)", "f(x).to(dtype_override or torch.float32)"),
        ("a + b", "(a + b).to(dtype_override or torch.float32)"),
        ("(a + b)", "((a + b).to(dtype_override or torch.float32))"),
    ],
)
def test_expressions(value: str, after: str) -> None:
    code = Code(f"def f(self, dtype_override=None):\n    return {value}\n")
    frame = outermost(code.functions["f"], "")
    statement = code.functions["f"].body.body[0]
    node = next(one.value for one in nodes(statement) if isinstance(one, cst.Return))
    assert node is not None
    made = cast(code, Place(frame, code.statement(statement), node=node))
    assert made is not None and code.spliced([made[0]]).endswith(f"return {after}\n")
    assert made[1] == 2


def test_no_name_to_cast_to() -> None:
    code = Code("def f(self):\n    x = 1\n    return x\n")
    frame = outermost(code.functions["f"], "")
    assert cast(code, Place(frame, code.statement(code.functions["f"].body.body[1]), "x")) is None


@pytest.mark.parametrize("head", ["", "import torch\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_cast_that_speaks_of_torch_imports_it_and_leaves_the_lines_of_its_value(head: str, end: str) -> None:
    lines = "def f(self, dtype_override=None):\n    return use(\n        1,\n    )\n"
    code = Code((head + lines).replace("\n", end))
    call = next(node for node in nodes(code.module) if isinstance(node, cst.Call))
    place = Place(outermost(code.functions["f"], ""), code.statement(call), node=call)
    found = cast_edit(code, place, "x")
    assert found is not None
    after = found.after.replace(end, "\n")
    assert after.removeprefix("import torch\n\n").removeprefix("import torch\n") == lines.replace(
        "    )\n", "    ).to(dtype_override or torch.float32)\n"
    )
    assert after.count("import torch") == 1
    assert ".to(" in found.after.splitlines()[found.line - 1]
