# SPDX-License-Identifier: Apache-2.0
"""What differs between two states of a checkout."""

from collections.abc import Sequence

from msgspec import field

from core.base.files import Record
from core.cli.records.parts import Finding


class Moment(Record):
    """One of two states."""

    tt_xla: str
    """The commit; index: what is staged; worktree: the files as they are."""
    models: str | None
    """The commit of the models; worktree: the files as they are; null: they are no submodule."""


class RenamedTest(Record):
    """A test with another id, which is the same by its model, its code or its checkpoint."""

    from_: str = field(name="from")
    to: str


class TestsBetween(Record):
    """Ids of model tests, as of `list --universe validator`, sorted."""

    __test__ = False

    added: Sequence[str]
    """Those of renamed tests are among them."""
    removed: Sequence[str]
    renamed: Sequence[RenamedTest]


class ChangedField(Record):
    """A field of an entry that means something else."""

    id: str
    arch: str | None
    """null: without --arch, and on every arch if none is listed for the field."""
    field: str
    before: object
    """As it counts: the default, where it is not written."""
    after: object


class EntriesBetween(Record):
    """Entries, by what they mean."""

    added: Sequence[str]
    removed: Sequence[str]
    changed: Sequence[ChangedField]
    orphaned: Sequence[str]
    """Entries whose test is gone."""
    reached: Sequence[str]
    """Entries that had no test, and have one now."""


class JobBetween(Record):
    """A scheduled job that selects other tests."""

    file: str
    index: int
    """The place of the object in the preset, from 0; of a job that is gone, its former one."""
    gained: Sequence[str]
    lost: Sequence[str]


class RenamedPreset(Record):
    """A preset under another name, with at least half of its jobs. Only those whose tests differ are in `jobs`."""

    from_: str = field(name="from")
    to: str


class PlaceOfJob(Record):
    """Where the object of a job is."""

    file: str
    index: int


class MovedJob(Record):
    """A scheduled job that is in another preset."""

    from_: PlaceOfJob = field(name="from")
    to: PlaceOfJob


class PresetsBetween(Record):
    """Presets and jobs that are still there, in another file."""

    renamed: Sequence[RenamedPreset]
    moved: Sequence[MovedJob]


class LoaderBetween(Record):
    """A loader with other code."""

    loader: str
    files: Sequence[str]
    """Its own files, modules that it imports, requirements; relative to the models."""
    tests: Sequence[str]
    """The ids of its tests that have an entry."""


class RealPlaceholder(Record):
    """A planned model that has a loader now."""

    name: str
    loader: str


class HandwrittenBetween(Record):
    """Node ids of hand-written tests."""

    added: Sequence[str]
    removed: Sequence[str]


class FindingsBetween(Record):
    """What `doctor` finds in one of the states only."""

    new: Sequence[Finding]
    gone: Sequence[Finding]


class MovedPin(Record):
    """A version that moved."""

    name: str
    before: str | None
    """null: it was not pinned."""
    after: str | None


class TouchedTest(Record):
    """A test that a difference touches, with what its run takes."""

    id: str
    kind: str
    arch: str | None
    seconds: float
    """By earlier runs or CI; else a guess."""
    known: bool
    why: str


class TouchedTests(Record):
    """The tests that a difference touches and that fit into a time, the riskiest first."""

    from_: Moment = field(name="from")
    to: Moment
    hours: float
    tests: Sequence[TouchedTest]
    left_over: Sequence[str]
    """Those that do not fit, or cannot run this way."""


class StatesCompared(Record):
    """The matrix at two states."""

    from_: Moment = field(name="from")
    to: Moment
    tests: TestsBetween
    entries: EntriesBetween
    jobs: Sequence[JobBetween]
    loaders: Sequence[LoaderBetween]
    placeholders: Sequence[RealPlaceholder]
    handwritten: HandwrittenBetween
    findings: FindingsBetween
    pins: Sequence[MovedPin]
    presets: PresetsBetween
