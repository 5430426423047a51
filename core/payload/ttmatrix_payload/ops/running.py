# SPDX-License-Identifier: Apache-2.0
"""Run one case: build its inputs, run the reference and the tested side, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from ..backend import Backend
from .backends import Ran, made_on, run, tensors_in
from .cases import Case, DeviceName, DtypeName, FormatName
from .compare import Comparison, Measured, Tolerance, compare
from .errors import first_lines, unexpected
from .files import Place
from .memory import Peak
from .registry import NotAnOp, Op, UnknownOp, has_values, resolve
from .results import (
    BUILD,
    BUILD_ERROR,
    COMPARE,
    FAIL,
    NOT_AN_OP,
    PASS,
    REFERENCE,
    REFERENCE_ERROR,
    SKIP,
    TEST,
    Result,
    Seconds,
)
from .sizes import estimate
from .tensors import Arguments, BuildError, build_arguments, dtype_of

_CPU = torch.device("cpu")
_NOT_YET = Seconds()
_NOTHING = Measured()


class Side(NamedTuple):
    """The result of one side: an output, or an error."""

    output: Any = None
    error: Exception | None = None
    ran: Ran | None = None


@dataclass
class _Progress:
    """The progress of a case."""

    told: Callable[[str], None]
    peak: Peak
    stage: str = BUILD
    seconds: Seconds = _NOT_YET

    def begin(self, stage: str) -> None:
        self.stage = stage
        self.told(stage)

    def result(self, status: str, message: str = "", measured: Measured = _NOTHING) -> Result:
        """The result of the case, with the measurements so far."""
        return Result(status, message, self.stage, self.seconds, self.peak.bytes(), *measured)


class _Stop(Exception):
    """The case has ended."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


def run_case(
    case: Case,
    backend: Backend,
    place: Place,
    told: Callable[[str], None] = lambda stage: None,
    *,
    skip_large: bool = False,
    replace_devices: bool = True,
) -> Result:
    """The result of `case`. `told` is called with each stage as it begins.

    If a case needs more than `place.max_bytes`, it is not built: it is an error, or with `skip_large` a skip. With
    `replace_devices`, a recorded device of another kind means the one under test.
    """
    progress = _Progress(told, Peak())
    try:
        op, arguments = _prepared(case, place, skip_large, progress)
        measured = _both_sides(case, op, arguments, backend, progress, replace_devices)
    except _Stop as stop:
        return progress.result(stop.status, str(stop))
    finally:
        backend.reset()
    if measured.problems:
        return progress.result(FAIL, "\n".join(measured.problems), measured.measured)
    return progress.result(PASS, "", measured.measured)


def _prepared(case: Case, place: Place, skip_large: bool, progress: _Progress) -> tuple[Op, Arguments]:
    start = time.perf_counter()
    try:
        op = resolve(case.op)
        needed = estimate(case)
        if needed > place.max_bytes:
            text = f"it needs {_size(needed)} of memory, more than the {_size(place.max_bytes)} of --max-bytes"
            raise _Stop(SKIP if skip_large else BUILD_ERROR, text)
        arguments = build_arguments(case, place)
    except NotAnOp as error:
        raise _Stop(NOT_AN_OP, str(error)) from error
    except (UnknownOp, BuildError) as error:
        raise _Stop(BUILD_ERROR, str(error)) from error
    progress.seconds = progress.seconds._replace(build=time.perf_counter() - start)
    return op, arguments


def _both_sides(
    case: Case, op: Op, arguments: Arguments, backend: Backend, progress: _Progress, replace: bool
) -> Comparison:
    """Run the reference, then the tested side; the reference works on copies, and each side has its own memory."""
    progress.begin(REFERENCE)
    theirs = _placed(arguments, _CPU, replace)
    start = time.perf_counter()
    reference = _run(case.seed, lambda: op.call(*theirs.positional, **theirs.keywords))
    progress.seconds = progress.seconds._replace(eager=time.perf_counter() - start)
    _judge_reference(case, reference)

    progress.begin(TEST)
    # Nothing has changed the built arguments, so on the CPU they need not be copied again.
    device = backend.device()
    ours = _placed(arguments, device, replace, copy=device != _CPU)
    with made_on(device):
        test = _run(case.seed, lambda: run(backend, op.call, ours.positional, ours.keywords))
    if isinstance(test.output, Ran):
        progress.seconds = progress.seconds._replace(compile=test.output.compile_seconds, run=test.output.run_seconds)
        test = test._replace(output=test.output.output)
    if case.expects_error is not None:
        wrong = unexpected(test.error, case.expects_error[1], compiled=True)
        return Comparison(Measured(), (f"{backend.name} {wrong}",) if wrong else ())
    if test.error is not None:
        raise _Stop(FAIL, f"{backend.name} raised {first_lines(test.error)}") from test.error

    progress.begin(COMPARE)
    values = has_values(op.name, host=device == _CPU)
    tolerance = Tolerance(case.rtol, case.atol, case.pcc, values)
    there = _output_device(arguments, device, replace)
    start = time.perf_counter()
    found = _compared(tolerance, (test.output, ours), (reference.output, theirs), there)
    progress.seconds = progress.seconds._replace(compare=time.perf_counter() - start)
    return found


def _judge_reference(case: Case, reference: Side) -> None:
    """Continue only if the reference did what the case expects. Raises _Stop otherwise."""
    if case.expects_error is not None:
        wrong = unexpected(reference.error, case.expects_error[0], compiled=False)
        if wrong:
            raise _Stop(FAIL, f"reference: {wrong}")
    elif reference.error is not None:
        raise _Stop(REFERENCE_ERROR, f"the reference raised {first_lines(reference.error)}") from reference.error


def _compared(
    tolerance: Tolerance, ours: tuple[Any, Arguments], theirs: tuple[Any, Arguments], device: str
) -> Comparison:
    """Compare outputs, then the argument tensors, which an op may have written to or failed to write to."""
    outputs = compare(ours[0], theirs[0], tolerance, device)
    measured, problems = outputs.measured, [*outputs.problems]
    for name, test, reference in _pairs(ours[1], theirs[1]):
        if reference._version == 0 and torch.equal(test.cpu(), reference):
            # Not written to. Comparing it would take longer than the op and report a difference of 0.
            continue
        part = compare(test, reference, tolerance, test.device.type, f"{name}, afterwards")
        measured = measured.worse(part.measured)
        problems += part.problems
    return Comparison(measured, tuple(problems))


def _pairs(ours: Arguments, theirs: Arguments) -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
    for index, (mine, other) in enumerate(zip(ours.positional, theirs.positional, strict=True)):
        for test, reference in zip(tensors_in(mine), tensors_in(other), strict=True):
            yield f"input {index}", test, reference


def _run(seed: int, call: Callable[[], Any]) -> Side:
    """The result of `call` without gradients; both sides use the same seed for random numbers."""
    with torch.no_grad(), _drawing(seed):
        try:
            return Side(call())
        except Exception as error:  # noqa: BLE001 - whatever an op or a compiler raises is a result
            return Side(error=error)


@contextmanager
def _drawing(seed: int) -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed % 2**63)
        yield


def _placed(arguments: Arguments, device: torch.device, replace: bool, *, copy: bool = True) -> Arguments:
    """The arguments on `device`, with device names resolved."""

    def placed(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return copy_to(value, device) if copy else value
        if isinstance(value, DtypeName):
            return dtype_of(value.name)
        if isinstance(value, FormatName):
            return getattr(torch, value.name)
        if isinstance(value, DeviceName):
            return device if _is_tested(value, replace) else torch.device(value.name)
        if isinstance(value, (tuple, list)):
            return type(value)(map(placed, value))
        if isinstance(value, dict):
            return {name: placed(one) for name, one in value.items()}
        return value

    return Arguments([*map(placed, arguments.positional)], placed(arguments.keywords))


def copy_to(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A copy of `tensor` on `device` with the same layout; elements that share memory share it in the copy, too.

    Devices of torch-xla have no layout.
    """
    whole = tensor.untyped_storage().nbytes() == tensor.numel() * tensor.itemsize
    if device.type == "xla" or (whole and tensor.is_contiguous()):
        return tensor.to(device, copy=True)
    memory = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())  # type: ignore[call-overload, unused-ignore]
    copied = memory.to(device, copy=True)
    return copied.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _is_tested(device: DeviceName, replace: bool) -> bool:
    return replace and device.name.partition(":")[0] in ("cuda", "spyre", "tt", "xla")


def _output_device(arguments: Arguments, tested: torch.device, replace: bool) -> str:
    """The device on which outputs must be: the tested one, unless the case itself names another."""
    named = [one for one in _devices([*arguments.positional, arguments.keywords]) if not _is_tested(one, replace)]
    return torch.device(named[-1].name).type if named else tested.type


def _devices(value: Any) -> Iterator[DeviceName]:
    if isinstance(value, DeviceName):
        yield value
    elif isinstance(value, (tuple, list)) and not isinstance(value, DtypeName):
        for one in value:
            yield from _devices(one)
    elif isinstance(value, dict):
        yield from _devices([*value.values()])


def _size(count: int) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024  # type: ignore[assignment]
    return f"{count:.4g} {unit}"
