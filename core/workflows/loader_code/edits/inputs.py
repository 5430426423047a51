# SPDX-License-Identifier: Apache-2.0
"""Make `load_inputs` return what training needs in addition, by the smallest change; its signature and callers stay.

`inputs` are those of a phase of the CPU repro, `parameters` the names of the model's forward in order, `variant` the
value of the variant that failed. What is right for its return is right for those of the same form in branches of other
variants; with `alone` they stay as they are. All raise TTMatrixError where the file is no Python.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import libcst as cst

from core.workflows.loader_code.analysis import (
    OVERRIDE,
    STEP,
    WIDTH,
    NoSite,
    Returned,
    Splice,
    Tracer,
    constant,
    dotted,
    has_key,
    mapping,
    parsed,
    returned_at,
    returned_by,
    room_after,
    sisters,
)
from core.workflows.loader_code.edits.edit import EditKind, SourceEdit
from core.workflows.loader_code.edits.syntax import import_torch
from core.workflows.loader_code.model_config import Start, start_token

_IDS, _DECODER_IDS, _TARGETS = "input_ids", "decoder_input_ids", "targets"
_TWICE = "repeat_interleave(2, dim=0)"
_BEFORE_A_VALUE = len(f'inputs["{_DECODER_IDS}"] = ')
_OF_A_LIST = re.compile(r"\[\d+\]\[\d+\]$|\w\[\d+\]$")
_TWO_ROWS = "make two rows of the inputs"
_Make: TypeAlias = Callable[[str], str | NoSite]
"""Writes a value, given the name of the variable that holds the inputs; empty if no variable does."""


@dataclass(frozen=True, slots=True)
class Where:
    """The method whose returned value is edited."""

    cls: str = "ModelLoader"
    method: str = "load_inputs"


INPUTS = Where()


def decoder_inputs(
    source: str,
    inputs: Sequence[Mapping[str, Any]],
    parameters: Sequence[str],
    *,
    start: Start | None = None,
    place: Where = INPUTS,
    variant: str = "",
    alone: bool = False,
) -> SourceEdit | NoSite:
    """Pass `decoder_input_ids`: one token per row to start from, `start` if the configuration has one.

    A sequence becomes a mapping by `parameters`; a variable named `decoder_input_ids` in it keeps that
    name as key. NoSite where the returned value cannot be seen, or has the key already.
    """
    if parameters and _DECODER_IDS not in parameters:
        return NoSite(f"the model takes no {_DECODER_IDS}")

    def made(found: Returned) -> SourceEdit | NoSite:
        spoken = start_token(found.code, place.cls, found, start) if start is not None else ""

        def tokens(name: str) -> str | NoSite:
            return _start_tokens(found, name, spoken) if spoken else _first_tokens(found, name)

        return _with_key(found, _DECODER_IDS, tokens, parameters, EditKind.DECODER_INPUTS)

    return _in_returns(source, inputs, place, variant, made, alone=alone)


def detection_targets(
    source: str,
    inputs: Sequence[Mapping[str, Any]],
    parameters: Sequence[str],
    *,
    place: Where = INPUTS,
    variant: str = "",
    alone: bool = False,
) -> SourceEdit | NoSite:
    """Pass `targets`: for each image a mapping with one box inside it and one label other than background.

    Boxes are floating-point (N, 4) as x1, y1, x2, y2 in pixels, in the override dtype if the images follow it, else
    float32; labels are int64. The returned value becomes a mapping by `parameters`.
    """
    if _TARGETS not in parameters:
        return NoSite(f"the model takes no {_TARGETS}")

    def made(found: Returned) -> SourceEdit | NoSite:
        return _with_key(found, _TARGETS, lambda name: _boxes(found, name), parameters, EditKind.TARGETS)

    return _in_returns(source, inputs, place, variant, made, alone=alone)


def batch_of_two(
    source: str,
    inputs: Sequence[Mapping[str, Any]],
    *,
    place: Where = INPUTS,
    variant: str = "",
    alone: bool = False,
) -> SourceEdit | NoSite:
    """Let `load_inputs` make a batch of two rows.

    NoSite where the batch is not 1 already, or where the runner passes a batch size anyway (`batch_size` in the
    signature: since upstream's `9088e8ebb` it is 2 in training).
    """
    shapes = [one["shape"] for one in inputs]
    if not shapes or not all(shape and shape[0] == 1 for shape in shapes):
        return NoSite("the inputs are not one row of tensors each")
    found = returned_by(parsed(source), place.cls, place.method, variant, inputs)
    if isinstance(found, Returned) and found.takes_batch_size:
        return NoSite("the runner passes batch_size=2 in training already")
    if isinstance(found, Returned) and (one := _first_dimension(found)) is not None:
        return _edit(found, EditKind.BATCH, _TWO_ROWS, [one])

    def made(found: Returned) -> SourceEdit | NoSite:
        splices = _repeated(found)
        return splices if isinstance(splices, NoSite) else _edit(found, EditKind.BATCH, _TWO_ROWS, splices)

    return _in_returns(source, inputs, place, variant, made, alone=alone)


def _in_returns(
    source: str,
    inputs: Sequence[Mapping[str, Any]],
    place: Where,
    variant: str,
    made: Callable[[Returned], SourceEdit | NoSite],
    *,
    alone: bool,
) -> SourceEdit | NoSite:
    """The edit of the return for `variant`, and of the returns of the same form that other variants reach.

    `alone`: only of the first.
    """
    found = returned_by(parsed(source), place.cls, place.method, variant, inputs)
    edit = found if isinstance(found, NoSite) else made(found)
    if isinstance(found, NoSite) or isinstance(edit, NoSite) or alone:
        return edit
    first, count = edit, 1
    for sister in sisters(found):
        there = returned_at(parsed(edit.after), place.cls, place.method, sister.number, sister.inputs(inputs))
        if isinstance(more := made(there), SourceEdit):
            edit, count = edit.then(more), count + 1
    if count == 1:
        return first
    return replace(edit, line=first.line, summary=f"{first.summary}, in {count} returns of the same form")


def _with_key(found: Returned, key: str, make: _Make, parameters: Sequence[str], kind: EditKind) -> SourceEdit | NoSite:
    """Add one key to the returned value, or turn it into a mapping; a local variable of that name becomes the value."""
    if has_key(found.value, key) or key in {one["name"].partition("[")[0] for one in found.inputs}:
        return NoSite(f"{key} is passed already (line {found.code.line(found.statement)})")
    own = key if found.has_local(key) else ""
    add = _named if found.is_tensor or found.is_sequence else _added
    splices = add(found, key, (lambda _: own) if own else make, parameters)
    if isinstance(splices, NoSite):
        return splices
    return _edit(found, kind, f"pass {key}{', which is made already' if own else ''}", splices)


def _named(found: Returned, key: str, make: _Make, parameters: Sequence[str]) -> list[Splice] | NoSite:
    """Replace a tensor or a sequence by a mapping with parameter names as keys."""
    if isinstance(found.value, cst.List | cst.Tuple) and found.is_long:
        return _renamed(found, found.value, key, make, parameters)
    variable = ""
    if found.is_long:
        variable = found.free_name(*(parameters[:1] if found.is_tensor else ()), "inputs")
    parts = found.named(parameters, variable)
    if isinstance(parts, NoSite):
        return parts
    if key not in parts:
        value = make(variable or dotted(found.value))
        if isinstance(value, NoSite):
            return value
        parts[key] = value
    display = mapping(parts, room_after(found.code, found.statement))
    return [found.assigned_to(variable), found.after(f"return {display}")] if variable else [found.replaced(display)]


def _renamed(
    found: Returned, display: cst.List | cst.Tuple, key: str, make: _Make, parameters: Sequence[str]
) -> list[Splice] | NoSite:
    """A literal over several lines keeps its place: each element gets its name, and the brackets are exchanged."""
    code, parts = found.code, found.named(parameters)
    if isinstance(parts, NoSite):
        return parts
    splices = [
        Splice(code.start(element.value), code.start(element.value), f'"{name}": ')
        for name, element in zip(parts, display.elements, strict=True)
    ]
    if key not in parts:
        value = make("")
        if isinstance(value, NoSite):
            return value
        splices += _element(found, display, f'"{key}": {value}')
    start, end = code.start(display), code.end(display)
    if isinstance(display, cst.Tuple):
        start, end = found.around()
    return [Splice(start, start + 1, "{"), *splices, Splice(end - 1, end, "}")]


def _added(found: Returned, key: str, make: _Make, parameters: Sequence[str]) -> list[Splice] | NoSite:
    """One more key of a mapping: in its literal, on its variable, or around the expression that makes it."""
    code, returned = found.code, found.value
    if not isinstance(returned, cst.Dict) and found.is_long:
        name = found.free_name("inputs")
        value = make(name)
        if isinstance(value, NoSite):
            return value
        return [found.assigned_to(name), found.after(f'{name}["{key}"] = {value}', f"return {name}")]
    name = dotted(returned)
    value = make(name)
    if isinstance(value, NoSite):
        return value
    if isinstance(returned, cst.Dict):
        return _in_display(found, returned, key, value)
    if name:
        return [found.before(f'{name}["{key}"] = {value}'.replace("\n", f"\n{code.margin(found.statement)}"))]
    return [found.replaced(f'{{**{code.text(returned)}, "{key}": {value}}}')]


def _in_display(found: Returned, display: cst.Dict, key: str, value: str) -> list[Splice]:
    code = found.code
    parts = {}
    for one in display.elements:
        if isinstance(one, cst.DictElement) and isinstance(name := constant(one.key), str):
            parts[name] = code.text(one.value)
    if len(parts) == len(display.elements) and code.line(display) == code.last_line(display):
        return [found.replaced(mapping({**parts, key: value}, room_after(code, found.statement)))]
    return _element(found, display, f'"{key}": {value}')


def _element(found: Returned, display: cst.Dict | cst.List | cst.Tuple, text: str) -> list[Splice]:
    """One more element after the last one of a literal over several lines, and after the comment on that line."""
    code, last = found.code, display.elements[-1]
    comma = isinstance(last.comma, cst.Comma)
    at = code.end_of(b",", code.end(last)) if comma else code.end(last)
    margin = code.margin(last)
    text = text.replace("\n", f"\n{margin}")
    end = code.line_end(at)
    if code.line(last) == code.line(display) or code.part(at, end).partition("#")[0].strip():
        return [Splice(at, at, f" {text}," if comma else f", {text}")]
    return [*([] if comma else [Splice(at, at, ",")]), Splice(end, end, f"{margin}{text}{',' if comma else ''}\n")]


def _start_tokens(found: Returned, name: str, token: str) -> str | NoSite:
    """The start token of the configuration for decoders, for each row."""
    if not (batch := found.batch(name)):
        return NoSite("no input shows the number of rows")
    return _laid_out(found, "torch.full", (f"({batch}, 1)", token, "dtype=torch.long"))


def _laid_out(found: Returned, function: str, given: Sequence[str]) -> str:
    """A call laid out as black does for the value of a key: on one line, on three, or with one argument per line."""
    margin = len(found.code.margin(found.statement))
    line = f"{function}({', '.join(given)})"
    if margin + _BEFORE_A_VALUE + len(line) <= WIDTH:
        return line
    arguments = ", ".join(given)
    if margin + 2 * len(STEP) + len(arguments) <= WIDTH:
        return f"{function}(\n{STEP}{arguments}\n)"
    return f"{function}(\n{''.join(f'{STEP}{one},{chr(10)}' for one in given)})"


def _first_tokens(found: Returned, name: str) -> str | NoSite:
    """The first token of each row, or zeros if the inputs are not tokens."""
    if name and not found.is_tensor and found.shape(_IDS):
        return f'{name}["{_IDS}"][:, :1]'
    if isinstance(found.value, cst.Dict):
        for one in found.value.elements:
            if isinstance(one, cst.DictElement) and constant(one.key) == _IDS and dotted(one.value):
                return f"{dotted(one.value)}[:, :1]"
    if not (batch := found.batch(name)):
        return NoSite("no input shows the number of rows")
    return f"torch.zeros(({batch}, 1), dtype=torch.long)"


def _boxes(found: Returned, name: str) -> str | NoSite:
    images = [one for one in found.inputs if one["shape"] and len(one["shape"]) >= 3]
    if not images:
        return NoSite("no input is an image")
    if not (batch := _number_of_images(found, images, name)):
        return NoSite("no input shows the number of images")
    height, width = images[0]["shape"][-2:]
    dtype = OVERRIDE if OVERRIDE in found.frame.aware and images[0]["dtype"] == "bfloat16" else "torch.float32"
    box = f"[[0.0, 0.0, {max(width // 2, 1)}.0, {max(height // 2, 1)}.0]]"
    return (
        "[\n"
        f'    {{\n        "boxes": torch.tensor({box}, dtype={dtype}),\n'
        '        "labels": torch.ones(1, dtype=torch.int64),\n    }\n'
        f"    for _ in range({batch})\n]"
    )


def _number_of_images(found: Returned, images: Sequence[Mapping[str, Any]], name: str) -> str:
    """The number of images as an expression: the length of a list, or the rows of a batch; empty if unknown."""
    if not all(_OF_A_LIST.search(str(one["name"])) and len(one["shape"]) == 3 for one in images):
        return found.batch(name)
    return "batch_size" if found.takes_batch_size and len(images) == 2 else str(len(images))


def _first_dimension(found: Returned) -> Splice | None:
    """The 1 in the shape of a single tensor: `random_normal(1, 3, 16, 16)`."""
    if not found.is_tensor:
        return None
    shape = found.inputs[0]["shape"]
    calls = [one.node for one in Tracer(found.code).returned(found.frame, ())]
    if len(calls) != 1 or not isinstance(calls[0], cst.Call) or not calls[0].args:
        return None
    first = calls[0].args[0].value
    sizes = [one.value for one in (first.elements if isinstance(first, cst.Tuple | cst.List) else calls[0].args)]
    if [constant(one) for one in sizes[: len(shape)]] != shape:
        return None
    return Splice(found.code.start(sizes[0]), found.code.end(sizes[0]), "2")


def _repeated(found: Returned) -> list[Splice] | NoSite:
    """The returned value with each row twice; a value over several lines stays as it is written."""
    simple = isinstance(found.value, cst.Name | cst.Attribute | cst.Call | cst.Subscript)
    if found.is_tensor and simple and not found.value.lpar:
        end = found.code.end(found.value)
        return [Splice(end, end, f".{_TWICE}")]
    if any("[" in one["name"].removeprefix("[") or "." in one["name"] for one in found.inputs):
        return NoSite("the inputs are nested")
    if found.is_long:
        variable = found.free_name("inputs")
        return [found.assigned_to(variable), found.after(f"return {_twice(found, variable)}")]
    text = found.code.text(found.value)
    displayed = simple or isinstance(found.value, cst.List | cst.Dict)
    return [found.replaced(_twice(found, text if displayed else f"({text})"))]


def _twice(found: Returned, text: str) -> str:
    if found.is_tensor:
        return f"{text}.{_TWICE}"
    if found.is_sequence:
        return f"[one.{_TWICE} for one in {text}]"
    return f"{{key: one.{_TWICE} for key, one in {text}.items()}}"


def _edit(found: Returned, kind: EditKind, summary: str, splices: Sequence[Splice]) -> SourceEdit:
    """The edit of `splices`, importing torch if they are the first to use it."""
    code = found.code
    imports = import_torch(code, found.frame.function) if any("torch." in one.text for one in splices) else []
    first = min(splices, key=lambda one: one.start)
    moved = sum(one.text.count("\n") for one in imports if one.start <= first.start)
    line = code.part(0, first.start).count("\n") + 1 + moved
    return SourceEdit(kind, line, summary, code.source, code.spliced([*imports, *splices]))
