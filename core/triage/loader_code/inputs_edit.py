# SPDX-License-Identifier: Apache-2.0
"""Give `load_inputs` what training wants besides, by the smallest change; its signature and callers stay.

`inputs` are those of a phase of the CPU repro, `parameters` the names of the model's forward in order, `variant` the
value of the variant that failed. All raise TTMatrixError where the file is no Python.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import libcst as cst

from core.triage.loader_code.code import Code, Splice, constant, dotted
from core.triage.loader_code.edit import Edit, EditKind, NoSite
from core.triage.loader_code.frames import OVERRIDE
from core.triage.loader_code.returned import Returned, has_key, mapping, returned_by, room_after
from core.triage.loader_code.tracer import Tracer

_IDS, _DECODER_IDS, _TARGETS = "input_ids", "decoder_input_ids", "targets"
_TWICE = "repeat_interleave(2, dim=0)"


def decoder_inputs(
    source: str,
    inputs: Sequence[Mapping[str, Any]],
    parameters: Sequence[str],
    *,
    cls: str = "ModelLoader",
    method: str = "load_inputs",
    variant: str = "",
) -> Edit | NoSite:
    """Pass `decoder_input_ids`: one token a row to start from.

    A sequence becomes a mapping by `parameters`, in which a variable that is called `decoder_input_ids` gets its own
    name. NoSite where what is returned cannot be seen, or has the key.
    """
    code = Code(source)
    found = returned_by(code, cls, method, variant, inputs)
    if isinstance(found, NoSite):
        return found
    if parameters and _DECODER_IDS not in parameters:
        return NoSite(f"the model takes no {_DECODER_IDS}")
    return _with_key(found, _DECODER_IDS, _first_tokens(found), parameters, EditKind.DECODER_INPUTS)


def detection_targets(
    source: str,
    inputs: Sequence[Mapping[str, Any]],
    parameters: Sequence[str],
    *,
    cls: str = "ModelLoader",
    method: str = "load_inputs",
    variant: str = "",
) -> Edit | NoSite:
    """Pass `targets`: for each image a mapping of one box within it and one label, which is not the background.

    Boxes are floating-point (N, 4) as x1, y1, x2, y2 in pixels, in the override where the images follow it, else
    float32; labels are int64. What is returned becomes a mapping by `parameters`.
    """
    code = Code(source)
    found = returned_by(code, cls, method, variant, inputs)
    if isinstance(found, NoSite):
        return found
    if _TARGETS not in parameters:
        return NoSite(f"the model takes no {_TARGETS}")
    return _with_key(found, _TARGETS, _boxes(found), parameters, EditKind.TARGETS)


def batch_of_two(
    source: str,
    inputs: Sequence[Mapping[str, Any]],
    *,
    cls: str = "ModelLoader",
    method: str = "load_inputs",
    variant: str = "",
) -> Edit | NoSite:
    """Let `load_inputs` make two rows of everything.

    NoSite where the batch is not 1 already, or where the runner passes a batch size anyway (`batch_size` in the
    signature: since upstream's `9088e8ebb` it is 2 in training).
    """
    code = Code(source)
    found = returned_by(code, cls, method, variant, inputs)
    if isinstance(found, NoSite):
        return found
    if found.takes_batch_size:
        return NoSite("the runner passes batch_size=2 in training already")
    shapes = [one["shape"] for one in inputs]
    if not shapes or not all(shape and shape[0] == 1 for shape in shapes):
        return NoSite("the inputs are not one row of tensors each")
    splice = _first_dimension(found) or _repeated(found)
    if isinstance(splice, NoSite):
        return splice
    return _edit(found, EditKind.BATCH, "make two rows of the inputs", splice)


def _with_key(
    found: Returned, key: str, value: str | NoSite, parameters: Sequence[str], kind: EditKind
) -> Edit | NoSite:
    """Add one key to what is returned, or make a mapping of it."""
    summary = f"pass {key}"
    if has_key(found.value, key) or key in {one["name"].partition("[")[0] for one in found.inputs}:
        return NoSite(f"{key} is passed already (line {found.code.line(found.statement)})")
    if found.is_tensor or found.is_sequence:
        parts = found.named(parameters)
        if isinstance(parts, NoSite):
            return parts
        if key not in parts:
            if isinstance(value, NoSite):
                return value
            parts[key] = value
        return _edit(found, kind, summary, found.replaced(mapping(parts, room_after(found.code, found.statement))))
    if isinstance(value, NoSite):
        return value
    return _edit(found, kind, summary, _added(found, key, value))


def _added(found: Returned, key: str, value: str) -> Splice:
    """One more key of a mapping: in its display, of its variable, or around whatever makes it."""
    code, returned = found.code, found.value
    if isinstance(returned, cst.Dict):
        parts = {}
        for one in returned.elements:
            if isinstance(one, cst.DictElement) and isinstance(name := constant(one.key), str):
                parts[name] = code.text(one.value)
        if len(parts) == len(returned.elements) and code.line(returned) == code.last_line(returned):
            return found.replaced(mapping({**parts, key: value}, room_after(code, found.statement)))
        return _element(found, returned, f'"{key}": {value}')
    if name := dotted(returned):
        return found.before(f'{name}["{key}"] = {value}'.replace("\n", f"\n{code.margin(found.statement)}"))
    return found.replaced(f'{{**{code.text(returned)}, "{key}": {value}}}')


def _element(found: Returned, display: cst.Dict, text: str) -> Splice:
    """One more element behind the last one of a display over several lines."""
    code, last = found.code, display.elements[-1]
    at = code.end(last)
    margin = code.margin(last)
    text = text.replace("\n", f"\n{margin}")
    if isinstance(last.comma, cst.Comma):
        at = code.end_of(b",", at)
        return Splice(at, at, f"\n{margin}{text},")
    return Splice(at, at, f",\n{margin}{text}" if code.line(last) != code.line(display) else f", {text}")


def _first_tokens(found: Returned) -> str | NoSite:
    """The first token of each row, or zeros where the inputs are no tokens."""
    name = dotted(found.value)
    if name and not found.is_tensor and found.shape(_IDS):
        return f'{name}["{_IDS}"][:, :1]'
    if isinstance(found.value, cst.Dict):
        for one in found.value.elements:
            if isinstance(one, cst.DictElement) and constant(one.key) == _IDS and dotted(one.value):
                return f"{dotted(one.value)}[:, :1]"
    if not (batch := found.batch()):
        return NoSite("no input tells the number of rows")
    return f"torch.zeros(({batch}, 1), dtype=torch.long)" if _has_torch(found.code) else _NO_TORCH


def _boxes(found: Returned) -> str | NoSite:
    images = [one for one in found.inputs if one["shape"] and len(one["shape"]) >= 3]
    if not images:
        return NoSite("no input is an image")
    if not (batch := found.batch()):
        return NoSite("no input tells the number of images")
    if not _has_torch(found.code):
        return _NO_TORCH
    height, width = images[0]["shape"][-2:]
    dtype = OVERRIDE if OVERRIDE in found.frame.aware and images[0]["dtype"] == "bfloat16" else "torch.float32"
    box = f"[[0.0, 0.0, {max(width // 2, 1)}.0, {max(height // 2, 1)}.0]]"
    return (
        "[\n"
        f'    {{\n        "boxes": torch.tensor({box}, dtype={dtype}),\n'
        '        "labels": torch.ones(1, dtype=torch.int64),\n    }\n'
        f"    for _ in range({batch})\n]"
    )


def _first_dimension(found: Returned) -> Splice | None:
    """The 1 that a single tensor is made with: `random_normal(1, 3, 16, 16)`."""
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


def _repeated(found: Returned) -> Splice | NoSite:
    text = found.code.text(found.value)
    simple = isinstance(found.value, cst.Name | cst.Attribute | cst.Call | cst.Subscript | cst.List | cst.Dict)
    text = text if simple else f"({text})"
    if found.is_tensor:
        return found.replaced(f"{text}.{_TWICE}")
    if found.is_sequence:
        return found.replaced(f"[one.{_TWICE} for one in {text}]")
    if any("[" in one["name"] or "." in one["name"] for one in found.inputs):
        return NoSite("the inputs are nested")
    return found.replaced(f"{{key: one.{_TWICE} for key, one in {text}.items()}}")


def _edit(found: Returned, kind: EditKind, summary: str, splice: Splice) -> Edit:
    line = found.code.part(0, splice.start).count("\n") + 1
    return Edit(kind, line, summary, found.code.source, found.code.spliced([splice]))


_NO_TORCH = NoSite("the file does not import torch, which makes tensors")


def _has_torch(code: Code) -> bool:
    return any(code.text(one) == "import torch" for one in code.module.body)
