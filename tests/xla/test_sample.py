# SPDX-License-Identifier: Apache-2.0
"""Every entry of the sample checkout through torch-xla: the outcome is the one that the sample documents."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from core.domain.ids import TestId
from core.domain.model import BringupStatus, Entry, Framework, Status, node_id
from core.runs import Outcome, Testcase as Case, read_testcases
from core.runs.planning.kinds import PAYLOAD
from core.sources import Checkout, Schema, read_expectations
from tests.support.cli import call
from tests.support.models import QUICK, xla_python
from tests.support.sample import sample_checkout

pytestmark = [pytest.mark.xla, pytest.mark.timeout(3600)]

SHARES = 3
"""Sessions that the entries are spread over, for several cores: each costs its imports."""

SURPRISES = {
    "patch_vit/pytorch-Small_Patch8-single_device-training": (Outcome.XFAIL, BringupStatus.PASSED),
    "text_cnn/pytorch-Wide-single_device-inference": (Outcome.XFAIL, BringupStatus.PASSED),
    "video_pool3d/pytorch-Clip_8-single_device-inference": (Outcome.FAIL, BringupStatus.FAILED_FE_COMPILATION),
}
"""The mistakes in its entries."""
BROKEN, HANGING = "spot_detector", "equilibrium_net"
OUTCOMES = {
    Status.EXPECTED_PASSING: (Outcome.PASS, BringupStatus.PASSED),
    Status.UNSPECIFIED: (Outcome.PASS, BringupStatus.PASSED),
    Status.KNOWN_FAILURE_XFAIL: (Outcome.XFAIL, BringupStatus.FAILED_FE_COMPILATION),
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("xla") / "sample")


@pytest.fixture(scope="module")
def entries(sample: Checkout) -> Mapping[str, Entry]:
    """Those that the built-in runner can run."""
    found = {entry.id: entry for file in read_expectations(sample, Schema()) for entry in file.entries}
    return {id: entry for id, entry in found.items() if parsed(id).framework is Framework.PYTORCH and BROKEN not in id}


def parsed(id: str) -> TestId:
    found = TestId.parse(id)
    assert found is not None
    return found


def status(entry: Entry) -> Status:
    return Status(str(entry.fields.get("status", Status.UNSPECIFIED)))


def documented(entry: Entry) -> tuple[Outcome, str]:
    """How the entry says that the test ends."""
    outcome, stage = OUTCOMES[status(entry)]
    return outcome, str(entry.fields.get("bringup_status", stage))


def argv(ids: Iterable[str], *options: str) -> list[str]:
    nodes = [node_id(parsed(id).function, id) for id in ids]
    return [
        str(xla_python()),
        "-m",
        "pytest",
        "-p",
        "ttmatrix_payload.runner",
        "--backend=xla",
        "-q",
        "--tb=no",
        *options,
        *nodes,
    ]


def environment() -> dict[str, str]:
    # The package that one model asks for is there: nothing is downloaded for a test.
    own = {"PYTHONPATH": str(PAYLOAD), "ENABLE_BRINGUP_STAGE_LOGGING": "1", "PIP_NO_INDEX": "1"}
    return {**os.environ, **QUICK, **own}


def session(sample: Checkout, ids: Iterable[str], *options: str) -> dict[str, Case]:
    """The testcases by id."""
    junit = sample.root / "junit.xml"
    words = argv(ids, "--forked", f"--junitxml={junit}", *options)
    subprocess.run(words, cwd=sample.root, env=environment(), stdout=subprocess.DEVNULL, check=False)
    return {case.name.partition("[")[2].removesuffix("]"): case for case in read_testcases(junit)}


def came_to(case: Case) -> tuple[Outcome, str]:
    return case.outcome, str(case.tags.get("bringup_status"))


@pytest.mark.parametrize("share", range(SHARES))
def test_every_entry_ends_as_it_says(sample: Checkout, entries: Mapping[str, Entry], share: int) -> None:
    entries = {id: entries[id] for id in sorted(entries)[share::SHARES]}
    cases = session(sample, entries, "--disable-perf-measurement")
    excluded = {id for id, entry in entries.items() if status(entry) is Status.EXCLUDE_MODEL}
    assert cases.keys() == entries.keys() - excluded
    # What the sample says of several devices is made up.
    alone = {id: entries[id] for id in cases if parsed(id).parallelism == "single_device"}
    skipped = {id for id, entry in alone.items() if status(entry) is Status.NOT_SUPPORTED_SKIP}
    assert {cases[id].outcome for id in skipped} == {Outcome.SKIP}
    wanted = {id: SURPRISES.get(id) or documented(alone[id]) for id in alone.keys() - skipped}
    assert {id: came_to(cases[id]) for id in wanted} == wanted
    together = [cases[id] for id in cases.keys() - alone.keys()]
    assert {case.outcome for case in together} <= {Outcome.PASS, Outcome.XFAIL, Outcome.SKIP}
    for case in cases.values():
        assert case.properties.get("backend", "xla") == "xla"
        # What fails before anything is compiled has run on no device.
        if case.outcome is Outcome.PASS or "device" in case.properties:
            assert case.properties["backend"] == "xla"
            assert case.properties["device"].startswith("CPU")
    modes = {case.tags["run_mode"] for case in cases.values() if case.outcome is Outcome.PASS and "pcc" in case.tags}
    assert modes == {"inference", "training"}


def test_what_is_skipped_fails_for_the_reason_in_its_entry(sample: Checkout, entries: Mapping[str, Entry]) -> None:
    skipped = [id for id, entry in entries.items() if status(entry) is Status.NOT_SUPPORTED_SKIP]
    forced = [id for id in skipped if HANGING not in id and parsed(id).parallelism == "single_device"]
    cases = session(sample, forced, "--force-run", "--runxfail")
    assert cases.keys() == {*forced}
    for id, case in cases.items():
        reason = str(entries[id].fields["reason"])
        if "Aborted" in reason:
            assert (case.outcome, case.signal) == (Outcome.CRASH, 6), id
        else:
            assert case.outcome is Outcome.FAIL, id
            assert case.message.partition(": ")[2].startswith(reason.partition(": ")[2]), id


def test_what_hangs_does_not_end(sample: Checkout, entries: Mapping[str, Entry]) -> None:
    hanging = next(id for id in entries if HANGING in id)
    words = argv([hanging], "--force-run", "-s")
    with subprocess.Popen(words, cwd=sample.root, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            assert any("Running test_all_models_torch" in line for line in process.stdout)
            with pytest.raises(subprocess.TimeoutExpired):
                # Models of its size end within a second or two.
                process.wait(60)
        finally:
            process.kill()


def test_device_runs_need_nothing_special(sample: Checkout, own_home: Path) -> None:
    (own_home / "config").mkdir(parents=True)
    (own_home / "config/settings.toml").write_text(f'python = "{xla_python()}"\nbackend = "xla"\n')
    wanted = {
        "mlp_classifier/pytorch-Hidden_64-single_device-training": "pass",
        "tabular_fusion/pytorch-Small-single_device-inference": "fail",
        "voxel_scatter/pytorch-Grid_8-single_device-inference": "crash",
        "spot_detector/pytorch-N-single_device-inference": "error",
    }
    called = call("run", *wanted, "--repo", sample.root, "--kind", "device", "--arch", "n150", "--wait", "--json")
    # One could not be run at all.
    assert called.code == 2, called.err
    assert {run["id"]: run["outcome"] for run in json.loads(called.out)} == wanted
