# SPDX-License-Identifier: Apache-2.0
"""Runs, the machines and profiles that they are for, and what they leave."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from core.base.files import As, Record
from core.runs import Outcome
from core.sources import Layer, OptionType

HostCheck = Annotated[
    str, As(Literal["ssh", "python", "packages", "checkout", "commit", "models", "devices", "disk", "lease"])
]
Share = Annotated[float, Meta(ge=0, le=1)]

Duration = Annotated[float, Meta(ge=0)]


class PackedRun(Record):
    """A run that was packed into an archive."""

    run: str
    file: str


class Planned(Record, kw_only=True):
    """A run as it would be executed."""

    id: str
    """Test id."""
    kind: str
    """What executes it."""
    profile: str
    """The profile that it was requested with; empty: none."""
    arch: str | None
    cwd: str
    argv: Sequence[str]
    env: Mapping[str, str]
    """Variables set on top of the caller's environment."""
    timeout: float
    """Seconds; 0: never."""
    hang_timeout: float
    """Seconds without output and work; 0: never."""
    devices: Sequence[str]
    estimate: float | None
    """Seconds."""
    command: str
    """The line to paste into a shell."""
    cases: Sequence[str] | UnsetType = UNSET
    """Of a run of op cases: their ids."""


class Problem(Record, forbid_unknown_fields=False):
    """Why this environment cannot run the model."""

    kind: str
    message: str


class Leaf(Record, forbid_unknown_fields=False):
    """A tensor, or another value, of the inputs or the output."""

    name: str
    type: str


class Output(Record, forbid_unknown_fields=False):
    """What backward starts from."""

    class_: str | None = field(name="class")
    module: str | None
    leaves: Sequence[Leaf] | UnsetType = UNSET
    access: Sequence[str] | UnsetType = UNSET
    """How each leaf is reached."""


class Phase(Record, forbid_unknown_fields=False):
    """One phase of a CPU repro. Which keys there are depends on how far it came."""

    dtype: str
    ok: bool
    step: str | None
    """The step that failed."""
    error_type: str | None
    error: str | None
    inputs: Sequence[Leaf]
    output: Output | None
    """What forward gave."""
    unpacked: Output | UnsetType | None = UNSET
    """What backward starts from."""
    seconds: float | UnsetType = UNSET
    frames: Sequence[object] | UnsetType = UNSET
    """The traceback, in frames of the checkout."""


class Pcc(Record, forbid_unknown_fields=False):
    """The lowest PCC between the two phases."""

    value: float | None
    name: str | None
    """The tensor."""
    compared: int
    """How many were compared."""
    undefined: int
    """How many had no PCC."""


class PccOfResult(Record, forbid_unknown_fields=False):
    """How far a repro in a lower precision is from the one in full."""

    outputs: Pcc | UnsetType | None = UNSET
    """The lowest PCC between the two phases."""
    gradients: Pcc | UnsetType | None = UNSET
    """The lowest PCC between the two phases."""


class Result(Record, forbid_unknown_fields=False, kw_only=True):
    """What a CPU repro reported (its TTMATRIX-RESULT line)."""

    version: Annotated[int, As(Literal[1])]
    nonce: str
    python: str | UnsetType = UNSET
    torch: str | UnsetType | None = UNSET
    problem: Problem | None
    """Why this environment cannot run the model."""
    phases: Sequence[Phase]
    pcc: PccOfResult | UnsetType | None = UNSET


class ResultOfCases(Record):
    """What a batch of op cases did."""

    message: str
    cases: int
    """How many were asked for."""
    counts: Mapping[str, int]
    """Cases with a result, by status."""
    backend: str | UnsetType = UNSET
    device: str | UnsetType = UNSET


class _WithId(Planned, kw_only=False):
    # Of a Struct, what is not by keyword alone comes first, also in JSON.
    run: str
    """Run id."""


class Run(_WithId, kw_only=True):
    """A run as far as it has come."""

    created: str
    """ISO 8601, UTC."""
    started: str | None
    """ISO 8601, UTC; null: it has not started."""
    batch: str
    """The first run of the request it belongs to."""
    parent: str
    """The batch it reruns a part of; empty: none."""
    held: bool
    checkout: str
    commit: str | None
    """Of the checkout; null: unknown."""
    models_commit: str | None
    """Of the models submodule."""
    committed: bool | None
    """Whether that commit has the loader exactly so."""
    age: str
    """How far the present tree is from that; empty: the same."""
    place: str
    """The host of the hosts file that it ran on; empty: the machine of its queue."""
    state: Annotated[str, As(Literal["queued", "running", "finished"])]
    outcome: Outcome | None
    seconds: float | None
    exit_code: int | None
    signal: int | None
    stage: str
    """The stage that failed; empty: unknown."""
    summary: str
    result: Annotated[Mapping[str, object] | None, As(Result | ResultOfCases | None)]
    directory: str
    log: str


class Host(Record):
    """A machine of the hosts file."""

    name: str
    ssh: str
    """`user@host:port`, or a name of the ssh configuration; empty: it is this machine."""
    labels: Sequence[str]
    slots: Annotated[int, Meta(ge=1)]
    """How many device runs may go on there at a time."""
    python: str
    """The interpreter there; empty: that of the checkout's environment."""
    checkout: str
    """The directory of the checkout there; empty: not known."""
    expires: str | None
    """ISO 8601: when the reservation ends; null: it does not."""
    ssh_config: str
    """A file for `ssh -F`; empty: the person's own configuration."""
    worker: str
    """The interpreter there that has ttmatrix[dask]; empty: `python`, else `python3`."""
    reset: str
    """A line of sh that puts the devices right after a run was stopped or crashed; empty: nothing is done."""
    local: bool
    """Whether it is this machine."""
    seconds_left: Duration | None
    """Until the reservation ends; null: it does not."""
    state: Annotated[str, As(Literal["down", "connecting", "up", "lost", "quarantined", "refused"])]
    """Whether runs go there."""
    why: str
    """Why it is not up."""
    runs: Sequence[str]
    """What goes on there, by run id."""


class HostFinding(Record):
    """One thing that a host must have."""

    check: HostCheck
    ok: bool
    found: str
    remedy: str
    """What to do about it; empty where it is right."""


class HostChecked(Record):
    """What a host lacks."""

    host: str
    ok: bool
    """Whether it lacks nothing."""
    findings: Sequence[HostFinding]


class RunLog(Record):
    """The log of a run."""

    run: str
    log: str
    lines: Sequence[str]


class RunArtefacts(Record):
    """What a run has left."""

    run: str
    artefacts: Sequence[str]


class LogsCompared(Record):
    """Two logs, as a diff."""

    runs: tuple[str, str]
    diff: Sequence[str]


class Profile(Record):
    """A named way to run tests."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    timeout: float | None
    backend: Annotated[str, As(Literal["", "auto", "tt", "xla", "inductor", "eager"])]
    """What the built-in runner compiles with; empty: what the settings say."""
    batch_size: Annotated[int, Meta(ge=1)] | None
    options: Mapping[str, str | float | bool]
    """Compile options by name: ttmatrix profiles --options."""
    weights: Mapping[str, Annotated[str, As(Literal["bfp_bf8", "bfp_bf4", "bf16"])]]
    """Dtypes of weights, by patterns of the names of parameters."""
    dump: bool
    """Whether programs stay with the run."""
    prefix: Sequence[str]
    """Words before the command."""
    mistake: str | None
    """Why it cannot be used with this checkout."""


class CompileOption(Record):
    """An option that a profile may set."""

    name: str
    type: OptionType
    layer: Layer
    """What takes it: the PJRT plugin, or the tt backend of torch.compile."""
    help: str
    values: Sequence[str]
    """Those that it may have; empty: any of its type."""
    wire: str
    """What upstream's parser calls it; empty: its name."""


class ReplayDifference(Record):
    """What is different here from where a run was packed."""

    what: str
    there: str
    here: str


class Replayed(Record):
    """A run that was packed elsewhere, as it would run here."""

    outcome: str
    summary: str
    differences: Sequence[ReplayDifference]
    plan: Planned


class SessionSlot(Record):
    """A machine, or a part of one, that runs are planned for."""

    host: str
    """Its name in the hosts file; empty: this machine, which is not in it."""
    archs: Sequence[str]
    seconds: Duration
    """How long it is there."""


class SessionRun(Record):
    """Runs of a test that fit."""

    id: str
    arch: str
    host: str
    slot: Annotated[int, Meta(ge=0)]
    """Its place in `slots`."""
    begin: Duration
    """Seconds from now."""
    seconds: Duration
    """Of one run."""
    runs: Annotated[int, Meta(ge=1)]
    """How many runs it takes."""
    known: bool
    """Whether `seconds` is by results or durations of CI; else it is a guess."""
    why: Annotated[Sequence[str], Meta(min_length=1)]


class LeftOver(Record):
    """A test that does not fit."""

    id: str
    arch: str
    seconds: Duration
    """Of all its runs."""
    why: str


class Estimates(Record):
    """How good earlier estimates were."""

    runs: Annotated[int, Meta(ge=0)]
    """Earlier runs that had an estimate."""
    ratio: float | None
    """The median of what they took by what was estimated."""
    near: Share | None
    """The share within a quarter of the estimate."""


class SessionPlan(Record):
    """Which runs fit into the time that is left, best first."""

    slots: Sequence[SessionSlot]
    runs: Sequence[SessionRun]
    left_over: Sequence[LeftOver]
    machine_minutes: float
    free_minutes: float
    estimates: Estimates
    queued: Sequence[str]
    """With --queue: the ids of the runs that were started."""
