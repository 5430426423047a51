# SPDX-License-Identifier: Apache-2.0
"""What a heading says of a real batch: while it goes on, after its scheduler was killed, stopped, lost, of op cases."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.processes import is_alive
from core.runs import Outcome, RunSpec
from core.runs.execution import cancel_all, launch_all, wait
from core.runs.planning import Progress, as_batch
from core.runs.store import RunState, RunStore
from tests.core.runs.conftest import MakeSpec, Until, make_spec, store, until
from tui.view_models import RunRows, batch_rows, far_words

pytestmark = pytest.mark.slow("schedulers and their runs are real processes")

__all__ = ["make_spec", "store", "until"]

WAITS = "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.05)\n"


@pytest.fixture
def batch(make_spec: MakeSpec) -> list[RunSpec]:
    """A run that passes, one that fails, one that waits for a file, and two behind it."""
    passes, fails = (
        make_spec("""report('"phases": [{"dtype": "bfloat16", "ok": true}]')"""),
        make_spec("raise SystemExit(3)"),
    )
    last = (make_spec(WAITS + "report()", slot_count=1) for _ in range(3))
    specs = [passes, fails, *last]
    return as_batch([replace(one, test_id=f"m/{at}", estimate=60.0, slot_count=1) for at, one in enumerate(specs)])


@pytest.fixture(autouse=True)
def nothing_left(store: RunStore) -> Iterator[None]:
    yield
    cancel_all(store, [record.spec.run_id for record in store.records() if record.active])


def rows(store: RunStore) -> RunRows:
    return batch_rows(store.records(), lambda _: True)


def words(store: RunStore) -> str:
    """The heading of the only batch."""
    listed = rows(store)
    assert len(listed) == 1
    return " ".join("".join(cell.text for cell in listed.heading(0, 120)).split())


def come(store: RunStore) -> Progress:
    listed = rows(store)
    return listed.course(listed.groups[0]).at(time.time())


def in_the_middle(store: RunStore, until: Until, specs: list[RunSpec]) -> None:
    launch_all(store, specs)
    until(lambda: store.record(specs[2].run_id).state is RunState.RUNNING)


def test_while_it_goes_on_and_after_its_scheduler_was_killed(
    store: RunStore, until: Until, batch: list[RunSpec], tmp_path: Path
) -> None:
    in_the_middle(store, until, batch)
    before = come(store)
    assert (before.total, before.left, before.running, before.failed) == (5, 3, 1, 1)
    assert words(store).endswith("~3 min") and "1 failed" in words(store) and " 40% " in words(store)
    assert far_words(before) == "2 of 5 runs, 3 min left"
    (lease,) = store.queue.leases.held()
    os.kill(lease.owner.pid, signal.SIGKILL)
    # Between two schedulers and after: what runs goes on, what waits waits.
    killed = come(store)
    assert (killed.total, killed.left, killed.running, killed.failed) == (5, 3, 1, 1)
    until(lambda: any(one.owner != lease.owner for one in store.queue.leases.held()))
    assert words(store).endswith("~3 min")
    (tmp_path / "go").touch()
    wait(store, [spec.run_id for spec in batch])
    assert come(store).left == 0
    assert words(store).endswith(" now") and " 100% " in words(store)
    assert far_words(come(store)) == ""


def test_a_stopped_one_has_ended(store: RunStore, until: Until, batch: list[RunSpec]) -> None:
    in_the_middle(store, until, batch)
    cancel_all(store, [spec.run_id for spec in batch[2:]])
    assert (come(store).left, come(store).failed) == (0, 1)
    assert [part.count for part in rows(store).groups[0].parts] == [1, 1, 3, 0, 0]
    assert words(store).endswith(" now")


def test_what_is_on_hold_has_no_end_until_it_is_released(store: RunStore, until: Until, batch: list[RunSpec]) -> None:
    in_the_middle(store, until, batch)
    for spec in batch[3:]:
        store.queue.hold(spec.run_id, True)
    assert words(store).endswith("~1 min"), "what runs"
    cancel_all(store, [batch[2].run_id])
    assert words(store).endswith("on hold")
    assert far_words(come(store)) == "2 on hold"
    store.queue.hold(batch[3].run_id, False)
    assert come(store).held == 1


def test_supervisor_and_scheduler_killed_at_once(store: RunStore, until: Until, batch: list[RunSpec]) -> None:
    in_the_middle(store, until, batch[:3])
    supervisor = store.record(batch[2].run_id).supervisor
    (lease,) = store.queue.leases.held()
    assert supervisor is not None
    os.kill(lease.owner.pid, signal.SIGKILL)
    os.kill(supervisor.pid, signal.SIGKILL)
    until(lambda: not is_alive(supervisor) and not is_alive(lease.owner))
    until(lambda: store.record(batch[2].run_id).outcome is Outcome.LOST)
    assert (come(store).left, come(store).running) == (0, 0)
    assert [part.count for part in rows(store).groups[0].parts] == [1, 1, 1, 0, 0]


def test_op_cases_are_counted_where_no_run_has_ended(store: RunStore, make_spec: MakeSpec) -> None:
    now = time.time()
    specs = as_batch([make_spec(kind="ops", arch=backend, cases="a\nb\nc\nd") for backend in ("eager", "inductor")])
    for spec in specs:
        directory = store.create(spec)
        (directory / "results.jsonl").write_text("{}\n" * 2)
    records = [replace(one, state=RunState.RUNNING, outcome=None, started=now - 60.0) for one in store.records()]
    listed = batch_rows(records, lambda _: True, clock=lambda: now)
    found = listed.course(listed.groups[0]).at(now)
    assert (found.left, found.unknown, found.seconds) == (2, 0, 60.0), "half of the cases took a minute"
    assert "".join(cell.text for cell in listed.heading(0, 120)).split()[-2:] == ["~1", "min"]
