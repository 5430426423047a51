# SPDX-License-Identifier: Apache-2.0
"""A test that is gone from the reports of its job counts wherever a test counts."""

import json
import time
from pathlib import Path

import pytest

from core.base.checked_numbers import day_of
from core.base.settings import Settings, paths
from core.ci import read_ci
from core.evidence import Ending, Observation
from core.evidence.proposals import CauseKind, Concern
from core.evidence.proposals.causes import cause_of
from core.evidence.proposals.worklist_reader import worklist
from core.evidence.verdicts import Verdict, Verdicts
from core.matrix import index
from core.matrix.cache import Cache
from core.matrix.view import overview
from core.providers import model_infos
from core.sources import Checkout
from core.workspace import Evidence, Workspace
from tests.support.cli import call
from tests.support.evidence import TEST_ID, seen
from tests.support.reports import keep
from tests.support.tree import INFERENCE, loader_source, write_checkout

NET, DIES = (f"alpha/pytorch-{name}-single_device-inference" for name in ("net", "dies"))
MARK = "n150 and expected_passing"
JOB = "n150-n150_and_expected_passing"
FIRST, DAY = time.time() // 86_400 * 86_400 - 10 * 86_400, 86_400.0


@pytest.fixture
def bare(tmp_path: Path) -> Checkout:
    """Three tests of one nightly job, without results."""
    entries = "".join(f"  {id}:\n    status: EXPECTED_PASSING\n" for id in (TEST_ID, NET, DIES))
    loaders = {"alpha/pytorch": loader_source(["tiny", "net", "dies"])}
    checkout = write_checkout(tmp_path / "c", loaders, {INFERENCE: f"test_config:\n{entries}"})
    checkout.presets.mkdir(parents=True)
    job = {"runs-on": "n150", "name": "run", "dir": "./tests/runner", "test-mark": MARK, "forge-models": True}
    (checkout.presets / "nightly.json").write_text(json.dumps([job]))
    workflow = "on: {schedule: [{cron: '0 0 * * *'}]}\njobs: {x: {with: {test_suite: nightly.json}}}\n"
    (checkout.presets.parent / "nightly.yml").write_text(workflow)
    return checkout


@pytest.fixture
def checkout(bare: Checkout) -> Checkout:
    keep(bare, [row for night in range(1, 6) for row in _night(night)])
    return bare


def _night(night: int) -> list[Observation]:
    """The test is gone since the third night, in which another one took its worker down."""
    ids = (TEST_ID, NET, DIES) if night < 3 else (NET, DIES)
    ending = {DIES: Ending.CRASHED} if night == 3 else {}
    return [
        seen(
            ending.get(id, Ending.PASSED),
            test_id=id,
            run=f"nightly-{night}",
            when=FIRST + night * DAY,
            job=JOB,
            reason="the worker of pytest-xdist crashed while running the test" if id in ending else "",
        )
        for id in ids
    ]


GAP = "no result in 3 runs, since nightly-3; 2 other tests of its job have one"
SUSPECT = f"{DIES} crashed in its job in nightly-3: the worker of pytest-xdist crashed while running the test"


def test_verdicts_and_queries_have_it(checkout: Checkout) -> None:
    (one,) = call("verdicts", "--only", "missing", "--json", "--repo", checkout.root).json
    assert (one["id"], one["arch"], one["since"]) == (TEST_ID, "n150", "nightly-3")
    assert one["why"] == f"{GAP}; {SUSPECT}; before that it passed in nightly-2"
    assert [row["id"] for row in call("list", "verdict:missing", "--json", "--repo", checkout.root).json] == [TEST_ID]


def test_it_is_proposed(checkout: Checkout) -> None:
    (one,) = call("propose", TEST_ID, "--json", "--repo", checkout.root).json
    assert (one["verdict"], one["grade"], one["since"]) == ("missing", 2, "nightly-3")
    assert SUSPECT in one["why"]


def test_since_says_it_and_names_the_suspect(checkout: Checkout) -> None:
    called = call("since", TEST_ID, "--repo", checkout.root)
    assert called.code == 1, "though its last result is a pass"
    assert f"  missing: {GAP}; {SUSPECT}" in called.out.splitlines()
    (cell,) = call("since", TEST_ID, "--json", "--repo", checkout.root).json["cells"]
    assert cell["absent"] == {"kind": "missing", "why": f"{GAP}; {SUSPECT}"}
    assert call("since", NET, "--repo", checkout.root).code == 0


def test_compare_tells_it_from_what_was_not_run(checkout: Checkout) -> None:
    called = call("compare", "nightly-2", "nightly-5", "--json", "--repo", checkout.root)
    assert called.code == 1
    assert called.json["counts"]["missing"] == 1 and called.json["counts"]["not run"] == 0
    assert [(one["kind"], one["id"]) for one in called.json["differences"]] == [("missing", TEST_ID)]
    assert "was: passed" in call("compare", "nightly-2", "nightly-5", "--repo", checkout.root).out


@pytest.mark.parametrize("to", ["md", "html"])
def test_the_report_lists_it(checkout: Checkout, to: str) -> None:
    found = call("report", "--json", "--repo", checkout.root).json
    assert found["missing"] == [
        {"id": TEST_ID, "arch": "n150", "run": "nightly-3", "runs": 3, "day": day_of(FIRST + 2 * DAY), "url": None}
    ]
    assert found["verdicts"]["missing"] == 1
    said = call("report", "--format", to, "--repo", checkout.root).out
    assert "1 cell gone from the reports of CI" in said
    assert "Gone from the reports of their jobs" in said and TEST_ID in said.partition("Gone from")[2]


def test_a_job_that_no_longer_selects_it_has_not_lost_it(checkout: Checkout) -> None:
    (checkout.presets / "nightly.json").write_text(
        (checkout.presets / "nightly.json").read_text().replace("expected_passing", "large")
    )
    (cell,) = call("since", TEST_ID, "--json", "--repo", checkout.root).json["cells"]
    assert cell["absent"] == {"kind": "not selected", "why": f"{JOB} no longer selects it"}
    assert call("verdicts", "--only", "missing", "--json", "--repo", checkout.root).json == []
    counts = call("compare", "nightly-2", "nightly-5", "--json", "--repo", checkout.root).json["counts"]
    assert (counts["missing"], counts["not run"]) == (0, 1)


def _verdicts(checkout: Checkout) -> Verdicts:
    return Evidence(Workspace.on(index(checkout), paths(), Settings())).verdicts


def test_the_overview_counts_it(checkout: Checkout) -> None:
    found = _verdicts(checkout)
    sections = overview(found.matrix, {"runs": found.facts()})
    (row,) = [row for section in sections for row in section.rows if row.label == "gone"]
    assert [(one.count, str(one.link.words)) for one in row.numbers if one] == [(1, "verdict:missing")]


def test_triage_has_it_to_decide_as_gone(checkout: Checkout) -> None:
    found = _verdicts(checkout)
    items = worklist(found, read_ci(found.matrix, model_infos(Cache(checkout, paths().cache), found.matrix))).items
    (one,) = [item for item in items if item.id == TEST_ID]
    assert (one.concern, one.verdict) == (Concern.DECIDE, Verdict.MISSING)
    assert one.proposal is not None
    cause = cause_of(one.proposal.judgements, one.proposal.ops)
    assert (cause.kind, cause.since) == (CauseKind.GONE, "nightly-3")


def _junit(directory: Path, night: int, ids: tuple[str, ...], end: str = "</testsuite></testsuites>") -> None:
    """The report of a job as CI stores it."""
    file = directory / f"nightly-{night}" / f"test-reports-a1-1.0-{JOB}-{night}" / "report.xml"
    file.parent.mkdir(parents=True)
    tags = {"bringup_status": "PASSED", "arch": "n150", "model_test_status": "ModelTestStatus.EXPECTED_PASSING"}
    properties = f'<properties><property name="tags" value="{tags}"/></properties>'
    cases = "".join(f'<testcase classname="t" name="test_all_models_torch[{id}]">{properties}</testcase>' for id in ids)
    head = f'timestamp="2024-09-{night:02}T01:36:42+00:00" hostname="f10"'
    file.write_text(f'<?xml version="1.0"?><testsuites><testsuite name="pytest" {head}>{cases}{end}')


def test_a_truncated_report_is_a_job_that_was_cut(bare: Checkout, tmp_path: Path) -> None:
    _junit(tmp_path, 1, (TEST_ID, NET, DIES))
    _junit(tmp_path, 2, (NET, DIES), end="<testcase classname='t' name='test_all")
    assert call("ingest", tmp_path / "nightly-1", tmp_path / "nightly-2", "--repo", bare.root).code == 1, "one is cut"
    (cell,) = call("since", TEST_ID, "--json", "--repo", bare.root).json["cells"]
    why = f"{JOB} was cut in nightly-2: a report is truncated behind {DIES}"
    assert cell["absent"] == {"kind": "job cut", "why": why}
    assert call("verdicts", "--only", "missing", "--json", "--repo", bare.root).json == []
    _junit(tmp_path, 3, (NET, DIES))
    assert call("ingest", tmp_path / "nightly-3", "--repo", bare.root).code == 0
    (one,) = call("verdicts", "--only", "missing", "--json", "--repo", bare.root).json
    assert one["since"] == "nightly-3", "the first run that was whole"
    assert f"the truncated report of nightly-2 ends behind {DIES}" in one["why"]
