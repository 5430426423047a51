# SPDX-License-Identifier: Apache-2.0
"""`ingest --from-github` keeps runs with their jobs, what each has left, and how the dead ones ended."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.base.settings import paths
from core.evidence import CiStore, JobState, performance_store, store_file
from core.evidence.ci_runs import HowDied
from core.evidence.store import EvidenceStore
from core.sources import Checkout
from tests.support.ci_night import Night, log_of
from tests.support.cli import Called, call
from tests.support.evidence import TEST_ID
from tests.support.github_server import Answer, GitHub, reached
from tests.support.tree import sample

OTHER = "beta/pytorch-tiny-single_device-inference"

hub = pytest.fixture(reached)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def ingest(checkout: Checkout) -> Called:
    return call("ingest", "--from-github", "--repository", "team/tt-xla", "--json", "--repo", checkout.root)


def known(checkout: Checkout) -> CiStore:
    return CiStore(EvidenceStore(store_file(paths().evidence, checkout.root)))


def jobs(checkout: Checkout, run: int) -> dict[int, JobState]:
    return {state.job.id: state for state in known(checkout).jobs(run)}


def test_a_run_is_stored_with_its_jobs_and_asked_for_once(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    job = night.models("n150", {TEST_ID: "pass"})
    build = night.job("Build tt-xla / build")
    assert ingest(checkout).code == 0
    (run,) = known(checkout).runs()
    assert (run.name, run.number, run.attempt, run.whole) == ("nightly-20", 20, 1, True)
    states = jobs(checkout, 20)
    assert set(states) == {job, build}
    one = states[job]
    assert one.report is not None and (one.report.tests, one.report.cut) == (1, False)
    assert one.job.parts.key == "n150-n150_and_nightly_and_inference_and_expected_passing"
    assert (one.job.parts.runner, one.job.parts.row, one.job.parts.position) == ("n150", "run_forge_models", 0)
    assert one.job.url == f"https://github.com/team/tt-xla/actions/runs/20/job/{job}"
    assert not states[build].job.parts.has_tests and states[build].report is None
    before = len(hub.asked)
    assert ingest(checkout).json["github"]["known"] == 1
    assert len(hub.asked) == before + 1, "only the list of runs is asked for again"


def test_a_new_attempt_is_read_and_replaces_only_what_it_reran(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    night.models("n150", {TEST_ID: "boom", OTHER: "pass"})
    assert ingest(checkout).code == 0
    hub.runs[0] |= {"run_attempt": 2, "updated_at": "2026-11-23T09:00:00Z"}
    night.models("n150", {TEST_ID: "pass"}, attempt=2)
    assert ingest(checkout).json["github"]["downloaded"] == 1
    store = EvidenceStore(store_file(paths().evidence, checkout.root))
    rows = {row.test_id: (row.ending.value, row.attempts) for row in store.of_run("nightly-20")}
    assert rows == {TEST_ID: ("passed", 2), OTHER: ("passed", 1)}


_TORCH = "nightly_tests / test nightly (n150, run_torch, 0)"
_TIME_UP = "The action 'Run tests' has timed out after 240 minutes."
_SEGFAULT = "Fatal Python error: Segmentation fault"
_NO_WHEEL = "ERROR: No matching distribution found for wheel"


def _hang(night: Night) -> int:
    return night.models("p150", {}, report=False, log=log_of([TEST_ID, OTHER], f"##[error]{_TIME_UP}"))


def _segfault(night: Night) -> int:
    end = f"{_SEGFAULT}\n##[error]Process completed with exit code 139."
    return night.models("p150", {}, report=False, log=log_of([TEST_ID], end))


def _truncated(night: Night) -> int:
    return night.models("p150", {TEST_ID: "pass", OTHER: "pass"}, cut=True, log=log_of([TEST_ID, OTHER], "Killed"))


def _collection(night: Night) -> int:
    log = "E   ImportError: cannot import name 'gone'\n##[error]Process completed with exit code 2."
    return night.job(_TORCH, "failure", failed_step="Collect Tests", log=log)


def _set_up(night: Night) -> int:
    log = f"\x1b[31m{_NO_WHEEL}\x1b[0m\n##[error]Process completed with exit code 1."
    return night.job(_TORCH, "failure", failed_step="Set up job", log=log)


@pytest.mark.parametrize(
    ("make", "how", "step", "error", "test"),
    [
        (_hang, HowDied.TIMED_OUT, "Run tests", _TIME_UP, OTHER),
        (_segfault, HowDied.DIED, "Run tests", _SEGFAULT, TEST_ID),
        (_truncated, HowDied.TRUNCATED, "Run tests", "Killed", OTHER),
        (_collection, HowDied.COLLECTION, "Collect Tests", "ImportError: cannot import name 'gone'", ""),
        (_set_up, HowDied.SETUP, "Set up job", _NO_WHEEL, ""),
        (lambda night: night.job(_TORCH, "cancelled"), HowDied.CANCELLED, "", "", ""),
        (lambda night: night.job(_TORCH, "cancelled", machine=""), HowDied.NEVER_BEGAN, "", "", ""),
    ],
    ids=["hang", "segfault", "truncated", "collection", "set-up", "cancelled", "no machine took it"],
)
def test_how_a_job_died(
    hub: GitHub, checkout: Checkout, make: Callable[[Night], int], how: HowDied, step: str, error: str, test: str
) -> None:
    night = Night(hub, 20)
    job = make(night)
    done = ingest(checkout)
    assert done.json["github"]["died"] == 1
    death = jobs(checkout, 20)[job].death
    assert death is not None
    assert (death.how, death.step, death.error) == (how, step, error)
    assert death.test == (f"tests/runner/test_models.py::test_all_models_torch[{test}]" if test else "")


_HANG = "RuntimeError: TIMEOUT: device timeout in fetch queue wait, potential hang detected"


@pytest.mark.parametrize(
    ("before", "behind", "op"),
    [
        ("BinaryNgDeviceOperation was made", "", "BinaryNgDeviceOperation"),
        ("MatmulMultiCoreReuse\nRunning op: ttnn::prim::binary_ng", "", "ttnn::prim::binary_ng"),
        ('Executing operation: %5 = "ttnn.conv2d"(%1) : x', "", "ttnn.conv2d"),
        ("Dispatching kernel: UnaryWithParam", "", "UnaryWithParam"),
        ("", "tt-triage\n  core 1-2 | op name: MatmulMultiCore | args", "MatmulMultiCore"),
        ("loading weights", "Aborted", ""),
    ],
)
def test_the_op_that_hung(hub: GitHub, checkout: Checkout, before: str, behind: str, op: str) -> None:
    """A benchmark that hangs has no other trace of it than its log."""
    night = Night(hub, 20)
    name = "perf-benchmark / run-perf-benchmarks / perf resnet (n150-perf)"
    job = night.job(name, "failure", failed_step="Run tests", log=f"{before}\n{_HANG}\n{behind}")
    ingest(checkout)
    death = jobs(checkout, 20)[job].death
    assert death is not None and death.op == op
    page = call("nightly", "--repo", checkout.root).out
    assert (f"the device hung in {op}" in page) is bool(op)


def test_no_op_has_hung_where_nothing_hung(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    job = night.models("n150", {}, report=False, log="Running op: ttnn.add\nFatal Python error: Segmentation fault")
    ingest(checkout)
    death = jobs(checkout, 20)[job].death
    assert death is not None and not death.op


def test_the_log_of_a_dead_job_is_asked_for_once_and_its_end_is_stored(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    text = "\n".join(f"line {at}" for at in range(400_000)) + "\nFatal Python error: Aborted"
    job = night.models("n150", {TEST_ID: "pass"}, report=False, log=text)
    ingest(checkout)
    ingest(checkout)
    assert [path for host, path, _ in hub.asked if host == "api" and "/logs" in path] == [
        f"/repos/team/tt-xla/actions/jobs/{job}/logs"
    ]
    file = next(paths().evidence.glob(f"*-logs/{job}.log"))
    assert file.read_text().endswith("Fatal Python error: Aborted\n") and file.stat().st_size < 9 * 2**20


@pytest.mark.parametrize("status", [404, 410])
def test_what_has_expired_ends_nothing_and_is_not_asked_for_again(hub: GitHub, checkout: Checkout, status: int) -> None:
    night = Night(hub, 20)
    job = night.models("n150", {TEST_ID: "pass"})
    night.models("p150", {TEST_ID: "pass"}, index=1)
    hub.faults[f"artifacts/{job * 10}/zip"] = [Answer(status)]
    done = ingest(checkout)
    assert done.code == 0, done.err
    assert (done.json["github"]["expired"], done.json["new"]) == (1, 1)
    (run,) = known(checkout).runs()
    assert [one.why for one in run.unread] == ["expired"]
    before = len(hub.asked)
    assert ingest(checkout).code == 0
    assert len(hub.asked) == before + 1


def test_a_token_that_may_not_read_still_gets_runs_and_jobs(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    job = night.models("n150", {TEST_ID: "pass"})
    night.models("p150", {TEST_ID: "pass"}, index=1)
    hub.faults["/zip"] = [Answer(403)] * 9
    night.models("p150", {TEST_ID: "boom"}, index=2)
    refused = ingest(checkout)
    assert refused.code == 1 and refused.json["github"]["refused"] == 3
    assert refused.json["github"]["died"] == 0, "its report is there: that it cannot be read is no death"
    assert sum("/zip" in path for _, path, _ in hub.asked) == 1, "one refusal says it of all"
    assert set(jobs(checkout, 20)) >= {job}
    hub.faults = {}
    assert ingest(checkout).json["github"]["downloaded"] == 3


def test_reports_of_performance_have_their_run_and_job(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        Night(hub, number).benchmark("resnet", "n150-perf", 100.0)
    assert ingest(checkout).json["github"]["performance"] == 2
    found = performance_store(checkout, paths()).read()
    # The same numbers in two nights are two results.
    assert {one.run for one in found} == {"nightly-20", "nightly-21"}
    assert {(one.test_id, one.arch, one.benchmark) for one in found} == {("resnet", "n150", True)}
    assert all(one.samples_per_s == 100.0 and one.other == {"ttft": 80.0} and "/job/" in one.job for one in found)


def test_a_store_of_the_version_before_gets_the_tables_and_keeps_its_results(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", {TEST_ID: "boom"})
    ingest(checkout)
    file = store_file(paths().evidence, checkout.root)
    with closing(sqlite3.connect(file)) as connection:
        for name in ("ci_runs", "ci_jobs", "ci_reports", "ci_deaths"):
            connection.execute(f"DROP TABLE {name}")
        connection.execute("PRAGMA user_version = 3")
        connection.commit()
    assert known(checkout).runs() == []
    assert len(EvidenceStore(file).of_test(TEST_ID)) == 1
    # The jobs of runs whose reports are known are asked for then, and no report again.
    again = ingest(checkout).json["github"]
    assert (again["known"], again["died"]) == (1, 0)
    assert len(jobs(checkout, 20)) == 1


def test_it_asks_again_until_interrupted_and_an_error_ends_nothing(
    hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 1:
            Night(hub, 20).models("n150", {TEST_ID: "pass"})
        elif len(waits) == 2:
            hub.faults["/runs?"] = [Answer(418)]
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr("core.cli.command_ingest._wait", wait)
    words = "ingest", "--from-github", "--every", "15", "--repository", "team/tt-xla"
    done = call(*words, "--repo", checkout.root)
    assert (done.code, waits) == (0, [900.0] * 3)
    assert "refuses with 418" in done.err and "1 run; artefacts with reports: 1 read" in done.out
    assert call(*words, "--json", "--repo", checkout.root).code == 64
    assert call("ingest", "--watch", checkout.root, "--every", "15", "--repo", checkout.root).code == 64


def test_it_says_how_far_it_is(hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.evidence.github.unstored._MOST_SECONDS", 0.0)
    night = Night(hub, 20)
    for index in range(3):
        night.models("n150", {f"a{index}/b": "pass"}, index=index)
    said = ingest(checkout).err
    assert [f"artefact {at} of 3" in said for at in (1, 2, 3)] == [True] * 3
