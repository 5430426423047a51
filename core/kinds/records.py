# SPDX-License-Identifier: Apache-2.0
"""The JSON of rows, an object a class: what `list` and `show` print of each kind.

Schemas and docs/json.md are made from these, as from those in `core.cli.records`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType, field

from core.base.files import As, Record
from core.domain.model import Status
from core.evidence import Origin

StatusText = Annotated[str, As(Status)]


class JobName(Record):
    """A job of CI."""

    file: str
    name: str
    mark: str


class JobsOfHandwritten(Record):
    """The jobs that select a hand-written test."""

    id: str
    """The node id."""
    archs: Mapping[str, Sequence[JobName]]
    """By runner."""


class ModelTest(Record):
    """A test of a model."""

    id: str
    function: str
    """The test function."""
    status: StatusText
    """On --arch; without it, the entry's own."""
    statuses: Mapping[str, StatusText]
    """By arch."""
    archs: Sequence[str]
    """Archs it is marked for."""
    bringup_status: str | None
    reason: object
    """As the YAML has it; null: none."""
    markers: Sequence[str]
    loader: str | None
    """Its directory; null: no loader has this id."""
    file: str | None
    """Of the entry; null: there is none."""
    line: int | None


class OpCase(Record):
    """A case."""

    id: str
    """`model::name`; the file follows where another file had that first."""
    model: str
    name: str
    op: str | None
    """Null: the case has a mistake."""
    dtype: str | None
    """Effective, as torch names it."""
    file: str
    """Relative to the checkout."""
    line: int
    """Of the case; of the mistake where there is one."""
    key: str | None
    """Cases with the same key are the same test."""
    dup_of: str | None
    """The case that represents it."""
    skip: str | None
    """Why its skip_if holds."""
    problem: str | None
    """What is wrong with it, or a warning."""


class HandwrittenMark(Record):
    """A mark of pytest."""

    name: str
    given: Mapping[str, str]
    """By keyword, or by position from 0; `?`: not known."""


class HandwrittenTest(Record):
    """A test that people write by hand."""

    id: str
    """The node id; of a function whose parameters are not known, without brackets."""
    function: str
    classes: Sequence[str]
    file: str
    line: int
    level: Annotated[str, As(Literal["op", "graph"])] | None
    """By the helper of upstream that it calls."""
    markers: Sequence[str]
    marks: Sequence[HandwrittenMark]
    """The closest first."""
    parameters: Mapping[str, str]
    """Ids by names."""
    known: bool
    """Whether its parameters are."""
    why: str | None
    """Why they are not."""


class Placeholder(Record):
    """A placeholder of a model that is planned; listed where the query asks for `is:placeholder`."""

    id: str
    """Its name, as the file has it."""
    kind: Literal["placeholder"]
    model: str
    """The name of its model in reports."""
    bringup_status: str
    reason: str
    file: str
    """Relative to the checkout."""
    line: int


class JobOfOtherRow(Record):
    """A job of CI that runs a row."""

    name: str
    file: str
    """The name of its workflow."""
    runs_on: str
    cadence: str | None
    """How often it runs by itself; null: when a person starts it."""


class OtherRow(Record):
    """A row of any other kind, such as a benchmark."""

    id: str
    kind: str
    file: str
    """Where it is written, relative to the checkout."""
    line: int
    reason: str | None
    """Why it does not run in CI."""
    fields: Mapping[str, str | Sequence[str]]
    """The fields that only its kind has, as queries name them."""
    jobs: Sequence[JobOfOtherRow]


Row = ModelTest | OpCase | HandwrittenTest | Placeholder | OtherRow
"""Of a list; each kind has its own fields."""


class PlaceholderWithTests(Placeholder):
    """A placeholder of a model that is planned."""

    tests: Sequence[str]
    """Ids of the tests of its model that loaders give rise to, those of one device that infer first."""


class HandwrittenResult(Record):
    """One result of a row that is no test of a model."""

    when: str | None
    from_: Origin = field(name="from")
    run: str
    arch: str | None
    ending: str
    why: str | None
    url: str | None
    """The page of its job of CI, else of its run; null: it is of none, or not known."""


class ShownOtherRow(OtherRow, kw_only=True):
    """Everything about a row of any other kind."""

    evidence: Sequence[HandwrittenResult] | UnsetType = UNSET
    """Newest first; absent: there is none."""
    verdicts: Mapping[str, str] | UnsetType = UNSET
    """What the results mean, by arch; absent: there are none."""


class ShownHandwritten(HandwrittenTest):
    """Everything about one hand-written test."""

    jobs: Mapping[str, Sequence[JobName]]
    """By machine."""
    evidence: Sequence[HandwrittenResult]
    """Newest first."""


class OpTensor(Record):
    """A tensor that an op case makes."""

    shape: Sequence[int]
    dtype: str | None
    """Null: its file says it."""
    init: str
    """How it is filled."""
    stride: Sequence[int] | None
    """Null: elements lie in order."""
    offset: int
    """In elements."""
    text: str
    """All of it in one line."""


class OpValue(Record):
    """A plain value."""

    value: str
    """As Python writes it."""


class OpTensors(Record):
    """One list of tensors."""

    tensors: Sequence[OpTensor]


OpInput = OpTensor | OpValue | OpTensors


class OpSkip(Record):
    """A condition under which an op case is skipped."""

    expr: str
    reason: str | None


class ShownOpCase(OpCase):
    """Everything about one op case."""

    status: Status
    """What its manifest expects of it with the default backend on the CPU."""
    reason: str | None
    """Of the skip or the xfail."""
    inputs: Sequence[OpInput]
    """Positional arguments."""
    keywords: Mapping[str, str]
    """Keyword arguments, each as Python writes it."""
    seed: int
    """Of the first input."""
    rtol: float
    """Relative tolerance."""
    atol: float
    """Absolute tolerance."""
    pcc: float | None
    """Least Pearson correlation that passes."""
    marks: Sequence[str]
    skip_if: Sequence[OpSkip]
    xfail_if: str | None
    """Condition under which it is expected to fail."""
    xfail_reason: str | None
    """Why it is expected to fail."""
    expects_error: str | None
    """The error that the reference must raise."""
    description: str | None
    """Where it was recorded."""
    bytes: int
    """What building it and running both sides takes at least."""
    same: Sequence[str]
    """Ids of the cases that it represents."""
