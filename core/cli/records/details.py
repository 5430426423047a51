# SPDX-License-Identifier: Apache-2.0
"""What `show` prints."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType, field

from core.base.files import As, Record
from core.cli.records.parts import Finding, JobName, Step
from core.cli.records.results import Judgement, Performance
from core.kinds import (
    HandwrittenResult as HandwrittenResult,
    OpSkip as OpSkip,
    OpTensor as OpTensor,
    OpTensors as OpTensors,
    OpValue as OpValue,
    ShownHandwritten as ShownHandwritten,
    ShownOpCase as ShownOpCase,
    ShownOtherRow as ShownOtherRow,
)
from core.sources.downloads import Library


class ShownModel(Record):
    """A model, as the loader describes it."""

    model: str
    variant: str | None
    group: str
    task: str
    source: str
    framework: str
    name: str


class ShownHub(Record):
    """A download from the Hugging Face hub."""

    kind: Annotated[str, As(Literal["model", "dataset"])]
    name: str
    """`owner/name`."""
    link: str


class ShownWeights(Record):
    """A download from elsewhere."""

    library: Library
    repository: str
    """torch.hub: `owner/name` on GitHub, with `:ref` where it has one; else empty."""
    name: str
    """Of the model, or the address of a file; empty: only running the loader tells."""
    page: str | None


class ShownEntry(Record):
    """An entry as its file has it."""

    file: str
    """Relative to the checkout."""
    line: int
    end_line: int
    text: str
    fields: Mapping[str, object]


class EffectiveValue(Record):
    """A value with its provenance."""

    value: object
    from_: str = field(name="from")
    """default, entry, override or rule."""


class AbsentFile(Record):
    """A file that git tracks and the work tree lacks."""

    file: str
    why: str
    has_entry: bool
    """Whether the last commit has an entry for the id there."""


class ShownTest(Record, kw_only=True):
    """Everything about one test of a model."""

    id: str
    function: str
    node_id: str
    known: bool
    """Whether a loader gives rise to the id."""
    loader: str | None
    model_info: ShownModel | None
    hub: Sequence[ShownHub]
    """What the loader fetches from the Hugging Face hub for the variant, as far as its text tells: the checkpoint
    first."""
    weights: Sequence[ShownWeights]
    """What it fetches besides, from elsewhere, as far as its text tells."""
    supported_archs: Sequence[str]
    entries: Sequence[ShownEntry]
    effective: Mapping[str, Mapping[str, EffectiveValue]]
    """By arch (`base`: without --arch), then by field."""
    jobs: Mapping[str, Sequence[JobName]]
    """Scheduled jobs by runner."""
    commits: Sequence[Step]
    """The last ones that changed the entry."""
    siblings: Sequence[str]
    """Other entries of the loader."""
    findings: Sequence[Finding]
    markers: Mapping[str, Sequence[str] | None]
    """All markers that pytest gives the test, by arch; base: without --arch. null: deselected there."""
    evidence: Sequence[Judgement]
    pytest_markers: Mapping[str, Sequence[str]] | UnsetType = UNSET
    """By arch; `none`: without --arch."""
    absent: Sequence[AbsentFile]
    """Expectation files, presets and workflows that git tracks and the work tree lacks."""
    performance: Sequence[Performance]
