# SPDX-License-Identifier: Apache-2.0
"""Run each call on the reference and on the tested side, and measure the distance between them.

Each call is made three times: on the CPU; on the tested side with the values of the CPU (isolated); and there with
the results of its own earlier calls (cumulative). Values of the tested side are looked up by the reference tensors
that they correspond to, and are freed with these.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch.utils._pytree import tree_map
from torch.utils.weak import WeakTensorKeyDictionary

from ..models.widen import host_numerics
from ..ops.backends import made_on
from ..ops.errors import first_lines
from ..ops.running import copy_to
from .calls import Call, adds_up, graph_of, has_result, may_write, op_name, signature, ties_of
from .distance import FLOOR, NOISE, SUMS_FLOOR, Distance, distance, tensors_of, tolerance, usual_size
from .places import Place
from .sides import Side

_CPU = torch.device("cpu")


class OutOfTime(Exception):
    """The time limit was reached before the last call."""


class Step(NamedTuple):
    """The measurements of one call."""

    op: str
    place: Place
    dtype: str
    shape: tuple[int, ...]
    """Of its first resulting tensor."""
    isolated: Distance
    cumulative: Distance | None
    """None: the tested side has failed."""
    departs: bool
    error: str = ""
    """The error that the tested side raised."""


class Culprit(NamedTuple):
    """The first deviating call, with the values it was made with."""

    step: Step
    number: int
    """Number of the step, from 0."""
    call: Call
    rtol: float
    atol: float


@dataclass
class _Shadow:
    """A tensor of the tested side."""

    tensor: torch.Tensor
    exact: bool
    """Whether it equals its reference tensor bit for bit."""
    born: int


class Engine:
    """The state of a run of both sides."""

    def __init__(self, side: Side, rtol: float | None, until: float, tell: Callable[[str], None]) -> None:
        """`until` is a time of `time.monotonic`; `tell` receives progress lines."""
        self.side = side
        self.steps: list[Step] = []
        self.culprit: Culprit | None = None
        self.passed_over: dict[str, int] = {}
        """Calls whose results cannot be compared, with their count."""
        self._rtol = rtol
        self._until = until
        self._tell = tell
        self._shadows: Any = WeakTensorKeyDictionary()
        self._clock = 0
        self._tainted = 0
        """Shadows that are older than this may have been changed through a view."""

    def step(self, call: Call, place: Place) -> Any:
        """Make a call on both sides; returns the result of the reference."""
        if time.monotonic() > self._until:
            raise OutOfTime(f"the time limit has come after {len(self.steps):,} calls")
        if not call.tensors and not _makes(call):
            return call.function(*call.args, **call.kwargs)
        name = op_name(call)
        if name == "torch.getitem" and not isinstance(call.args[0], torch.Tensor):
            return call.function(*call.args, **call.kwargs)
        return self._compared(call, name, place)

    def shadow(self, value: Any) -> Any:
        """`value` with the tensors of the tested side, on the CPU."""
        return tree_map(lambda one: self._shadow(one).tensor.cpu() if isinstance(one, torch.Tensor) else one, value)

    def _compared(self, call: Call, name: str, place: Place) -> Any:
        self._clock += 1
        tensors, writes = call.tensors, may_write(call, name)
        shadows = [self._shadow(one) for one in tensors]
        exact = all(map(self._is_exact, shadows))
        before = _copies(tensors) if writes else [one.detach() for one in tensors]
        reference = self._reference(call)
        if not tensors_of(reference) and not writes:
            return reference
        if not has_result(call, name):
            self.passed_over[name] = self.passed_over.get(name, 0) + 1
            self._adopt((reference, tensors if writes else ()), None)
            return reference

        theirs = (reference, tensors) if writes else reference
        rtol = tolerance((before, reference), self._rtol)
        ties = ties_of(call, name)
        sizes = [usual_size(one) for one in tensors_of((before, reference)) if _is_float(one)]
        atol = (SUMS_FLOOR if adds_up(name) else FLOOR) * rtol * max(sizes, default=0.0)
        isolated, error = self._isolated(call, name, before, shadows, writes)
        apart = Distance(excess=math.inf, problem=error)
        if not error:
            apart = distance(isolated, theirs, rtol, ties, atol)
        departs = bool(error) or (
            apart.excess > 1 and not self._is_rounding(call, before, isolated, theirs, rtol, atol)
        )
        cumulative = apart
        if error:
            isolated = None
        elif writes or not exact:
            isolated, late = self._tested(call, name, [one.tensor for one in shadows], writes)
            cumulative = None if late else distance(isolated, theirs, rtol, ties, atol)  # type: ignore[assignment]
            isolated = None if late else isolated
        self._adopt(theirs, isolated, cumulative is not None and cumulative.same)
        if writes and (cumulative is None or not cumulative.same):
            self._tainted = self._clock
        self._note(Step(name, place, *_kind(reference), apart, None if error else cumulative, departs, error))
        if departs and self.culprit is None:
            kept = call.given(_copies(before))
            # The case has no tolerance for a whole tensor: use one that the error clearly exceeds.
            atol = min(atol, apart.beyond / 2) if apart.beyond > 0 else atol
            self.culprit = Culprit(self.steps[-1], len(self.steps) - 1, kept, rtol, atol)
        return reference

    def _reference(self, call: Call) -> Any:
        torch.manual_seed(0)
        with host_numerics():
            return call.function(*call.args, **call.kwargs)

    def _isolated(
        self, call: Call, name: str, before: Sequence[torch.Tensor], shadows: Sequence[_Shadow], writes: bool
    ) -> tuple[Any, str]:
        """The result of the tested side for the values of the reference."""
        placed: dict[int, torch.Tensor] = {}
        for value, shadow in zip(before, shadows, strict=True):
            if id(value) not in placed:
                reuse = self._is_exact(shadow) and not writes
                placed[id(value)] = shadow.tensor if reuse else self.side.place(value)
        return self._tested(call, name, [placed[id(value)] for value in before], writes)

    def _tested(self, call: Call, name: str, tensors: list[torch.Tensor], writes: bool) -> tuple[Any, str]:
        """The result of the tested side and the tensors it wrote to; or the error it raised."""
        torch.manual_seed(0)
        try:
            if self.side.compiles:
                own = self._own(call)
                (output,) = self.side.call(signature(own.given(tensors)), lambda: graph_of(own), tensors)
            else:
                with made_on(self.side.device):
                    output = self.side.run(self._own(call).__call__, tensors)
        except Exception as error:  # noqa: BLE001 - whatever a backend raises is a finding
            return None, first_lines(error) or type(error).__name__
        return ((output, tensors) if writes else output), ""

    def _own(self, call: Call) -> Call:
        """The call with the CPU replaced by the tested device, if an argument names it."""
        if self.side.is_host:
            return call
        device = self.side.device

        def own(value: Any) -> Any:
            return device if isinstance(value, torch.device) and value.type == "cpu" else value

        return call._replace(
            args=tuple(map(own, call.args)), kwargs={key: own(one) for key, one in call.kwargs.items()}
        )

    def _is_rounding(
        self, call: Call, before: Sequence[torch.Tensor], test: Any, reference: Any, rtol: float, atol: float
    ) -> bool:
        """Whether the reference is as far from the true result, in double precision, as the tested side is."""
        if self._rtol is not None:
            return False
        try:
            truth = wide_call(call.given(before))
        except Exception:  # noqa: BLE001 - an op that knows no double has no such result
            return False
        outputs = [tensors_of(one)[: len(tensors_of(truth))] for one in (test, reference)]
        ours, theirs = (distance(_widened(one), _widened(tensors_of(truth)), rtol, None, atol) for one in outputs)
        return ours.excess <= max(1.0, NOISE * theirs.excess)

    def _shadow(self, tensor: torch.Tensor) -> _Shadow:
        found: _Shadow | None = self._shadows.get(tensor)
        if found is None:
            # Parameters are large, and nothing writes to them, so they are not copied.
            shared = self.side.is_host and isinstance(tensor, torch.nn.Parameter)
            found = _Shadow(tensor.detach() if shared else self.side.place(tensor), True, self._clock)
            self._shadows[tensor] = found
        return found

    def _is_exact(self, shadow: _Shadow) -> bool:
        return shadow.exact and shadow.born >= self._tainted

    def _adopt(self, reference: Any, test: Any, exact: bool = True) -> None:
        """Record the tensors of `test` as counterparts of those of `reference`; without `test`, record copies."""
        theirs = tensors_of(reference)
        ours: Sequence[torch.Tensor | None] = tensors_of(test) if test is not None else [None] * len(theirs)
        if len(ours) != len(theirs):
            ours, exact = [None] * len(theirs), True
        for mine, other in zip(ours, theirs, strict=True):
            fits = mine is not None and mine.shape == other.shape and mine.dtype == other.dtype
            value = mine if mine is not None and fits else self.side.place(other)
            self._shadows[other] = _Shadow(value, exact or not fits, self._clock)

    def _note(self, step: Step) -> None:
        self.steps.append(step)
        size = f"{step.isolated.rel:.2e}" if step.cumulative is None else f"{step.cumulative.rel:.2e}"
        mark = "DEPARTS " if step.departs else ""
        where = f" {step.place.module}" if step.place.module else ""
        said = f": {step.error or step.isolated.problem or f'relative {step.isolated.rel:.2e}'}" if step.departs else ""
        self._tell(f"{len(self.steps):5} {mark}{step.op}{where}, so far {size}{said}")


def wide_call(call: Call) -> Any:
    """The result of a call in double precision."""
    args, kwargs = call.mapped(lambda one: one.double() if _is_float(one) else one.clone())
    wide = {key: _wide_dtype(value) for key, value in kwargs.items()}
    with torch.no_grad():
        return call.function(*map(_wide_dtype, args), **wide)


def _wide_dtype(value: Any) -> Any:
    return torch.float64 if isinstance(value, torch.dtype) and value.is_floating_point else value


def _widened(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [one.cpu().double() if _is_float(one) else one.cpu() for one in tensors]


def _is_float(tensor: torch.Tensor) -> bool:
    return tensor.dtype.is_floating_point


def _copies(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Copies in the same layout; a tensor that occurs twice is copied once."""
    made = {id(one): copy_to(one.detach(), _CPU) for one in tensors}
    return [made[id(one)] for one in tensors]


def _makes(call: Call) -> bool:
    """Whether a call without tensor arguments may create one."""
    function = call.function
    if isinstance(function, torch._ops.OpOverload):
        return any("Tensor" in str(one.type) for one in function._schema.returns)
    return (getattr(function, "__module__", None) or "torch").partition(".")[0] == "torch"


def _kind(value: Any) -> tuple[str, tuple[int, ...]]:
    first = next(iter(tensors_of(value)), None)
    return ("", ()) if first is None else (str(first.dtype).removeprefix("torch."), tuple(first.shape))
