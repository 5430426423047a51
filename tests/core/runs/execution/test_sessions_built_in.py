# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.sessions: tests of ttmatrix's own runner share a session, which has their backend imported."""

from pathlib import Path

import pytest

from core.base.settings import Settings
from core.demo import lay_out
from core.matrix import index
from core.runs import Outcome
from core.runs.execution import launch_all, wait
from core.runs.execution.sessions import read_guard
from core.runs.planning import Options, plan_tests
from core.runs.store import RunStore
from core.sources import find_checkout

pytestmark = [
    pytest.mark.slow("runs models through pytest"),
    pytest.mark.usefixtures("cold_schedulers"),
]
MISSING = "deep_sets/pytorch-Mean-single_device-inference"
IDS = [
    "deep_sets/pytorch-Max-single_device-inference",
    MISSING,
    "mlp_classifier/pytorch-Hidden_256-single_device-inference",
]


def test_each_model_has_its_own_result_and_options(tmp_path: Path, store: RunStore) -> None:
    lay_out(tmp_path / "tt-xla")
    matrix = index(find_checkout(tmp_path / "tt-xla"))
    specs, refused = plan_tests(
        matrix, IDS, Settings(backend="eager"), Options(kind="device", arch="n150"), runs=store.root
    )
    assert not refused
    loader = matrix.checkout.models / "deep_sets/pytorch/loader.py"
    # After they were planned, one of them goes: it says so itself, and holds up no other.
    loader.write_text(
        loader.read_text().replace("MEAN = ", "AVERAGE = ").replace(".MEAN", ".AVERAGE").replace('"Mean"', '"Average"')
    )
    launch_all(store, specs)
    ended = wait(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in ended] == [Outcome.PASS, Outcome.ERROR, Outcome.PASS]
    assert [read_guard(record.directory) is not None for record in ended] == [True, False, True]
    assert "not found" in ended[1].log.read_text()
    for record in (ended[0], ended[2]):
        assert record.result is not None and record.result["backend"] == "eager"
        assert f"[{record.spec.test_id}]" in (record.directory / "junit.xml").read_text()
