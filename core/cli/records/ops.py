# SPDX-License-Identifier: Apache-2.0
"""Op tests."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from core.base.files import As, Record
from core.evidence.analysis import BackendKind, Stability
from core.evidence.verdicts import Verdict

CaseStatus = Annotated[
    str,
    As(
        Literal[
            "pass",
            "fail",
            "error(ref)",
            "build-error",
            "skip",
            "xfail",
            "xpass",
            "dup",
            "crash",
            "timeout",
            "not-an-op",
        ]
    ),
]


class CaseOnBackend(Record):
    """The last result on a backend; null: there is none."""

    status: str
    rtol: float
    atol: float
    max_abs: float | None
    max_rel: float | None
    mismatched: float | None
    """Percent of the elements."""
    pcc: float | None
    seconds: float
    message: str | None
    run: str


class CaseChange(Record):
    """By how much a number is greater on the second backend; null where one side has none."""

    max_abs: float | None
    max_rel: float | None
    mismatched: float | None
    pcc: float | None
    seconds: float | None


class CaseOnBackends(Record):
    """An op case on two backends."""

    id: str
    kind: BackendKind
    first: CaseOnBackend | None
    """The last result on a backend; null: there is none."""
    second: CaseOnBackend | None
    """The last result on a backend; null: there is none."""
    change: CaseChange
    """By how much a number is greater on the second backend; null where one side has none."""


class BackendsCompared(Record):
    """Op cases on two backends."""

    first: str
    second: str
    counts: Mapping[BackendKind, int]
    cases: Sequence[CaseOnBackends]


class Extracted(Record):
    """The ops of a model as a manifest."""

    id: str
    """The test whose model ran."""
    level: Annotated[str, As(Literal["torch", "aten"])]
    file: str | None
    """Where the manifest is; null: nothing was written."""
    cases: int
    """Equal calls are one case."""
    added: int
    """Cases that the file did not have."""
    calls: int
    """What the cases are of."""
    left_out: Mapping[str, int]
    """How often each call that no case can say was made, by op and reason."""
    failure: str
    """How the model ended, where it failed or took too long: these are its ops until then."""
    manifest: str | None
    """The text, where no file is named."""


class OpModelFile(Record):
    """A manifest of a model."""

    file: str
    backend: str | None
    """What the file is a variant for."""
    variant_of: str | None
    """The file that it is a variant of."""


class OpModel(Record):
    """A model with op cases."""

    model: str
    cases: int
    unique: int
    """Where cases that are the same test count once."""
    ops: int
    files: Sequence[OpModelFile]


class OpByOpInput(Record):
    """A tensor that goes into an op."""

    shape: Sequence[int]
    dtype: str


class OpByOpResult(Record):
    """What upstream's op-by-op test says of one op."""

    op: str
    passed: bool
    message: str | None
    inputs: Sequence[OpByOpInput]
    report: str
    joined_by_shape: Sequence[str]
    """Cases whose tensors have the same shapes and dtypes; they need not be the same op."""


class FailedModule(Record):
    """A program that upstream's op-by-op test could not take apart."""

    file: str
    op: str


class OpsOfModel(Record):
    """The ops of a model, with what upstream's op-by-op tests say of them."""

    id: str
    op_by_op: str | None
    """The node id of its op-by-op twin."""
    models: Sequence[str]
    """Of manifests."""
    cases: Sequence[str]
    results: Sequence[OpByOpResult]
    failed_modules: Sequence[FailedModule]
    chisel_lines: int | None
    problems: Sequence[str]


class OpTally(Record):
    """Last results of op cases on one backend."""

    cases: int
    passed: int
    """pass and xpass. A duplicate counts as the case that represents it, here and in all others."""
    failed: int
    """fail, crash and timeout."""
    errors: int
    """error(ref) and build-error."""
    xfailed: int
    skipped: int
    """skip and not-an-op."""
    missing: int
    """Without a result."""
    duplicates: int
    """Of those with a verdict, how many took it from another case."""
    seconds: float
    """What these took."""
    executed: int
    """Cases that were run themselves."""
    seconds_per_case: float | None
    """The mean; null: none was run."""
    pass_rate: float | None
    """passed / (passed + failed + errors); null: there are none."""


class OpCounts(Record):
    """The op cases of one model, or of one op."""

    cases: int
    unique: int
    ops: int
    models: int
    signatures: int
    """Distinct ops with the shapes and dtypes of their tensors."""
    shapes: int
    dtypes: int
    backends: Mapping[str, OpTally]
    """By backend with results."""


class Coverage(Record):
    """Distinct ops and tensors of all cases."""

    signatures: int
    shapes: int
    dtypes: int


class Deduplicated(Record):
    """How many cases need not be run, as others are the same test."""

    executed: int
    """Cases that are left where equal ones count once."""
    duplicates: int
    saved: float
    """Duplicates, of all cases."""


class DeduplicatedResults(Record):
    """How many cases were not run, as others are the same test."""

    executed: int
    duplicates: int
    saved: float | None
    """duplicates / (duplicates + executed); null: there are none."""


class BackendCoverage(Record):
    """How many ops a backend can do."""

    ops: int
    """Distinct ops of the cases, without what computes nothing; or those of the setting enabled_ops."""
    enabled: int
    """Those that pass at least one case."""
    rate: float | None
    """enabled / ops; null: there are no ops."""


class BackendStability(Record):
    """How stable the results of a backend are."""

    tests: int
    """Tests with results; equal cases are one."""
    compared: int
    """Those with results of two runs or more; the others are of these."""
    steady: int
    still_failing: int
    new_fail: int
    fixed: int
    flaky: int
    rate: float | None
    """(steady + still_failing) / compared; null: none was compared."""


class OpBackend(OpTally):
    """Last results of op cases on one backend, with what they cover."""

    coverage: BackendCoverage
    dedupe: DeduplicatedResults
    stability: BackendStability


class ManifestProblem(Record):
    """A mistake in a manifest."""

    file: str
    line: int
    """0: unknown."""
    column: int
    case: str | None
    """Null: outside of the cases."""
    message: str
    hint: str | None
    warning: bool
    """Whether the case is read all the same."""


class OpGridCell(Record):
    """The op cases of one op and one model."""

    op: str
    model: str
    cases: int
    backends: Mapping[str, OpTally]
    """By backend with results."""


class OpsReport(Record):
    """Op cases and their results, counted."""

    cases: int
    unique: int
    ops: int
    models: int
    by_model: Mapping[str, OpCounts]
    by_op: Mapping[str, OpCounts]
    coverage: Coverage
    dedupe: Deduplicated
    backends: Mapping[str, OpBackend]
    """The last results, by backend with some."""
    problems: Sequence[ManifestProblem]
    grid: Sequence[OpGridCell] | UnsetType = UNSET
    """With --grid: by op and model, where there are cases."""


class OpCaseResult(Record):
    """The last result of an op case on one backend."""

    id: str
    backend: str
    status: CaseStatus
    seconds: float
    max_abs: float | None
    max_rel: float | None
    pcc: float | None
    message: str
    key: str
    """What equal cases have in common."""
    dup_of: str | None
    """The case whose result this one takes."""
    when: str | None
    """ISO 8601, UTC."""
    run: str
    """The run here, or the name of the report's."""
    verdict: Verdict
    why: str
    stability: Stability | None
    since: str | None
    """The first run of the failures, or passes, that the last results are."""


class OpCasePhases(Record):
    """Seconds of each part; null: it did not come to that, or the backend has no such part."""

    build: float | None
    reference: float | None
    compile: float | None
    run: float | None
    compare: float | None


class OpCaseRun(Record):
    """What an op case did."""

    id: str
    status: CaseStatus
    seconds: float
    """Of building the inputs, the reference, compiling and running."""
    max_abs: float | None
    max_rel: float | None
    pcc: float | None
    message: str
    phases: OpCasePhases
    """Seconds of each part; null: it did not come to that, or the backend has no such part."""
