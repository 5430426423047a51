# SPDX-License-Identifier: Apache-2.0
"""The values that the files in `data` hold: what each format must read from them, and write again byte for byte."""

from datetime import date
from pathlib import Path

from core.base.processes import ProcessIdentity
from core.base.settings import Profile, Settings
from core.domain.model import BringupStatus, Function, Status
from core.edits import Operation, OpKind
from core.edits.pending import BaseEntry, Change, Decision, Rebased
from core.edits.pending.change import Decided, Put, UndoStep
from core.edits.pending.events import (
    FilesCommitted,
    FileWrite,
    JournalEvent,
    Marked,
    Numbered,
    Redone,
    Stepped,
    Undone,
    WriteAbandoned,
    WriteBegan,
    WriteDone,
)
from core.evidence import Ending, Observation, Origin
from core.evidence.verdicts import Policy
from core.evidence.verdicts.policy import PccPolicy, RetentionPolicy
from core.matrix.query import Query
from core.matrix.view import Saved, ViewSpec
from core.runs import Outcome, ResultFormat, RunSpec
from core.runs.planning import Source, Survey
from core.runs.store import TreeState, events as run_events
from core.workflows.case import Case, CaseEntry
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.loader_code.edits.edit import EditKind

FILE = "torch/test_config_inference_single_device.yaml"
TEST = "mnist/pytorch-single_device-inference"
ODD = 'line one\nline "two" \\ \t µ 漢 \U0001f600 \udce4 \x7f'
"""Text that is written with escapes."""

OPERATIONS = (
    Operation(OpKind.SET, TEST, FILE, ("status",), "KNOWN_FAILURE_XFAIL"),
    Operation(OpKind.SET, TEST, FILE, ("arch_overrides", "n150", "required_pcc"), 0.1),
    Operation(OpKind.SET, TEST, FILE, ("markers",), []),
    Operation(OpKind.SET, TEST, None, ("assert_pcc",), False),
    Operation(OpKind.UNSET, TEST, path=("reason",)),
    Operation(OpKind.ADD, "new/pytorch-inference", FILE, (), {"status": "UNSPECIFIED", "markers": ["push", "µ"]}),
    Operation(OpKind.ADD, TEST, None, ("markers",), "nightly"),
    Operation(OpKind.REMOVE, TEST, FILE),
    Operation(OpKind.RENAME, TEST, FILE, (), None, "renamed/pytorch-inference"),
    Operation(OpKind.MOVE, TEST, FILE, to="torch/other.yaml"),
)
CHANGE = Change(
    OPERATIONS,
    ODD,
    Decision.ACCEPTED,
    (
        BaseEntry(
            FILE, TEST, {"status": "EXPECTED_PASSING", "required_pcc": 1e-9, "n": None, "deep": {"a": [1, 2.5, True]}}
        ),
        BaseEntry(FILE, "gone/pytorch-inference", None),
    ),
    7,
    ("run 1 says so", "µ"),
)
PLAIN_CHANGE = Change((OPERATIONS[0],), id=8)

JOURNAL_ROOT, JOURNAL_SERIAL = "/home/somebody/tt-xla µ", "0123456789abcdef"
JOURNAL: tuple[JournalEvent, ...] = (
    Stepped(UndoStep((Put(None, CHANGE), Put(None, PLAIN_CHANGE)))),
    Stepped(UndoStep((Decided(8, Decision.UNDECIDED, Decision.REJECTED),))),
    Stepped(UndoStep((Put(CHANGE, PLAIN_CHANGE), Put(PLAIN_CHANGE, None)), offers=True)),
    Undone(),
    Redone(),
    WriteBegan((FileWrite(FILE, "aa", "bb"), FileWrite("jax/x.yaml", "", "cc")), (7, 8)),
    WriteBegan((FileWrite(FILE, "aa", "bb"),)),
    WriteAbandoned(),
    WriteDone((7, 8), (FILE,)),
    WriteDone((), (FILE, "jax/x.yaml"), OPERATIONS[:2], {TEST: ("run 1 says so", "µ")}),
    FilesCommitted((FILE,)),
    Rebased(
        ((FILE, TEST),),
        {(FILE, "a"): "0011", (FILE, "b"): "2233"},
        (((FILE, TEST), (FILE, "renamed")),),
        (1, 2),
    ),
    Rebased(come={}),
    Marked(frozenset({TEST, "a", "µ"}), frozenset({"b"})),
    Numbered(9),
)

SPEC = RunSpec(
    run_id="20261121-073215-ab12cd",
    test_id=TEST,
    function=Function.TORCH,
    kind="device",
    arch="n150",
    argv=("/usr/bin/python3", "-c", ODD, ""),
    env={"Z": "last", "A": "µ {artefacts}"},
    cwd=Path("/home/somebody/tt-xla"),
    timeout=14400.0,
    created="2026-11-21T07:32:15+00:00",
    nonce="ab12cd00",
    slots="device",
    slot_count=0,
    report=ResultFormat.JUNIT,
    devices=("*",),
    memory=4 * 2**30,
    hang_timeout=1200.5,
    graces=(10.0, 5.0, 0.25),
    batch="20261121-073215-ffffff",
    parent="20261120-073215-eeeeee",
    stop_on_failure=True,
    estimate=12.125,
    profile="fast",
    log_limit=2**31,
    entry="0123456789abcdef",
)
EARLY_SPEC = RunSpec(
    "20260101-000000-000001", TEST, Function.TORCH, "cpu", None, ("python",), {}, Path("/"), 0.0, "", "", "cpu", 2
)
"""Written before specs had a profile, a limit of the log and the digest of their entry."""

TREE = TreeState("root", "head", "models", "loader", "imports", True)
RUN_EVENTS: tuple[run_events.Event, ...] = (
    run_events.Queued(1763710335.25, "host", "boot"),
    run_events.Started(1763710336.0, ProcessIdentity(4711, 123.45), ("python", ODD), TREE),
    run_events.Started(1763710336.0, ProcessIdentity(4711, 123.45), ()),
    run_events.Finished(
        1763710337.5,
        Outcome.CRASH,
        1.5,
        None,
        11,
        {"version": 1, "phases": [{"dtype": "bfloat16", "ok": False, "pcc": 1e22}], "µ": None},
        ODD,
        "FE_COMPILATION_START",
        True,
        0.5,
    ),
    run_events.Finished(1763710337.5, Outcome.PASS, exit_code=0),
)
EARLY_RUN_EVENTS: tuple[run_events.Event, ...] = (
    run_events.Started(1763710336.0, ProcessIdentity(4711, 123.45), ("python",)),
    run_events.Finished(1763710337.5, Outcome.TIMEOUT, 1.5, signal=15, detail="d", stage="s"),
)
"""Written before events knew the tree, edits and idleness."""

SURVEY = Survey(
    "0123abcd",
    True,
    None,
    "4567",
    "/usr/bin/python3",
    {"python": "3.11.7", "torch": None, "jax": ""},
    "digest",
    "host µ",
    "boot",
    "0.1.0",
    Source.REMEMBERED,
)

OBSERVATIONS = (
    Observation(
        test_id=TEST,
        function=Function.TORCH,
        arch="n150",
        origin=Origin.CI,
        run="nightly",
        when=1763710335.25,
        host="f10",
        ending=Ending.PASSED,
        expected=Status.EXPECTED_PASSING,
        forced=False,
        stage=BringupStatus.PASSED,
        reason="",
        seconds=1.0,
    ),
    Observation(
        TEST,
        Function.JAX,
        "",
        Origin.HERE,
        "batch µ",
        1763710336.0,
        "",
        Ending.SLOW,
        Status.KNOWN_FAILURE_XFAIL,
        True,
        BringupStatus.FAILED_RUNTIME,
        ODD,
        0.1,
        0.987,
        0.99,
        False,
        True,
        ("A", "B"),
        9,
        2,
        "job",
        "/tmp/x.xml",
        "abc",
        "def",
        "TT_FATAL",
    ),
)
EARLY_OBSERVATIONS = (
    Observation(
        TEST,
        Function.TORCH,
        "n150",
        Origin.CI,
        "before",
        0.0,
        "f10",
        Ending.OUT_OF_TIME,
        Status.EXPECTED_PASSING,
        False,
        BringupStatus.UNKNOWN,
        "Failed: Timeout (>60.0s)",
        0.0,
    ),
)
"""Of before `raised`: hung stood for whatever was stopped; times were not bounded, and there was a field that went."""

CASE = Case(
    CaseEntry(
        TEST, FILE, {"status": "KNOWN_FAILURE_XFAIL", "reason": ODD, "required_pcc": 0.97, "since": "2026-01-02"}
    ),
    "third_party/loader.py",
    "third_party/training_utils.py",
    {"third_party/loader.py": ODD, "third_party/training_utils.py": ""},
    (
        CaseEntry(TEST, FILE, {"status": "UNSPECIFIED", "arch_overrides": {"n150": {"reason": "x"}}}),
        CaseEntry("b", FILE),
    ),
    (CaseEntry("c", "jax/x.yaml", {"markers": ["push"]}),),
    "cv_object_det",
    ("https://huggingface.co/org/model",),
)
CASE_AS_READ = {"since": date(2026, 1, 2)}
"""What YAML makes of one field of the target; a session keeps it as text."""

EDIT = SourceEdit(EditKind.CAST, 12, "cast `x` µ", "a = 1\n", "a = 1.0\n")

VIEWS = Saved(
    {
        "Mine µ": ViewSpec(
            Query.parse("status:xfail llama"), "n150", ("id", "status", "pcc"), "pcc", True, "status", "loaders"
        ),
        "plain": ViewSpec(),
    },
    {"model": ("id", "status", "reason")},
)

SETTINGS = Settings(
    python="/opt/python",
    backend="tt",
    cpu_slots=3,
    cpu_timeout=60.0,
    log_gib=0.5,
    notify="osc9",
    keep_runs=100,
    profiles={"fast": Profile(("-x", "{artefacts}"), {"A": "µ"}, 30.0), "plain": Profile()},
)
POLICY = Policy(
    minimum_runs=2,
    window=7,
    apply_grade=4,
    grace_days=1.5,
    require_issue=True,
    archs=("n150", "p150"),
    must_pass=("llama*", "µ"),
    cpu_counts_as_device=True,
    ignored_hosts=("f10",),
    pcc=PccPolicy(0.001, 0.98, 0.5),
    retention=RetentionPolicy(90.0, 20),
    keep={TEST: 'because "so"\x7f', "a*": "µ"},
)
