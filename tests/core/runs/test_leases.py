# SPDX-License-Identifier: Apache-2.0
"""core.runs.leases: a lease has one holder, and dead processes hold none."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.base.processes import ProcessIdentity, identity, own_identity
from core.runs import EVERYTHING
from core.runs.leases import Lease, LeaseFile

LESSEE = """
import sys, time
from pathlib import Path
from core.base.processes import own_identity
from core.runs.leases import LeaseFile
print(LeaseFile(Path(sys.argv[1])).take(["n150"], own_identity()), flush=True)
time.sleep(60)
"""
ME = own_identity()


@pytest.fixture
def leases(tmp_path: Path) -> LeaseFile:
    return LeaseFile(tmp_path / "below" / "claims.json")


names = st.frozensets(st.sampled_from(["0", "1", "2", EVERYTHING]), min_size=1)


@given(names, names)
def test_claims_are_against_each_other_where_they_share_anything(one: frozenset[str], other: frozenset[str]) -> None:
    clash = bool(one & other) or EVERYTHING in one | other
    assert Lease(ME, one).against(other) == Lease(ME, other).against(one) == clash


def test_a_removed_directory_does_not_come_back_with_a_release(tmp_path: Path) -> None:
    leases = LeaseFile(tmp_path / "queue" / "scheduler")
    assert leases.take(["scheduler"], own_identity()) is None
    shutil.rmtree(tmp_path / "queue")
    leases.release(own_identity())
    assert not (tmp_path / "queue").exists()


def test_what_a_living_process_has_nobody_else_gets_until_it_is_dead(leases: LeaseFile, tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", LESSEE, str(tmp_path / "below" / "claims.json")]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as claimant:
        assert claimant.stdout
        assert claimant.stdout.readline() == "None\n"
        against = leases.take(["n150", "p150"], ME)
        assert against
        assert (against.owner.pid, against.names) == (claimant.pid, frozenset({"n150"}))
        assert leases.take([EVERYTHING], ME) == against
        assert leases.take(["p150"], ME) is None
        claimant.send_signal(signal.SIGKILL)
        claimant.wait()
    assert leases.take(["n150"], ME) is None
    assert [lease.names for lease in leases.held()] == [{"n150"}]


def test_a_later_process_with_the_same_pid_is_not_the_owner(leases: LeaseFile) -> None:
    assert leases.take(["x"], ProcessIdentity(os.getpid(), ME.start_time - 60)) is None
    assert leases.take(["x"], ME) is None


def test_a_claim_can_be_handed_on_and_released(leases: LeaseFile) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as heir:
        other = identity(heir.pid)
        assert other
        assert leases.take(["x"], ME) is None
        assert leases.take(["x"], other) == Lease(ME, frozenset("x"))
        assert leases.take(["x"], other, instead_of=ME) is None
        assert leases.held() == [Lease(other, frozenset("x"))]
        leases.release(other)
        assert leases.held() == []
        heir.communicate(b"\n")


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '[{"pid": 1}]', '{"pid": 1}', '[{"pid": "x", "start_time": 1, "names": []}]']
)
def test_a_file_that_says_nothing_holds_nobody_back(leases: LeaseFile, tmp_path: Path, text: str) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "claims.json").write_text(text)
    assert leases.take(["x"], ME) is None


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TTMatrixError, match="Cannot lease"):
        LeaseFile(tmp_path / "file" / "claims").take(["x"], ME)
