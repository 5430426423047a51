# SPDX-License-Identifier: Apache-2.0
"""core.workflows.perform: one interpreter for several variants, and a run for each as if it had been alone."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.settings import paths
from core.runs import Outcome
from core.runs.execution import launch_all, wait
from core.runs.store import RunRecord
from core.workflows import WorkflowContext, WorkflowSession, open_session, sessions_directory
from core.workflows.perform import Guest, guests, is_host_without_result, run_cpu, shared, start_cpu, unpack
from tests.support.triage_checkout import LARGE, SMALL


@pytest.fixture
def session(world: WorkflowContext) -> WorkflowSession:
    world.settings = replace(world.settings, cpu_slots=1)
    return open_session(world, sessions_directory(paths().state, world.root), SMALL, "auto", again=False)


def calls(world: WorkflowContext) -> list[str]:
    file = world.root.parent / "calls"
    return file.read_text().splitlines() if file.exists() else []


@pytest.mark.parametrize(("slots", "hosts"), [(1, 1), (2, 2), (8, 2)])
def test_no_more_share_than_slots_ask_for(world: WorkflowContext, slots: int, hosts: int) -> None:
    specs = start_cpu(world, [SMALL, LARGE])
    found = shared(specs, slots)
    assert len(found) == hosts
    assert len(found) + sum(len(guests(spec)) for spec in found) == 2
    assert all(spec.timeout == specs[0].timeout * (1 + len(guests(spec))) for spec in found)


def test_the_host_names_its_guests(world: WorkflowContext) -> None:
    small, large = start_cpu(world, [SMALL, LARGE])
    (host,) = shared([small, large], 1)
    assert host.run_id == large.run_id
    assert guests(host) == [Guest(small.run_id, small.nonce, "Small")]
    assert guests(large) == []


def test_each_has_a_run_of_its_own_with_its_part_of_the_log(world: WorkflowContext, session: WorkflowSession) -> None:
    found = run_cpu(world, session, [SMALL, LARGE])
    assert [one["outcome"] for one in found] == ["fail", "fail"]
    assert len({one["run"] for one in found}) == 2
    assert len(calls(world)) == 1
    small, large = (world.store.record(one["run"]) for one in found)
    assert (small.spec.test_id, small.outcome) == (SMALL, Outcome.FAIL)
    assert small.log.read_text().count("TTMATRIX-RESULT") == 1
    assert small.spec.nonce in small.log.read_text()
    assert large.spec.nonce not in small.log.read_text()
    assert small.result is not None
    assert small.result["nonce"] == small.spec.nonce
    # A second request runs nothing again.
    assert run_cpu(world, session, [SMALL, LARGE]) == found
    assert len(calls(world)) == 1


def test_what_ends_the_host_costs_the_others_nothing(world: WorkflowContext, session: WorkflowSession) -> None:
    script = world.root.parent / "python"
    text = script.read_text().replace("    root, loader =", "    ended(); root, loader =")
    script.write_text(text.replace("def payload():", f"{ENDED}\n\ndef payload():"))
    found = run_cpu(world, session, [SMALL, LARGE])
    # It died when run together with others, but not alone.
    assert [one["outcome"] for one in found] == ["fail", "fail"]
    assert [record.outcome for record in world.store.records()].count(Outcome.CRASH) == 1


ENDED = """
def ended():
    import os, signal
    if "--also=" in LINE:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def _ended(world: WorkflowContext) -> RunRecord:
    (host,) = shared(start_cpu(world, [SMALL, LARGE]), 1)
    launch_all(world.store, [host])
    return wait(world.store, [host.run_id])[0]


def test_unpacking_twice_is_unpacking_once(world: WorkflowContext) -> None:
    host = _ended(world)
    (small,) = start_cpu(world, [SMALL])
    for _ in range(2):
        unpack(world.store, host, lambda _: small)
    (guest,) = guests(host.spec)
    assert world.store.record(guest.run_id).outcome is Outcome.FAIL
    assert not is_host_without_result(host)


def test_a_result_line_that_a_model_prints_is_no_end(world: WorkflowContext) -> None:
    host = _ended(world)
    forged = json.dumps({"version": 1, "nonce": "0" * 32, "problem": None, "phases": []})
    host.log.write_text(f"TTMATRIX-RESULT {forged}\n" + host.log.read_text())
    (small,) = start_cpu(world, [SMALL])
    unpack(world.store, host, lambda _: small)
    (guest,) = guests(host.spec)
    record = world.store.record(guest.run_id)
    assert record.result is not None
    assert record.result["nonce"] == guest.nonce
    assert Path(record.log).read_text().startswith(f"TTMATRIX-RESULT {forged}")
