# SPDX-License-Identifier: Apache-2.0
"""Put one guarded `.to(dtype_override)` at a place that a tensor passes."""

import libcst as cst

from core.workflows.loader_code.analysis import (
    OVERRIDE,
    AttributeKey,
    Code,
    Path,
    Place,
    Splice,
    Statement,
    constant,
    dotted,
    mentions,
    nodes,
    spoken_name,
    suite,
    writes,
)
from core.workflows.loader_code.edits.edit import EditKind, SourceEdit
from core.workflows.loader_code.edits.syntax import import_torch


def cast(code: Code, place: Place) -> tuple[Splice, int] | None:
    """The change and the line of the cast afterwards; None if no cast can be put there."""
    name = spoken_name(place.frame, code, place.at)
    if not name:
        return None
    if place.node is not None:
        return _expression(code, place.node, name)
    target = _target(place.name, place.access)
    return _statement(code, place, target, name) if target else None


def cast_edit(code: Code, place: Place, what: str) -> SourceEdit | None:
    """The edit that casts `what` at `place`, importing torch if the cast names it; None if no cast is possible."""
    if (made := cast(code, place)) is None:
        return None
    splice, line = made
    imports = import_torch(code, place.frame.function) if "torch." in splice.text else []
    line += sum(one.text.count("\n") for one in imports)
    return SourceEdit(EditKind.CAST, line, f"cast {what} to {OVERRIDE}", code.source, code.spliced([*imports, splice]))


def _target(name: str, access: Path) -> str:
    """`inputs["pixel_values"]`, or the attribute if the code reads it so; empty if the part has no name."""
    for step in access:
        if step is None:
            return ""
        name += f".{step}" if isinstance(step, AttributeKey) else f"[{_literal(step)}]"
    return name


def _literal(key: str | int) -> str:
    return str(key) if isinstance(key, int) else '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _expression(code: Code, node: cst.BaseExpression, name: str) -> tuple[Splice, int]:
    """Cast a value without a name: `x` becomes `x.to(name or torch.float32)`; float32 is its dtype already.

    If the expression is reached only with an override, the cast names the override alone.
    """
    simple = isinstance(node, cst.Call | cst.Name | cst.Attribute | cst.Subscript)
    dtype = name if _is_come_to_with(code, node, name) else f"{name} or torch.float32"
    end = code.end(node)
    if simple:
        return Splice(end, end, f".to({dtype})"), code.last_line(node)
    text = code.text(node).replace("\r\n", "\n")
    return Splice(code.start(node), end, f"({text}).to({dtype})"), code.last_line(node)


def _statement(code: Code, place: Place, target: str, name: str) -> tuple[Splice, int] | None:
    """After the last assignment, if one is in force when the place begins; else right before the place."""
    block, position, written = _last_write(code, place)
    if block is None:
        return None
    step = code.module.default_indent
    change = f"{target} = {target}.to({name})"
    presence = _presence(place) if written is not None and _may_lack(block.body[written], place) else ""
    present = f"if {presence}:\n{{margin}}{step}{change}" if presence else change
    begin = position if written is None else written + 1
    for statement in block.body[begin:position]:
        if (inside := _guarded(statement, name)) is not None:
            return _after(code, inside, present)
    guard = f"{name} is not None and {presence}" if presence else f"{name} is not None"
    lines = present if _is_guarded(code, block, name) else f"if {guard}:\n{{margin}}{step}{change}"
    if written is not None:
        return _after(code, block.body[written], lines)
    return _before(code, block.body[position], lines)


def _presence(place: Place) -> str:
    """The condition that the variable has the part that is cast."""
    key = place.access[0]
    if isinstance(key, AttributeKey):
        return f"hasattr({place.name}, {_literal(key)})"
    return f"{_literal(key)} in {place.name}" if isinstance(key, str) else ""


def _may_lack(statement: Statement, place: Place) -> bool:
    """Whether branches of `statement` assign values of several kinds, so that some may lack the part that is cast.

    A dictionary shows its keys; the results of two functions are of two kinds.
    """
    if not place.access or isinstance(statement, cst.SimpleStatementLine):
        return False
    kinds: set[str | bool] = set()
    for node in nodes(statement):
        if isinstance(node, cst.Assign) and any(dotted(one.target) == place.name for one in node.targets):
            kinds.add(_kind(node.value, place.access[0]))
    return False in kinds or len(kinds) > 1


def _kind(value: cst.BaseExpression, part: str | int | None) -> str | bool:
    """The called function, or whether a dictionary has the key; empty: some other value."""
    match value:
        case cst.Call(func=func):
            return dotted(func)
        case cst.Dict(elements=elements):
            return any(isinstance(one, cst.DictElement) and constant(one.key) == part for one in elements)
    return ""


def _last_write(code: Code, place: Place) -> tuple[cst.IndentedBlock | None, int, int | None]:
    """The innermost block around the place that assigns before it, the index of the place in it, and the assignment."""
    at: cst.CSTNode = place.at
    innermost: tuple[cst.IndentedBlock | None, int, int | None] = (None, 0, None)
    for node in code.above(place.at):
        if isinstance(node, cst.IndentedBlock):
            position = next(number for number, one in enumerate(node.body) if one is at)
            written = [number for number in range(position) if writes(node.body[number], place.name)]
            innermost = innermost if innermost[0] is not None else (node, position, None)
            if written:
                return node, position, written[-1]
        if isinstance(node, cst.FunctionDef | cst.For | cst.While | cst.Try | cst.With):
            break
        if isinstance(node, cst.If):
            if mentions(node.test, place.frame.aware):
                break  # What this branch decides must not be decided for the omitted cases.
            at = node
    return innermost


def _is_come_to_with(code: Code, node: cst.CSTNode, name: str) -> bool:
    for around in code.above(node):
        if isinstance(around, cst.If | cst.IfExp) and node is around.body and _ensures(around.test, name):
            return True
        if isinstance(around, cst.FunctionDef):
            break
        node = around
    return False


def _is_guarded(code: Code, block: cst.IndentedBlock, name: str) -> bool:
    guard = code.parent(block)
    return isinstance(guard, cst.If) and guard.body is block and _ensures(guard.test, name)


def _ensures(test: cst.BaseExpression, name: str) -> bool:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        return _ensures(test.left, name) or _ensures(test.right, name)
    return _is_guard(test, name)


def _is_guard(test: cst.BaseExpression, name: str) -> bool:
    match test:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=cst.IsNot(), comparator=right)]):
            return dotted(left) == name and dotted(right) == "None"
    return False


def _guarded(statement: Statement, name: str) -> Statement | None:
    """The last statement under `if dtype_override is not None:`."""
    if isinstance(statement, cst.If) and statement.orelse is None and _is_guard(statement.test, name):
        last = suite(statement.body)[-1:]
        return last[0] if last and isinstance(last[0], cst.SimpleStatementLine) else None
    return None


def _after(code: Code, statement: Statement, lines: str) -> tuple[Splice, int]:
    margin = code.margin(statement)
    at = code.line_end(max(code.start(statement), code.end(statement) - 1))
    text = margin + lines.replace("{margin}", margin) + "\n"
    if not code.part(0, at).endswith("\n"):
        text = "\n" + text.removesuffix("\n")
    return Splice(at, at, text), code.part(0, at).count("\n") + 1


def _before(code: Code, statement: Statement, lines: str) -> tuple[Splice, int]:
    margin = code.margin(statement)
    at = code.line_start(code.start(statement))
    return Splice(at, at, margin + lines.replace("{margin}", margin) + "\n"), code.line(statement)
