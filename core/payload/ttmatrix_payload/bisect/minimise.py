# SPDX-License-Identifier: Apache-2.0
"""Shrink a graph while the backend still computes it differently, with torch's minifier."""

from __future__ import annotations

import contextlib
import copy
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.fx import Graph, GraphModule, Node

from ..models.widen import host_numerics
from .distance import tensors_of
from .sides import Side

Values = list[torch.Tensor]


class Minimised(NamedTuple):
    """The smallest graph that still deviates."""

    calls: int
    ops: tuple[str, ...]
    code: str
    """As Python source."""


def captured_graph(
    model: Any, inputs: Any, graph: tuple[GraphModule, Values] | None, compiles: bool
) -> Iterator[tuple[GraphModule, Values]]:
    """The graphs of a model with all their tensors as inputs: those of dynamo, else the exported one."""
    if not compiles:
        if graph is not None:
            yield lifted(*graph)
        return
    found: list[tuple[GraphModule, Values]] = []

    def backend(one: GraphModule, _: Any) -> Callable[..., Any]:
        def run(*values: Any) -> Any:
            if all(isinstance(value, torch.Tensor) for value in values):
                found.append((one, [value.detach().clone() for value in values]))
            return one(*values)

        return run

    torch._dynamo.reset()
    args, kwargs = inputs
    torch.compile(model, backend=backend)(*args, **kwargs)
    yield from found


def lifted(graph: GraphModule, inputs: Values) -> tuple[GraphModule, Values]:
    """The graph with parameters and constants turned into inputs."""
    new = Graph()
    values: dict[Node, Node] = {}
    given = [*inputs]
    more: Values = []
    for node in graph.graph.nodes:
        if node.op == "get_attr":
            values[node] = new.placeholder(node.name)
            more.append(_attribute(graph, str(node.target)))
    for node in graph.graph.nodes:
        if node.op == "call_module":
            # The guards of an exported graph, whose results are not used.
            continue
        if node.op == "output":
            new.output(tuple(values[one] for one in node.all_input_nodes))
        elif node.op != "get_attr":
            values[node] = new.node_copy(node, values.__getitem__)
    return GraphModule(torch.nn.Module(), new), [*more, *given]


def minimised(
    graph: GraphModule, inputs: Values, side: Side, departs: Callable[[Values, Values], bool], until: float
) -> Minimised | None:
    """The smallest deviating part of `graph`; None if the graph does not deviate. Stops at the time `until`."""
    smallest: list[GraphModule] = []

    def fails(candidate: GraphModule, values: Sequence[torch.Tensor]) -> bool:
        if time.monotonic() > until:
            return False
        if not _fails(candidate, values, side, departs):
            return False
        if not smallest or len(candidate.graph.nodes) <= len(smallest[0].graph.nodes):
            smallest[:] = [copy.deepcopy(candidate)]
        return True

    if not fails(graph, inputs):
        return None
    # Loading it takes longer than comparing most graphs, because it loads sympy.
    from torch._functorch.fx_minifier import minifier

    # The minifier writes into the current directory and prints each of its steps.
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="ttmatrix-minimise-") as directory:
        try:
            os.chdir(directory)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                minifier(graph, inputs, fails, lambda *_: None, save_dir=directory, skip_sanity=True)
        finally:
            os.chdir(here)
    small = smallest[0]
    calls = [node for node in small.graph.nodes if node.op.startswith("call_")]
    return Minimised(len(calls), tuple(str(node.target) for node in calls), small.code.strip())


def _fails(
    graph: GraphModule, values: Sequence[torch.Tensor], side: Side, departs: Callable[[Values, Values], bool]
) -> bool:
    """Whether the backend's result differs from the CPU's, or it fails."""
    try:
        with torch.no_grad(), host_numerics():
            reference = tensors_of(copy.deepcopy(graph)(*(one.clone() for one in values)))
    except Exception:  # noqa: BLE001 - a part that does not run says nothing of the backend
        return False
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            ours = side.run(side.compiled(copy.deepcopy(graph)), [side.place(one) for one in values])
    except Exception:  # noqa: BLE001 - whatever a backend raises is a failure of it
        return True
    return departs([one.cpu() for one in tensors_of(ours)], reference)


def _attribute(graph: GraphModule, name: str) -> torch.Tensor:
    found: Any = graph
    for part in name.split("."):
        found = getattr(found, part)
    if not isinstance(found, torch.Tensor):
        raise TypeError(f"{name} of the graph is no tensor")
    return found.detach()
