# SPDX-License-Identifier: Apache-2.0
"""A runner that captures, tees and eats output as tt-xla's own does, driven by device runs: each way to end."""

import json
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.cluster import until
from tests.support.git import committed_checkout
from tests.support.models import xla_python
from tests.support.upstream_runner import (
    BROKEN,
    BUFFERS,
    CODE_13,
    LAST_WORDS,
    LEGALIZE,
    NO_WEIGHT,
    test_id as id_of,
    write_upstream,
)

pytestmark = [pytest.mark.xla, pytest.mark.timeout(900)]

HANG_SECONDS = 3.0
NATIVE = f"Statically{BUFFERS.removeprefix('Statically')}"
WAYS = {
    # scene: outcome, the reason, lines of the log
    "raises": ("fail", "ValueError: no such operator in the frontend", ()),
    "native": ("fail", NATIVE, (LEGALIZE, BUFFERS)),
    "unheard": ("fail", f"TT_FATAL: {BUFFERS}", (BUFFERS,)),
    "aborts": ("crash", LAST_WORDS, ("printed before the abort", LAST_WORDS, "Fatal Python error: Aborted")),
    "weightless": ("fail", f"FileNotFoundError: {NO_WEIGHT}", ()),
}


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    (own_home / "config").mkdir(parents=True, exist_ok=True)
    settings = f'python = "{xla_python()}"\nhang_timeout = {HANG_SECONDS}\n'
    (own_home / "config/settings.toml").write_text(settings)
    return committed_checkout(write_upstream(tmp_path / "tt-xla"))


def started(checkout: Checkout, id: str) -> str:
    """The run of a test, without a device: the plugin's place is taken by the CPU of torch_xla."""
    words = ("run", id, "--kind", "device", "--arch", "n150", "--force", "--yes", "--json", "--repo", checkout.root)
    done = call(*words)
    (run,) = done.json
    return str(run["run"])


def record(checkout: Checkout, run: str) -> dict[str, Any]:
    found = {one["run"]: one for one in call("runs", "--json", "--repo", checkout.root).json}
    return dict(found[run])


def ended(checkout: Checkout, id: str) -> tuple[dict[str, Any], str]:
    """The record of a run and its log, once it has ended."""
    run = started(checkout, id)
    until(lambda: record(checkout, run)["state"] == "finished", 300.0)
    found = record(checkout, run)
    return found, Path(found["log"]).read_text(errors="replace")


def test_a_pass_has_a_log_and_times(checkout: Checkout) -> None:
    found, log = ended(checkout, id_of("passes"))
    assert found["outcome"] == "pass", log
    for line in ("Running tests/runner", "a line of the device's library", "layers 2 of 3", "Test memory usage"):
        assert line in log
    performance = call("perf", "--json", "--repo", checkout.root).json
    assert {"samples_per_s", "run_s", "compile_s"} <= {*performance[0]["numbers"]}
    (report,) = Path(found["directory"], "perf").iterdir()
    assert report.name.endswith(f"_{found['run']}.json")
    assert not Path(found["directory"], "captured").exists()


@pytest.mark.parametrize("scene", WAYS)
def test_a_failure_has_its_lines_and_one_reason(checkout: Checkout, scene: str) -> None:
    outcome, reason, lines = WAYS[scene]
    found, log = ended(checkout, id_of(scene))
    assert (found["outcome"], found["result"]["reason"]) == (outcome, reason)
    assert reason in found["summary"]
    assert found["result"]["error_message"]
    said = log.splitlines()
    places = [next(at for at, line in enumerate(said) if wanted in line) for wanted in lines]
    assert sorted(places) == places, "in the order in which they were written"
    assert "a line of the device's library" in said
    verdicts = call("verdicts", id_of(scene), "--json", "--repo", checkout.root).out
    assert json.dumps(reason) in verdicts


def test_the_report_is_as_without_us(checkout: Checkout) -> None:
    """The runner quotes the line that it has captured, in CI and here."""
    found, _ = ended(checkout, id_of("native"))
    node = f"tests/runner/test_models.py::test_all_models_torch[{id_of('native')}]"
    plain = checkout.root / "plain.xml"
    command = [str(xla_python()), "-m", "pytest", "-vv", f"--junitxml={plain}", node]
    subprocess.run(command, cwd=checkout.root, stdout=subprocess.DEVNULL, check=False)
    assert _failure(plain) == _failure(Path(found["directory"], "junit.xml"))


def _failure(file: Path) -> tuple[Any, ...]:
    (case,) = ElementTree.parse(file).iter("testcase")
    properties = {one.get("name"): one.get("value") for one in case.iter("property")}
    failure = case.find("failure")
    assert failure is not None
    return properties["error_message"], (failure.get("message") or "").splitlines()[-1], CODE_13 in str(failure.text)


def test_the_log_grows_while_the_test_runs(checkout: Checkout) -> None:
    run = started(checkout, id_of("slow"))
    log = Path(record(checkout, run)["log"])
    until(lambda: log.is_file() and "step 3" in log.read_text(errors="replace"), 120.0)
    assert record(checkout, run)["state"] == "running"
    (checkout.root / "enough").touch()
    until(lambda: record(checkout, run)["outcome"] == "pass", 60.0)


def test_a_thread_that_spins_does_not_hide_a_hang(checkout: Checkout) -> None:
    found, log = ended(checkout, id_of("hangs"))
    assert found["outcome"] == "hang"
    assert "about to wait for ever" in log


def test_a_loader_that_cannot_be_imported_is_the_reason(checkout: Checkout) -> None:
    found, log = ended(checkout, id_of("base", BROKEN))
    assert found["outcome"] == "error"
    assert found["result"]["reason"] == f"cannot import {BROKEN}: No module named 'no_such_package'"
    assert "Cannot import path" in log
