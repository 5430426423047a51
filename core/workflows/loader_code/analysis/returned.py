# SPDX-License-Identifier: Apache-2.0
"""The single return of `load_inputs`, and expressions that name its parts there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from core.workflows.loader_code.analysis.code import (
    STEP,
    WIDTH,
    Code,
    NoSite,
    Splice,
    Statement,
    constant,
    dotted,
    member_of,
    nodes,
    parameters,
)
from core.workflows.loader_code.analysis.frames import Frame, outermost
from core.workflows.loader_code.analysis.origin import returns
from core.workflows.loader_code.analysis.reaching import Reaching
from core.workflows.loader_code.analysis.tracer import Tracer

_SINGLE = "tensor"
_RETURN = "return"
_ASKED_ROWS = 2
"""The batch size that the runner passes in training, if `load_inputs` takes one."""
_OUTER = re.compile(r"\w+|\[\d+\]")
"""Names of inputs that are not part of another input."""


@dataclass(frozen=True)
class Returned:
    """The return statement, and the inputs that a CPU repro has seen it produce."""

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
        """The shape of a tensor among the inputs; empty for anything else."""
        return next((list(one["shape"] or ()) for one in self.inputs if one["name"] == name), [])

    def has_local(self, name: str) -> bool:
        """Whether a variable of that name has a value on every path to the return."""
        return Reaching(self.code, self.frame).is_certain(self.statement, name)

    def free_name(self, *wanted: str) -> str:
        """The first of `wanted` that the function does not use, else the last one with a suffix."""
        used = {one.value for one in nodes(self.frame.function) if isinstance(one, cst.Name)}
        return next((name for name in wanted if name not in used), f"{wanted[-1]}_")

    def rows(self) -> int:
        """How many rows the repro had; 0: unknown, or inputs differ."""
        counts = {one["shape"][0] for one in self._outer() if one["shape"]}
        return counts.pop() if len(counts) == 1 else 0

    def batch(self, name: str = "") -> str:
        """The number of rows as an expression, `name` being the variable of the inputs; empty if unknown.

        `batch_size` is used only if the rows follow it: in training the runner asks for two.
        """
        rows = self.rows()
        if self.takes_batch_size and rows in (0, _ASKED_ROWS):
            return "batch_size"
        held = self._tensor(name or dotted(self.value))
        return f"{held}.shape[0]" if held else str(rows or "")

    def _tensor(self, name: str) -> str:
        """An expression for a tensor among the inputs whose first dimension is the batch; empty if there is none."""
        if self.is_tensor:
            return name
        outer = [str(one["name"]) for one in self._outer() if one["shape"]]
        if isinstance(self.value, cst.Dict | cst.List | cst.Tuple):
            spoken = (dotted(part) for key, part in _elements(self.value) if key in outer)
            return next(filter(None, spoken), "")
        if not name or not outer:
            return ""
        return f"{name}{outer[0]}" if outer[0].startswith("[") else f'{name}["{outer[0]}"]'

    def _outer(self) -> list[Mapping[str, Any]]:
        """The inputs that are not part of another input."""
        return [one for one in self.inputs if _OUTER.fullmatch(str(one["name"]))]

    def named(self, names: Sequence[str], variable: str = "") -> "dict[str, str] | NoSite":
        """The parts as text by parameter, if the returned value is not a mapping already.

        A variable named like a parameter is taken for it, at any position of the sequence. `variable` is the name that
        the value was assigned to.
        """
        text = variable or self.code.text(self.value)
        if self.is_tensor:
            return {names[0]: text} if names else NoSite("the model's parameters are not known")
        parts = self._parts(text)
        own = {place: part for place, part in enumerate(parts) if part in names}
        rest = [name for name in names if name not in own.values()]
        if len(parts) - len(own) > len(rest):
            return NoSite("more inputs are returned than the model has parameters")
        left = iter(rest)
        return {own[place] if place in own else next(left): part for place, part in enumerate(parts)}

    def _parts(self, text: str) -> list[str]:
        if isinstance(self.value, cst.List | cst.Tuple):
            return [self.code.text(one.value) for one in self.value.elements]
        count = len({one["name"].partition("]")[0] for one in self.inputs})
        return [f"{text}[{number}]" for number in range(count)]

    def replaced(self, text: str) -> Splice:
        """Replace the returned value by `text`, whose line breaks are written as if the margin were zero."""
        margin = self.code.margin(self.statement)
        start, end = self.around() if self.value.lpar else (self.code.start(self.value), self.code.end(self.value))
        return Splice(start, end, text.replace("\n", f"\n{margin}"))

    def around(self) -> tuple[int, int]:
        """Start and end of the value, including the parentheses around it."""
        after = self.code.start(self.statement) + len(_RETURN)
        rest = self.code.part(after, self.code.end(self.statement))
        return after + len(rest) - len(rest.lstrip()), self.code.end(self.statement)

    def assigned_to(self, name: str) -> Splice:
        """Assign the value to variable `name` instead of returning it: its lines stay as they are."""
        start = self.code.start(self.statement)
        space = "" if self.code.part(start, start + len(_RETURN) + 1)[-1:].isspace() else " "
        return Splice(start, start + len(_RETURN), f"{name} ={space}")

    def after(self, *lines: str) -> Splice:
        """Insert statements after the return; their line breaks are written as if the margin were zero."""
        margin, at = self.code.margin(self.statement), self.code.line_end(self.code.end(self.statement))
        text = "".join(f"{margin}{line}\n".replace("\n", f"\n{margin}").removesuffix(margin) for line in lines)
        open_end = not self.code.part(0, at).endswith("\n")
        return Splice(at, at, f"\n{text.removesuffix(chr(10))}" if open_end else text)

    @property
    def is_long(self) -> bool:
        """Whether the value spans several lines."""
        return self.code.line(self.statement) != self.code.last_line(self.statement)

    def before(self, text: str) -> Splice:
        """Insert one statement right before the return."""
        at = self.code.line_start(self.code.start(self.statement))
        return Splice(at, at, f"{self.code.margin(self.statement)}{text}\n")


def returned_by(
    code: Code, cls: str, method: str, variant: str, inputs: Sequence[Mapping[str, Any]]
) -> Returned | NoSite:
    """The return of `method` that is reached for `variant` and gives `inputs`.

    NoSite if there is none in this file, or several that could be meant.
    """
    function = code.method(cls, method)
    if function is None:
        return NoSite(f"{cls} has no {method} in this file")
    frame = outermost(function, cls, member_of(code, variant))
    reached = _reached(code, frame)
    meant = reached if len(reached) == 1 else [one for one in reached if _fits(one[1], inputs)]
    if len(meant) != 1 and not _alike(code, [value for _, value in meant]):
        lines = ", ".join(str(code.line(statement)) for statement, _ in reached)
        return NoSite(f"{method} returns in several places: lines {lines}" if reached else f"{method} returns nothing")
    return Returned(code, frame, *meant[0], inputs)


def _reached(code: Code, frame: Frame) -> list[tuple[Statement, cst.BaseExpression]]:
    """The returns that may be reached: none after one that is reached for certain."""
    found = []
    for statement, value in returns(frame.function):
        known = Tracer(code).is_reached(statement, frame)
        if known is not False:
            found.append((statement, value))
        if known:
            break
    return found


@dataclass(frozen=True, slots=True)
class Sister:
    """Another return of the same form: what is right for one of them is right for the other."""

    number: int
    """Its place among the returns of the method."""
    names: tuple[tuple[str, str], ...]
    """The parts that it has, in order, each as the first return names it; empty there: only this one has it."""

    def name(self, first: str) -> str:
        """How the part that the first return calls `first` is named here; empty: it is not returned."""
        head = _OUTER.match(first)
        if not self.names or head is None:
            return first
        own = next((own for own, theirs in self.names if theirs == head[0]), "")
        return own + first[head.end() :] if own else ""

    def inputs(self, first: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The inputs that it gives, as far as those of the first return tell."""
        if not self.names:
            return list(first)
        known = [{**one, "name": self.name(str(one["name"]))} for one in first if self.name(str(one["name"]))]
        rest = (own for own, theirs in self.names if not theirs)
        return [*known, *({"name": own, "type": "Tensor", "dtype": None, "shape": None} for own in rest)]


def sisters(found: Returned) -> list[Sister]:
    """The other returns of the method that have the form of `found`, whichever variant reaches them."""
    every = returns(found.frame.function)
    return [
        Sister(number, names)
        for number, (statement, value) in enumerate(every)
        if statement is not found.statement and (names := _same_parts(found.code, found.value, value)) is not None
    ]


def returned_at(code: Code, cls: str, method: str, number: int, inputs: Sequence[Mapping[str, Any]]) -> Returned:
    """The return with that place among those of `method`, which must be there, for whatever variant reaches it."""
    function = code.method(cls, method)
    if function is None:
        raise ValueError(f"{cls} has no {method}")
    return Returned(code, outermost(function, cls), *returns(function)[number], inputs)


def _same_parts(code: Code, first: cst.BaseExpression, other: cst.BaseExpression) -> tuple[tuple[str, str], ...] | None:
    """The parts of `other`, each with its name in `first`; None: it has another form."""
    if not isinstance(first, cst.Dict | cst.List | cst.Tuple):
        return () if code.text(first) == code.text(other) else None
    if type(first) is not type(other) or not isinstance(other, cst.Dict | cst.List | cst.Tuple):
        return None
    mine, theirs = _named_parts(code, first), _named_parts(code, other)
    keyed = isinstance(first, cst.Dict)
    names = tuple((own, _counterpart(own, text, mine, keyed=keyed)) for own, text in theirs.items())
    return names if any(name for _, name in names) else None


def _counterpart(own: str, text: str, first: Mapping[str, str], *, keyed: bool) -> str:
    """The name in the first return: the same key, or the place of the same expression."""
    if keyed:
        return own if own in first else ""
    return next((name for name, written in first.items() if written == text), "")


def _named_parts(code: Code, display: cst.Dict | cst.List | cst.Tuple) -> dict[str, str]:
    return {name: code.text(part) for name, part in _elements(display)}


def _alike(code: Code, values: Sequence[cst.BaseExpression]) -> bool:
    return bool(values) and all(_same_parts(code, values[0], other) is not None for other in values[1:])


def _fits(value: cst.BaseExpression, inputs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a literal has the parts that the CPU repro has seen; anything else may have them."""
    if not isinstance(value, cst.Dict | cst.List | cst.Tuple):
        return True
    heads = (_OUTER.match(str(one["name"])) for one in inputs)
    return {name for name, _ in _elements(value)} == {head[0] for head in heads if head is not None}


def mapping(parts: Mapping[str, str], room: int) -> str:
    """A dict literal, on one line if it fits into `room` characters."""
    pairs = [f'"{name}": {text}' for name, text in parts.items()]
    line = "{" + ", ".join(pairs) + "}"
    if len(line) <= room and "\n" not in line:
        return line
    lines = "".join(f"{STEP}{pair},\n".replace("\n", f"\n{STEP}").removesuffix(STEP) for pair in pairs)
    return f"{{\n{lines}}}"


def room_after(code: Code, statement: Statement) -> int:
    """How many characters of a line remain after `return `."""
    return WIDTH - len(code.margin(statement)) - len("return ")


def _elements(display: cst.Dict | cst.List | cst.Tuple) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The parts of a literal, each with the name that the repro gives it."""
    if isinstance(display, cst.Dict):
        for one in display.elements:
            if isinstance(one, cst.DictElement):
                yield str(constant(one.key)), one.value
        return
    for number, element in enumerate(display.elements):
        yield f"[{number}]", element.value


def has_key(value: cst.BaseExpression, key: str) -> bool:
    """Whether a dict literal has `key`."""
    return isinstance(value, cst.Dict) and any(
        isinstance(one, cst.DictElement) and constant(one.key) == key for one in value.elements
    )
