# SPDX-License-Identifier: Apache-2.0
"""The result of a comparison, as data for programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch

from ..backend import Backend, BackendMissing
from ..ops.backends import choose_backend
from ..ops.cases import Argument, Case, Manifest, Tensor
from ..ops.errors import first_lines
from ..ops.files import Place
from ..ops.load import read_text
from ..ops.reading import Defaults
from ..ops.recorded import MOST_STORED
from ..ops.recording import Recorder
from ..ops.results import FAIL
from ..ops.running import run_case
from ..ops.writing import NotWritable, manifest_text
from .distance import Distance
from .engine import Culprit, Step
from .verdict import Found, Whole


def report(found: Found, alone: Alone | None, root: Path) -> dict[str, Any]:
    """The report as JSON. Non-finite numbers are null; a text beside them gives their value."""
    steps, culprit = found.engine.steps, found.engine.culprit
    return {
        "verdict": found.verdict,
        "first": None if culprit is None else _first(culprit, root),
        "departures": sum(step.departs for step in steps),
        "calls": len(steps),
        "complete": found.complete,
        "curve": [_point(number, step, root) for number, step in enumerate(steps)],
        "capture": {"by": found.capture, "graphs": found.graphs, "failed": list(found.reasons)},
        "whole": _whole(found.whole),
        "by_op": None if found.by_op is None else _whole(found.by_op),
        "passed_over": dict(found.engine.passed_over),
        "minimised": None if found.minimised is None else found.minimised._asdict(),
        "case": str(alone.path) if alone is not None and alone.path is not None else None,
        "case_fails": alone is not None and alone.fails,
        "case_message": "" if alone is None else alone.message,
    }


def described(culprit: Culprit, root: Path) -> str:
    """The place of the call, in the form of descriptions of op cases."""
    place = culprit.step.place
    where = f"{shown(place.file, root)}:{place.line}" if place.file else ""
    parts = (where, f"code: {place.code}" if place.code else "", f"module {place.module}" if place.module else "")
    return "; ".join(filter(None, parts))


def shown(file: str, root: Path) -> str:
    """A file relative to the checkout if it is inside, else its path unchanged."""
    path = Path(file)
    return path.relative_to(root).as_posix() if file and path.is_relative_to(root) else file


def _first(culprit: Culprit, root: Path) -> dict[str, Any]:
    step = culprit.step
    return {
        **_placed(culprit.number, step, root),
        "code": step.place.code,
        "dtype": step.dtype,
        "shape": list(step.shape),
        **_distance(step.isolated),
        "rtol": culprit.rtol,
        "atol": culprit.atol,
        "error": step.error,
    }


def _point(number: int, step: Step, root: Path) -> dict[str, Any]:
    point = _placed(number, step, root) | {"departs": step.departs, "isolated": _distance(step.isolated)}
    return point | {"cumulative": None if step.cumulative is None else _distance(step.cumulative)}


def _placed(number: int, step: Step, root: Path) -> dict[str, Any]:
    place = step.place
    return {
        "number": number,
        "op": step.op,
        "module": place.module,
        "file": shown(place.file, root),
        "line": place.line,
    }


def _whole(whole: Whole) -> dict[str, Any]:
    numbers = _distance(Distance() if whole.distance is None else whole.distance)
    return {"departs": whole.departs, "error": whole.error, **numbers}


def _distance(apart: Distance) -> dict[str, Any]:
    return {
        "rel": _number(apart.rel),
        "max_rel": _number(apart.max_rel),
        "max_abs": _number(apart.max_abs),
        "pcc": None if apart.pcc is None else _number(apart.pcc),
        "mismatched": _number(apart.mismatched),
        "problem": apart.problem,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


_MOST_BYTES = 1 << 32
_LARGEST_TOLERANCE = 1.0
"""The largest tolerance that manifests allow."""


class Alone(NamedTuple):
    """A manifest of one case."""

    path: Path | None
    """None: no case can express the call."""
    fails: bool
    """Whether it failed when run by itself."""
    message: str
    """Its error message then, or why there is no case."""


def write_alone(
    culprit: Culprit, backend: str, model: str, description: str, path: Path, tell: Callable[[str], None]
) -> Alone:
    """Write `culprit` to `path`, with its values in a file beside it if random values do not fail."""
    call, step = culprit.call, culprit.step
    dtype = step.dtype or "float32"
    found = Recorder("torch", dtype, path.parent).prepare(step.op, call.function, call.args, call.kwargs)
    if isinstance(found, str):
        return Alone(None, False, f"no case can say it: {found}")
    rtol = min(culprit.rtol, _LARGEST_TOLERANCE)
    found = found._replace(name=step.op.removeprefix("torch."), rtol=rtol, atol=culprit.atol, description=description)
    try:
        side = choose_backend(backend)
    except BackendMissing as error:
        return Alone(None, False, str(error))
    path.parent.mkdir(parents=True, exist_ok=True)
    values = path.with_suffix(".pt")
    last = Alone(None, False, "")
    for text in _texts(found, culprit, model, backend, values):
        path.write_text(text, encoding="utf-8")
        last = _run(path, side)
        tell(f"the case alone: {last.message}")
        if last.fails:
            break
    if last.path is not None and values.name not in path.read_text(encoding="utf-8"):
        values.unlink(missing_ok=True)
    return last


def _texts(case: Case, culprit: Culprit, model: str, backend: str, values: Path) -> Iterator[str]:
    """Variants to try: random values, the model's values, and these with a contiguous layout."""
    comments = [f"The first call of {model} that {backend} computes otherwise than the CPU."]
    defaults = Defaults(dtype=case.dtype)

    def text(one: Case) -> str:
        return manifest_text(Manifest("", model, (one,)), defaults, comments)

    yield text(case)
    tensors = culprit.call.tensors
    torch.save({f"input_{at}": one.contiguous() for at, one in enumerate(tensors)}, values)
    for strided in (True, False):
        numbered = iter(enumerate(tensors))
        inputs = tuple(_with_values(one, numbered, values.name, strided) for one in case.inputs)
        yield text(case._replace(inputs=inputs))


def _with_values(argument: Argument, tensors: Iterator[tuple[int, torch.Tensor]], file: str, strided: bool) -> Argument:
    """The argument with the values of the model, inline if they are few."""

    def one(tensor: Tensor) -> Tensor:
        # An index next to slices is a list in the case, not a tensor.
        at, value = next((pair for pair in tensors if tuple(pair[1].shape) == tensor.shape), (0, None))
        if value is None:
            return tensor
        if not strided or tensor.preset:
            plain = tensor._replace(preset="", preset_args={}, base_shape=None)
            tensor = plain._replace(stride=None, storage_offset=0, contiguous=True)
        if value.numel() <= MOST_STORED and bool(torch.isfinite(value).all()):
            return tensor._replace(init="data", init_args={}, data=value.tolist())
        return tensor._replace(init="file", init_args={}, data=None, file=file, key=f"input_{at}")

    if isinstance(argument, Tensor):
        return one(argument)
    if isinstance(argument, tuple) and argument and all(isinstance(part, Tensor) for part in argument):
        return tuple(map(one, argument))  # type: ignore[arg-type]
    return argument


def _run(path: Path, side: Backend) -> Alone:
    try:
        read: Any = read_text(path.read_text(encoding="utf-8"), str(path))
        if read.problems:
            return Alone(path, False, f"it cannot be read: {read.problems[0].message}")
        result = run_case(read.cases[0], side, Place(path, path.parent, _MOST_BYTES))
    except (NotWritable, OSError, RuntimeError, ValueError) as error:
        return Alone(path, False, f"it cannot be run: {first_lines(error)}")
    return Alone(path, result.status == FAIL, f"{result.status} {result.message}".strip())
