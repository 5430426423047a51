# SPDX-License-Identifier: Apache-2.0
"""The whole comparison of a model: capture it, walk it, judge, and collect the findings."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch.fx import GraphModule

from ..execute.placing import copied
from ..models.widen import host_numerics
from ..ops.errors import first_lines
from .capture import Inputs, exported, output_tensors, walk_compiled, walk_eager, walk_exported, wide_outputs
from .distance import FINAL, NOISE, Distance, distance, tolerance
from .engine import Engine, OutOfTime
from .minimise import Minimised, captured_graph, minimised
from .sides import Side

_CPU = torch.device("cpu")
_MANY = 5.0
"""Percent of integers that may differ in the outputs, because rounding decides them."""
_FOR_GRAPHS = 0.25
"""Share of the time limit reserved for the work after the walk."""


class Whole(NamedTuple):
    """The outputs of the model, computed in one way, against those of the reference."""

    distance: Distance | None
    """None: there are none."""
    departs: bool
    error: str = ""


class Found(NamedTuple):
    """What a comparison has found."""

    verdict: str
    """`op`, `drift`, `graph` or `none`."""
    engine: Engine
    capture: str
    """`export`, `dynamo` or `eager`."""
    graphs: int
    reasons: tuple[str, ...]
    """Why the earlier captures failed."""
    whole: Whole
    """The model run through the backend as a whole."""
    by_op: Whole | None
    """The model run call by call; None: the walk did not finish."""
    minimised: Minimised | None
    complete: bool


class ReferenceFailed(Exception):
    """The model fails on the CPU; the cause is what it raised."""


class NotFinished(Exception):
    """The time limit was reached before anything was found."""


def compare_model(
    model: Any, inputs: Inputs, side: Side, rtol: float | None, seconds: float, tell: Callable[[str], None]
) -> Found:
    """Compare the model on the CPU and on `side`. Raises ReferenceFailed and NotFinished."""
    begin = time.monotonic()
    until = begin + seconds
    tell("the model on the CPU")
    reference = _reference(model, inputs)
    walk = _Walk(model, inputs, side, rtol, begin + (1 - _FOR_GRAPHS) * seconds, tell)
    walk.go()
    engine, reasons = walk.engine, tuple(walk.reasons)
    if engine.culprit is None and not walk.complete:
        raise NotFinished(f"the time limit of {seconds:g} s came after {len(engine.steps):,} calls; none departs")
    allowed = tolerance([*reference, *_weights(model)], rtol)
    truth = walk.truth() if reference else None
    tell(f"the model as a whole on {side.name}")
    whole = _whole(model, inputs, side, reference, truth, allowed)
    by_op = None
    if walk.complete:
        apart = distance(walk.ours, walk.theirs, allowed) if walk.theirs else None
        by_op = Whole(apart, _departs(walk.ours, walk.theirs, truth, allowed))
    found = Found("none", engine, walk.capture, walk.graphs, reasons, whole, by_op, None, walk.complete)
    if engine.culprit is not None:
        return found._replace(verdict="op")
    if not whole.departs:
        return found
    if by_op is not None and by_op.departs:
        return found._replace(verdict="drift")
    if side.compiles and walk.capture == "export":
        tell("no call departs, but the whole does: the same once more with the graphs of dynamo")
        again = walk.again()
        if again.complete and again.engine.culprit is not None:
            return found._replace(verdict="op", engine=again.engine, capture="dynamo", graphs=again.graphs)
    tell("no call departs, but the whole does: making the graph smaller")
    small = _smaller(model, inputs, walk.graph, side, allowed, until, tell)
    return found._replace(verdict="graph", minimised=small)


class _Walk:
    """The calls of a model on both sides, by the first capture that works."""

    def __init__(
        self, model: Any, inputs: Inputs, side: Side, rtol: float | None, until: float, tell: Callable[[str], None]
    ) -> None:
        self._model, self._inputs, self._side = model, inputs, side
        self._rtol, self._until, self._tell = rtol, until, tell
        self.engine = self._engine()
        self.reasons: list[str] = []
        self.capture = ""
        self.graphs = 0
        self.graph: tuple[GraphModule, list[torch.Tensor]] | None = None
        self.theirs: list[Any] = []
        self.ours: list[Any] = []
        self.complete = True

    def go(self) -> None:
        """Try one capture after the other."""
        for name, walk in (("export", self._export), ("dynamo", self._dynamo), ("eager", self._eager)):
            self._tell(f"capture: {name}")
            self.engine = self._engine()
            try:
                self.capture = name
                walk()
                return
            except OutOfTime:
                self.complete = False
                return
            except Exception as error:
                if name == "eager":
                    raise
                self.reasons.append(f"{name}: {first_lines(error)}")
                self._tell(f"{name} cannot capture it: {first_lines(error)}")
                gc.collect()

    def again(self) -> _Walk:
        """Another walk, over the graphs of dynamo."""
        walk = _Walk(self._model, self._inputs, self._side, self._rtol, self._until, self._tell)
        try:
            walk.capture = "dynamo"
            walk._dynamo()
        except Exception as error:  # noqa: BLE001 - then there is nothing more to say
            walk.complete = False
            self._tell(f"dynamo cannot capture it: {first_lines(error)}")
        return walk

    def truth(self) -> list[torch.Tensor] | None:
        """The outputs in a wider dtype; None if they cannot be computed."""
        if self.graph is None:
            return None
        try:
            with torch.no_grad():
                return wide_outputs(*self.graph)
        except Exception as error:  # noqa: BLE001 - a model may ask for the dtype it was written in
            self._tell(f"no outputs in a wider dtype: {first_lines(error)}")
            return None

    def _engine(self) -> Engine:
        return Engine(self._side, self._rtol, self._until, self._tell)

    def _copied(self) -> Inputs:
        return copied(self._inputs, _CPU)  # type: ignore[no-any-return]

    def _export(self) -> None:
        self.graph = None
        graph, values = exported(self._model, self._copied())
        count = sum(1 for node in graph.graph.nodes if node.op.startswith("call_"))
        self._tell(f"a graph of {count:,} calls")
        self.theirs, self.ours = walk_exported(graph, [one.clone() for one in values], self.engine)
        self.graph, self.graphs = (graph, values), 1

    def _dynamo(self) -> None:
        self.theirs, self.ours, self.graphs = walk_compiled(self._model, self._copied(), self.engine)

    def _eager(self) -> None:
        self.theirs, self.ours = walk_eager(self._model, self._copied(), self.engine)


def _reference(model: Any, inputs: Inputs) -> list[torch.Tensor]:
    args, kwargs = copied(inputs, _CPU)
    torch.manual_seed(0)
    try:
        with host_numerics():
            return output_tensors(model(*args, **kwargs))
    except Exception as error:
        raise ReferenceFailed(first_lines(error)) from error


def _whole(
    model: Any,
    inputs: Inputs,
    side: Side,
    reference: Sequence[torch.Tensor],
    truth: Sequence[torch.Tensor] | None,
    allowed: float,
) -> Whole:
    torch._dynamo.reset()
    torch.manual_seed(0)
    try:
        args, kwargs = side.place_all(inputs)
        ours = [one.cpu() for one in output_tensors(side.run(side.compiled(side.place_model(model)), args, kwargs))]
    except Exception as error:  # noqa: BLE001 - whatever a backend raises is a finding
        return Whole(None, True, first_lines(error))
    apart = distance(ours, list(reference), allowed)
    return Whole(apart, _departs(ours, reference, truth, allowed))


def _departs(
    ours: Sequence[torch.Tensor],
    reference: Sequence[torch.Tensor],
    truth: Sequence[torch.Tensor] | None,
    allowed: float,
) -> bool:
    """Whether outputs are farther from the true ones than the reference is; if these are unknown, far from it."""
    if len(ours) != len(reference):
        return True
    if truth is None or len(truth) != len(reference):
        truth = [None] * len(reference)  # type: ignore[list-item]
    floats = any(one.dtype.is_floating_point for one in reference)
    return any(
        _one_departs(*both, allowed)
        for both in zip(ours, reference, truth, strict=True)
        # Rounding decides between indices of nearly equal values; the values behind them count.
        if not floats or both[1].dtype.is_floating_point
    )


def _one_departs(ours: torch.Tensor, reference: torch.Tensor, truth: torch.Tensor | None, allowed: float) -> bool:
    apart = distance(ours, reference, allowed)
    if ours.shape != reference.shape or ours.dtype != reference.dtype:
        return True
    if not reference.dtype.is_floating_point:
        return apart.mismatched > _MANY
    if apart.problem:
        return True
    if apart.rel <= allowed:
        return False
    if truth is None:
        return apart.rel > FINAL * allowed
    mine, theirs = (distance(one.to(truth.dtype), truth, allowed) for one in (ours, reference))
    return mine.rel > max(allowed, NOISE * theirs.rel)


def _weights(model: Any) -> list[torch.Tensor]:
    return [*model.parameters(), *model.buffers()] if isinstance(model, torch.nn.Module) else []


def _smaller(
    model: Any,
    inputs: Inputs,
    graph: tuple[GraphModule, list[torch.Tensor]] | None,
    side: Side,
    allowed: float,
    until: float,
    tell: Callable[[str], None],
) -> Minimised | None:
    def departs(ours: list[torch.Tensor], reference: list[torch.Tensor]) -> bool:
        return _departs(ours, reference, None, allowed / FINAL)

    for one in captured_graph(model, copied(inputs, _CPU), graph, side.compiles):
        try:
            small = minimised(*one, side, departs, until)
        except Exception as error:  # noqa: BLE001 - the verdict needs no smaller graph
            tell(f"the graph cannot be made smaller: {first_lines(error)}")
            continue
        if small is not None:
            tell(f"{small.calls:,} calls are left")
            return small
    return None
