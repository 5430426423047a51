# SPDX-License-Identifier: Apache-2.0
"""Put one guarded `.to(dtype_override)` at a place that a tensor passes."""

import libcst as cst

from core.triage.loader_code.code import Code, Splice, Statement, dotted
from core.triage.loader_code.frames import Path, spoken_name
from core.triage.loader_code.origin import Place
from core.triage.loader_code.reaching import writes

_STEP = "    "


def cast(code: Code, place: Place) -> tuple[Splice, int] | None:
    """The change, and the line where it is afterwards; None where nothing can be put there."""
    name = spoken_name(place.frame, code, place.at)
    if not name:
        return None
    if place.node is not None:
        return _expression(code, place.node, name)
    target = _target(place.name, place.access)
    return _statement(code, place, target, name) if target else None


def _target(name: str, access: Path) -> str:
    """`inputs["pixel_values"]`; empty where the part has no name."""
    for step in access:
        if step is None:
            return ""
        text = str(step) if isinstance(step, int) else '"' + step.replace("\\", "\\\\").replace('"', '\\"') + '"'
        name += f"[{text}]"
    return name


def _expression(code: Code, node: cst.BaseExpression, name: str) -> tuple[Splice, int]:
    """A value without a name: `x` becomes `x.to(name or torch.float32)`, float32 being what it is already."""
    text = code.text(node)
    simple = isinstance(node, cst.Call | cst.Name | cst.Attribute | cst.Subscript) or node.lpar
    changed = f"{text if simple else f'({text})'}.to({name} or torch.float32)"
    return Splice(code.start(node), code.end(node), changed), code.last_line(node)


def _statement(code: Code, place: Place, target: str, name: str) -> tuple[Splice, int] | None:
    block = code.parent(place.at)
    if not isinstance(block, cst.IndentedBlock):
        return None
    position = next(number for number, one in enumerate(block.body) if one is place.at)
    written = [number for number in range(position) if writes(block.body[number], place.name)]
    begin = written[-1] + 1 if written else position
    for statement in block.body[begin:position]:
        if (inside := _guarded(statement, name)) is not None:
            return _after(code, inside, f"{target} = {target}.to({name})")
    lines = f"if {name} is not None:\n{{margin}}{_STEP}{target} = {target}.to({name})"
    if written:
        return _after(code, block.body[written[-1]], lines)
    return _before(code, place.at, lines)


def _guarded(statement: Statement, name: str) -> Statement | None:
    """The last statement under `if dtype_override is not None:`."""
    match statement:
        case cst.If(
            test=cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=cst.IsNot(), comparator=right)]),
            body=cst.IndentedBlock(body=[*_, last]),
            orelse=None,
        ) if dotted(left) == name and dotted(right) == "None" and isinstance(last, cst.SimpleStatementLine):
            return last
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
