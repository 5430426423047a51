# SPDX-License-Identifier: Apache-2.0
"""What `load_inputs` returns: the one statement that does, and how its parts can be spoken of there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from core.triage.loader_code.arguments import STEP, WIDTH
from core.triage.loader_code.code import Code, Splice, Statement, constant, dotted, parameters
from core.triage.loader_code.edit import NoSite
from core.triage.loader_code.frames import Frame, outermost
from core.triage.loader_code.origin import returns
from core.triage.loader_code.tracer import Tracer
from core.triage.loader_code.variants import member_of

_SINGLE = "tensor"


@dataclass(frozen=True)
class Returned:
    """The return statement, and the inputs that a CPU repro has seen come from it."""

    code: Code
    frame: Frame
    statement: Statement
    value: cst.BaseExpression
    inputs: Sequence[Mapping[str, Any]]
    """As the CPU repro describes them: name, dtype, shape."""

    @property
    def is_tensor(self) -> bool:
        return [one["name"] for one in self.inputs] == [_SINGLE]

    @property
    def is_sequence(self) -> bool:
        return bool(self.inputs) and all(one["name"].startswith("[") for one in self.inputs)

    @property
    def takes_batch_size(self) -> bool:
        return "batch_size" in {one.name.value for one in parameters(self.frame.function)}

    def shape(self, name: str) -> list[int]:
        """Of a tensor among the inputs; empty for anything else."""
        return next((list(one["shape"] or ()) for one in self.inputs if one["name"] == name), [])

    def batch(self) -> str:
        """The number of rows as an expression; empty where nothing tells."""
        if self.takes_batch_size:
            return "batch_size"
        if self.is_tensor and dotted(self.value):
            return f"{dotted(self.value)}.shape[0]"
        shapes = [one["shape"] for one in self.inputs if one["shape"]]
        return str(shapes[0][0]) if shapes else ""

    def named(self, names: Sequence[str]) -> "dict[str, str] | NoSite":
        """The parts as text by parameter, where what is returned is not a mapping already.

        A variable that is called like a parameter is meant for it, wherever in the sequence it stands.
        """
        if self.is_tensor:
            return {names[0]: self.code.text(self.value)} if names else NoSite("the model's parameters are not known")
        parts = self._parts()
        own = {place: part for place, part in enumerate(parts) if part in names}
        rest = [name for name in names if name not in own.values()]
        if len(parts) - len(own) > len(rest):
            return NoSite("more inputs are returned than the model has parameters")
        left = iter(rest)
        return {own[place] if place in own else next(left): part for place, part in enumerate(parts)}

    def _parts(self) -> list[str]:
        if isinstance(self.value, cst.List | cst.Tuple):
            return [self.code.text(one.value) for one in self.value.elements]
        count = len({one["name"].partition("]")[0] for one in self.inputs})
        return [f"{self.code.text(self.value)}[{number}]" for number in range(count)]

    def replaced(self, text: str) -> Splice:
        """Another value in place of the one that is returned; line breaks in `text` are those of a margin of none."""
        margin = self.code.margin(self.statement)
        start, end = self.code.start(self.value), self.code.end(self.value)
        if self.value.lpar:
            start = self.code.start(self.statement) + len("return ")
            end = self.code.end(self.statement)
        return Splice(start, end, text.replace("\n", f"\n{margin}"))

    def before(self, text: str) -> Splice:
        """One statement more, right before the return."""
        at = self.code.line_start(self.code.start(self.statement))
        return Splice(at, at, f"{self.code.margin(self.statement)}{text}\n")


def returned_by(
    code: Code, cls: str, method: str, variant: str, inputs: Sequence[Mapping[str, Any]]
) -> Returned | NoSite:
    """The one return of `method` that is come to for `variant`; NoSite where it is not one, or not in this file."""
    function = code.method(cls, method)
    if function is None:
        return NoSite(f"{cls} has no {method} in this file")
    frame = outermost(function, cls, member_of(code, variant))
    reached = [one for one in returns(function) if Tracer(code).is_reached(one[0], frame) is not False]
    if len(reached) != 1:
        lines = ", ".join(str(code.line(statement)) for statement, _ in reached)
        return NoSite(f"{method} returns in several places: lines {lines}" if reached else f"{method} returns nothing")
    return Returned(code, frame, *reached[0], inputs)


def mapping(parts: Mapping[str, str], room: int) -> str:
    """A display of a mapping, on one line where `room` is enough."""
    pairs = [f'"{name}": {text}' for name, text in parts.items()]
    line = "{" + ", ".join(pairs) + "}"
    if len(line) <= room and "\n" not in line:
        return line
    lines = "".join(f"{STEP}{pair},\n".replace("\n", f"\n{STEP}").removesuffix(STEP) for pair in pairs)
    return f"{{\n{lines}}}"


def room_after(code: Code, statement: Statement) -> int:
    """What is left of a line behind `return `."""
    return WIDTH - len(code.margin(statement)) - len("return ")


def has_key(value: cst.BaseExpression, key: str) -> bool:
    """Whether a display of a mapping has `key`."""
    return isinstance(value, cst.Dict) and any(
        isinstance(one, cst.DictElement) and constant(one.key) == key for one in value.elements
    )
