# SPDX-License-Identifier: Apache-2.0
"""Find the op of a model that a backend computes differently from the CPU, in the models' interpreter."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Thread

from core import payload
from core.base.errors import TTMatrixError, UsageError
from core.base.files import Malformed, parsed, typed
from core.base.processes import run_command
from core.base.text import counted, pcc_text
from core.domain.ids import TestId
from core.domain.model import Framework
from core.ops.bisected import Bisected, FirstDeparture, OutputsDistance
from core.ops.extraction import model_arguments

BISECT_SCRIPT = Path(payload.__file__).parent / "ops_bisect.py"
BACKENDS = ("eager", "aot_eager", "inductor", "xla", "tt")

_MARK = "TTMATRIX-BISECT "
_LAST_LINES = 20
_GRACE = 60.0
"""Seconds after the time limit within which the process must have ended by itself."""
_BARS = "▁▂▃▄▅▆▇█"
_SMALLEST, _LARGEST = 1e-6, 1.0
"""The relative errors shown by the lowest and the highest bar."""
_WIDTH = 60


@dataclass(frozen=True)
class BisectRequest:
    """What to compare, and how."""

    test: TestId
    backend: str
    case: Path
    """Where to write the case that fails by itself."""
    rtol: float | None = None
    """Relative tolerance of one op; None: the default of its dtype."""
    modules: Sequence[str] = ()
    """Modules imported before the backend is looked up; they may register it."""
    timeout: float = 0.0
    """Seconds; 0: no limit."""


def bisect(
    python: Path, checkout: Path, request: BisectRequest, tell: Callable[[str], object] = lambda _: None
) -> Bisected:
    """Compare the model of `request.test` on the CPU with the backend; `tell` gets each line of progress.

    Raises UsageError for a test that is no PyTorch model, and TTMatrixError with the last lines of the output where
    nothing can be compared.
    """
    if request.test.framework is not Framework.PYTORCH:
        raise UsageError(
            f"{request.test} has no ops of torch", "Only PyTorch loaders can be bisected; this one is JAX."
        )
    with _lines_to(tell) as progress:
        argv = [str(python), *_arguments(checkout, request), f"--progress={progress}"]
        limit = request.timeout + _GRACE if request.timeout else None
        done = run_command(argv, cwd=checkout, timeout=limit, pass_fds=(progress,))
    report = _report(done.said(_MARK), request)
    if isinstance(report, Bisected):
        return report
    problem = report or f"the process ended with {done.returncode}"
    last = "\n".join([line for line in done.stderr.splitlines() if line.strip()][-_LAST_LINES:])
    raise TTMatrixError(f"{request.test} cannot be bisected", f"{problem}\n{last}".strip())


def _report(line: str, request: BisectRequest) -> Bisected | str:
    """The report of the script; a text: why there is none, as far as it says so."""
    try:
        said = parsed(line or "{}")
        if "verdict" not in said:
            return str(said.get("problem") or "")
        return typed({"id": str(request.test), "backend": request.backend, **said}, Bisected)
    except Malformed as error:
        return f"its report cannot be read: {error}"


def _arguments(checkout: Path, request: BisectRequest) -> list[str]:
    """The script and its arguments, without the interpreter and the progress option."""
    arguments = [str(BISECT_SCRIPT), *model_arguments(checkout, request.test), f"--backend={request.backend}"]
    arguments += [f"--import={module}" for module in request.modules]
    arguments += [] if request.rtol is None else [f"--rtol={request.rtol!r}"]
    arguments += [f"--seconds={request.timeout!r}"] if request.timeout else []
    return [*arguments, f"--case={request.case}"]


def bisection_lines(found: Bisected) -> Iterator[str]:
    """A report as text: the first deviating op, the drift as a curve, and the case."""
    yield _verdict(found)
    if found.first is not None:
        yield from _first_lines(found, found.first)
    for one, what in ((found.whole, "model as a whole"), (found.by_op, "model op by op")):
        if one is not None:
            yield f"  {what:<17}{_apart(one)}"
    if found.curve:
        yield f"  drift    {sparkline(_drift(found))}  relative error from {_SMALLEST:g} to {_LARGEST:g}, call by call"
    if (small := found.minimised) is not None:
        yield f"  smallest graph that departs: {counted(small.calls, 'call')}"
        yield from (f"    {line}" for line in small.code.splitlines())
    if found.not_in_bfloat16:
        yield f"  not in bfloat16: {found.not_in_bfloat16}"
    yield from (f"  not captured by {reason}" for reason in found.capture.failed)
    for op, count in found.passed_over.items():
        yield f"  not compared: {count:,} x {op}, which gives random or uninitialised values"


def _first_lines(found: Bisected, first: FirstDeparture) -> Iterator[str]:
    yield f"  op       {first.op}, {first.dtype} {[*first.shape]}"
    yield f"  module   {first.module or 'the model itself'}"
    if first.file:
        yield f"  line     {first.file}:{first.line}  {first.code}".rstrip()
    yield f"  apart    {_apart(first)}; allowed are rtol {first.rtol:.3g} and atol {first.atol:.3g}"
    if found.departures > 1:
        yield f"  also     {counted(found.departures - 1, 'other call')} of {found.calls:,}"
    if found.case:
        yield f"  case     {found.case}, which {'fails' if found.case_fails else 'does not fail'} alone"
    else:
        yield f"  no case  {found.case_message}"


def _drift(found: Bisected) -> list[float | None]:
    """The cumulative relative error after each call; None: not a number, or the backend failed."""
    return [None if one.cumulative is None else one.cumulative.rel for one in found.curve]


def sparkline(values: Sequence[float | None], width: int = _WIDTH) -> str:
    """At most `width` bars on a logarithmic scale, each the maximum of its part; `!` for values that are no number."""
    if not values:
        return ""
    parts = min(width, len(values))
    cuts = [len(values) * at // parts for at in range(parts + 1)]
    return "".join(_bar(values[start:end]) for start, end in pairwise(cuts))


def _bar(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "!"
    largest = max(known)
    if largest <= _SMALLEST:
        return _BARS[0]
    part = math.log(largest / _SMALLEST) / math.log(_LARGEST / _SMALLEST)
    return _BARS[min(len(_BARS) - 1, 1 + int(part * (len(_BARS) - 1)))]


def _verdict(found: Bisected) -> str:
    calls = counted(found.calls, "call")
    if found.verdict == "op":
        first = found.first
        assert first is not None, "the call that departs"
        return f"op: {first.op} departs on {found.backend}, at call {first.number + 1:,} of {found.calls:,}"
    if found.verdict == "drift":
        return f"drift: no single op of {calls} departs on {found.backend}, but together they do"
    if found.verdict == "graph":
        return f"graph: each op of {calls} agrees on {found.backend}, but the model as a whole departs"
    return f"none: nothing departs on {found.backend}, {calls} compared"


def _apart(numbers: FirstDeparture | OutputsDistance) -> str:
    if numbers.error:
        return numbers.error
    pcc = "undefined" if numbers.pcc is None else pcc_text(numbers.pcc, 6)
    text = f"relative error {_number(numbers.rel)}, of an element {_number(numbers.max_rel)}, PCC {pcc}"
    return f"{text}; {numbers.problem}" if numbers.problem else text


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.3g}"


@contextmanager
def _lines_to(tell: Callable[[str], object]) -> Iterator[int]:
    """A file descriptor whose lines go to `tell`, until all processes have closed it."""
    source, target = os.pipe()

    def follow() -> None:
        with os.fdopen(source, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                tell(line.rstrip("\n"))

    thread = Thread(target=follow, name="progress", daemon=True)
    thread.start()
    try:
        yield target
    finally:
        os.close(target)
        # A process that the model started and left behind may hold the other end.
        thread.join(timeout=5.0)
