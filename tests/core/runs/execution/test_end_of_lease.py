# SPDX-License-Identifier: Apache-2.0
"""The end of a lease: a run that would outlast it waits with the reason, and starts once the lease is extended."""

from datetime import UTC, datetime, timedelta

import pytest

from core.base.files import atomic_write
from core.base.settings import paths
from core.hosts import Host, HostsFile, Lease, with_host
from core.runs import Outcome
from core.runs.execution import launch_all, wait
from core.runs.planning.preflight_checks import lease_obstacles
from core.runs.store import RunState, RunStore
from tests.core.runs.conftest import MakeSpec

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def leased(seconds: float) -> None:
    """Lease this machine for `seconds` from now on."""
    file = paths().hosts_file
    end = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=seconds)
    file.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(file, with_host("", Host("box", expires=end), file))


@pytest.mark.slow("schedulers and their runs are real processes")
def test_what_would_outlast_the_lease_waits_until_it_is_extended(store: RunStore, make_spec: MakeSpec) -> None:
    leased(600)
    long = make_spec("report()", moment=1, estimate=3600.0)
    short = make_spec("report()", moment=2, estimate=1.0)
    unknown = make_spec("report()", moment=3)
    launch_all(store, [long, short, unknown])
    ended = wait(store, [short.run_id, unknown.run_id])
    assert [one.outcome for one in ended] == [Outcome.PASS, Outcome.PASS]
    waiting = store.record(long.run_id)
    assert waiting.state is RunState.QUEUED
    assert waiting.summary == "waiting: it would not end before the lease of box does"
    leased(7200)
    assert wait(store, [long.run_id])[0].outcome is Outcome.PASS


def test_a_launch_says_what_will_wait(make_spec: MakeSpec) -> None:
    long, short = make_spec(estimate=3600.0), make_spec(estimate=60.0)
    lease = Lease("box", NOW + timedelta(minutes=10))
    (found,) = lease_obstacles([long, short, make_spec()], lease, NOW)
    assert found.what == "The lease of box ends in 10 min: 1 run will wait until it is extended"
    assert "hosts add box --expires" in found.remedy
    assert lease_obstacles([short, make_spec()], lease, NOW) == lease_obstacles([long], None, NOW) == []
    (over,) = lease_obstacles([long, short], lease, lease.ends)
    assert over.what == "The lease of box has ended: 2 runs will wait until it is extended"


def test_the_lease_of_this_machine_is_read_again_when_the_file_changes() -> None:
    file, seen = paths().hosts_file, HostsFile(paths().hosts_file)
    assert seen.lease() is None
    leased(600)
    first = seen.lease()
    assert first is not None and first.host == "box" and seen.lease() == first
    leased(7200)
    second = seen.lease()
    assert second is not None and second.ends > first.ends
    file.write_text("[hosts.box]\n")
    assert seen.lease() == second, "while the file is wrong, what was known holds"
    file.unlink()
    assert seen.lease() is None
