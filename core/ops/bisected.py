# SPDX-License-Identifier: Apache-2.0
"""What a bisection gives, as the payload writes it and `ops bisect --json` prints it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from core.base.files import As, Record


class FirstDeparture(Record):
    """The first op that a backend computes otherwise."""

    number: int
    """The place among the calls, from 0."""
    op: str
    """As manifests write it."""
    module: str
    """As in `named_modules`; empty: the model itself, or not known."""
    file: str
    """Relative to the checkout where it is in it; empty: not known."""
    line: int
    """0: not known."""
    code: str
    """The line of the model."""
    dtype: str
    shape: Sequence[int]
    """Of the first tensor it gives."""
    rel: float | None
    """The norm of the difference by the norm of the reference, of the worst tensor; null: not finite."""
    max_rel: float | None
    """The largest relative error of an element whose reference is not 0."""
    max_abs: float | None
    pcc: float | None
    """Pearson correlation; null: undefined."""
    mismatched: float | None
    """Percent of integers and booleans that differ."""
    problem: str
    """What no number says: another shape or dtype, NaN where the reference has none. Empty: nothing."""
    rtol: float
    atol: float
    error: str
    """What the backend raised; empty: nothing."""


class OutputsDistance(Record):
    """How far the outputs of a model are from the reference."""

    departs: bool
    error: str
    """What the backend raised; empty: nothing."""
    rel: float | None
    """The norm of the difference by the norm of the reference, of the worst tensor; null: not finite."""
    max_rel: float | None
    """The largest relative error of an element whose reference is not 0."""
    max_abs: float | None
    pcc: float | None
    """Pearson correlation; null: undefined."""
    mismatched: float | None
    """Percent of integers and booleans that differ."""
    problem: str
    """What no number says: another shape or dtype, NaN where the reference has none. Empty: nothing."""


class Distance(Record):
    """How far outputs are from the reference."""

    rel: float | None
    """The norm of the difference by the norm of the reference, of the worst tensor; null: not finite."""
    max_rel: float | None
    """The largest relative error of an element whose reference is not 0."""
    max_abs: float | None
    pcc: float | None
    """Pearson correlation; null: undefined."""
    mismatched: float | None
    """Percent of integers and booleans that differ."""
    problem: str
    """What no number says: another shape or dtype, NaN where the reference has none. Empty: nothing."""


class BisectedCall(Record):
    """One call of the model."""

    number: int
    """The place among the calls, from 0."""
    op: str
    """As manifests write it."""
    module: str
    """As in `named_modules`; empty: the model itself, or not known."""
    file: str
    """Relative to the checkout where it is in it; empty: not known."""
    line: int
    """0: not known."""
    departs: bool
    isolated: Distance
    """With the inputs of the reference."""
    cumulative: Distance | None
    """With what the backend gave before; null: the backend failed."""


class BisectCapture(Record):
    """How the calls of the model were found."""

    by: Annotated[str, As(Literal["export", "dynamo", "eager"])]
    """torch.export, torch.compile, or the calls as the model makes them."""
    graphs: int
    """Graphs that were compared; 0: there is none."""
    failed: Sequence[str]
    """Captures that failed before, with the reason."""


class Minimised(Record):
    """The smallest graph that still departs."""

    calls: int
    ops: Sequence[str]
    code: str
    """As Python."""


class Bisected(Record):
    """Where a backend departs from the CPU."""

    id: str
    """The test whose model was compared."""
    backend: str
    verdict: Annotated[str, As(Literal["op", "drift", "graph", "none"])]
    """`op`: a call departs by itself; `drift`: none does, but the model does, run op by op; `graph`: only the
    model as a whole does; `none`: nothing departs."""
    first: FirstDeparture | None
    """The first call that departs with the inputs of the reference."""
    departures: int
    """How many calls depart with the inputs of the reference."""
    calls: int
    """How many were compared."""
    complete: bool
    """Whether the time limit left time for all calls."""
    whole: OutputsDistance
    """The outputs of the model as a whole on the backend."""
    by_op: OutputsDistance | None
    """The outputs of the model run op by op; null: it was not run to its end."""
    curve: Sequence[BisectedCall]
    """A point for each call, in their order."""
    capture: BisectCapture
    passed_over: Mapping[str, int]
    """Calls that give random or unwritten values, by op."""
    minimised: Minimised | None
    """The smallest graph that departs, for the verdict `graph`."""
    case: str | None
    """The manifest of one op case; null: no case can say the call."""
    case_fails: bool
    """Whether the case failed when it was run by itself."""
    case_message: str
    """What that gave, or why there is no case."""
    not_in_bfloat16: str
    """Why the model was compared in the dtype of its loader: what it raised on the CPU in bfloat16. Empty: it was
    compared in bfloat16."""
    seconds: float
