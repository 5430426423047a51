# SPDX-License-Identifier: Apache-2.0
"""core.runs.leases: one directory of leases for all users of this machine, which none can manipulate."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import identity, own_identity
from core.runs import Outcome, device_leases, leases as devices
from core.runs.execution import launch_all, wait
from core.runs.leases import DeviceLeases, Lease
from core.runs.store import RunStore
from tests.core.runs.conftest import MakeSpec

ROOT = os.getuid() == 0
OTHERS = (65534, 1)
"""Two users that exist on every machine: nobody and daemon."""
ME = own_identity()
LESSEE = """
import os, sys
from core.base.processes import own_identity
from core.runs.leases import device_leases
uid, *names = sys.argv[1:]
if int(uid) != os.getuid():
    os.setgroups([])
    os.setgid(int(uid))
    os.setuid(int(uid))
os.umask(0o077)
against = device_leases().take(names, own_identity())
print("granted" if against is None else f"{against.owner.pid} {against.user}", flush=True)
input()
"""


@contextmanager
def claimant(board: Path, uid: int, *names: str) -> Iterator[tuple[int, str]]:
    """A process of user `uid`, with its own temporary files, that leases `names`; its pid and the answers."""
    with tempfile.TemporaryDirectory() as temporary:
        environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "TTMATRIX_LEASES": str(board)}
        process = subprocess.Popen(
            [sys.executable, "-c", LESSEE, str(uid), *names],
            env={**environ, "TMPDIR": temporary},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stdout
            yield process.pid, process.stdout.readline().strip()
            process.kill()


@pytest.fixture
def board() -> Iterator[Path]:
    """A directory like `/run/lock`: everybody may create files, and nobody may remove another user's."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o1777)
        yield Path(name)


def test_one_board_whatever_tmpdir_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, board: Path) -> None:
    monkeypatch.delenv("TTMATRIX_LEASES")
    monkeypatch.setattr(devices, "_PLACES", (tmp_path / "absent", tmp_path, board))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert device_leases().take(["0"], ME) is None
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "another"))
    assert [lease.names for lease in device_leases().held()] == [{"0"}]
    assert sorted(one.name for one in board.iterdir()) == [
        f"ttmatrix-devices-{os.getuid()}.json",
        "ttmatrix-devices.lock",
    ]
    assert not list(tmp_path.iterdir())


def test_this_machine_has_a_place_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TTMATRIX_LEASES")
    assert device_leases()._directory in (Path("/run/lock"), Path("/tmp"))
    monkeypatch.setattr(devices, "_PLACES", (Path("/proc"),))
    with pytest.raises(TTMatrixError, match="No place for device leases") as caught:
        device_leases()
    assert "TTMATRIX_LEASES" in caught.value.hint


@pytest.mark.skipif(not ROOT, reason="only root can become two users")
def test_two_users_get_no_board_together(board: Path) -> None:
    first, second = OTHERS
    with claimant(board, first, "0", "1") as (pid, told):
        assert told == "granted"
        user = devices.user_name(first)
        with claimant(board, second, "1") as (_, told):
            assert told == f"{pid} {user}"
        with claimant(board, second, "*") as (_, told):
            assert told == f"{pid} {user}"
        with claimant(board, second, "2") as (_, told):
            assert told == "granted"
            held = DeviceLeases(board).held()
            assert {(lease.user, lease.names) for lease in held} == {
                (user, frozenset("01")),
                (devices.user_name(second), frozenset("2")),
            }
            against = DeviceLeases(board).take(["0"], ME)
            assert against is not None and against.owner.pid == pid
            assert DeviceLeases(board).take(["3"], ME) is None
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in board.iterdir()}
    assert modes == {
        "ttmatrix-devices.lock": 0o444,
        **{f"ttmatrix-devices-{uid}.json": 0o644 for uid in (*OTHERS, 0)},
    }
    with claimant(board, second, "0", "1") as (_, told):
        assert told == "granted", "the dead have nothing"


def test_one_user_with_two_temporary_directories_gets_no_board_twice(board: Path) -> None:
    with claimant(board, os.getuid(), "0") as (pid, told):
        assert told == "granted"
        with claimant(board, os.getuid(), "0") as (_, told):
            assert told == str(pid)


def test_links_are_not_followed(board: Path, tmp_path: Path) -> None:
    """A directory that another user created before us is neither trusted nor written to."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    own = board / f"ttmatrix-devices-{os.getuid()}.json"
    own.symlink_to(victim)
    own.with_suffix(".new").symlink_to(victim)
    assert DeviceLeases(board).take(["0"], ME) is None
    assert victim.read_text() == "precious"
    assert not own.is_symlink()
    (board / "ttmatrix-devices.lock").unlink()
    (board / "ttmatrix-devices.lock").symlink_to(victim)
    with pytest.raises(TTMatrixError, match="Cannot lock") as caught:
        DeviceLeases(board).take(["0"], ME)
    assert "removed by its owner" in caught.value.hint
    assert victim.read_text() == "precious"


def test_a_pipe_or_a_directory_for_a_lock_is_refused_and_holds_nobody_up(board: Path) -> None:
    lock = board / "ttmatrix-devices.lock"
    os.mkfifo(lock)
    with pytest.raises(TTMatrixError, match="Cannot lock"):
        DeviceLeases(board).take(["0"], ME)
    lock.unlink()
    lock.mkdir()
    with pytest.raises(TTMatrixError, match="Cannot lock"):
        DeviceLeases(board).take(["0"], ME)


def lease(pid: int, start: float) -> str:
    return f'[{{"pid": {pid}, "start_time": {start}, "names": ["0"]}}]'


def test_a_file_that_others_could_have_written_leases_nothing(board: Path, tmp_path: Path) -> None:
    own = board / f"ttmatrix-devices-{os.getuid()}.json"
    own.write_text(lease(ME.pid, ME.start_time))
    own.chmod(0o644)
    assert DeviceLeases(board).held() == [Lease(ME, frozenset("0"))]
    own.chmod(0o666)
    assert DeviceLeases(board).held() == []
    own.chmod(0o644)
    (board / "ttmatrix-devices-4000000.json").write_text(lease(ME.pid, ME.start_time))
    assert len(DeviceLeases(board).held()) == 1, "its owner is not who its name says"
    own.rename(tmp_path / "elsewhere")
    own.symlink_to(tmp_path / "elsewhere")
    assert DeviceLeases(board).held() == []


def test_a_lease_is_of_a_process_of_its_user(board: Path) -> None:
    own = board / f"ttmatrix-devices-{os.getuid()}.json"
    for pid, start in ((0, 0.0), (-1, 0.0), (ME.pid, ME.start_time - 60), (2**40, 1.0)):
        own.write_text(lease(pid, start))
        own.chmod(0o644)
        assert DeviceLeases(board).held() == []
    if ROOT:
        os.chown(own, 65534, 65534)
        own.write_text(lease(ME.pid, ME.start_time))
        own = own.rename(board / "ttmatrix-devices-65534.json")
        assert DeviceLeases(board).held() == [], "nobody cannot lease for a process of root"


def test_who_holds_the_lock_for_long_is_reported(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_PATIENCE", 0.05)
    leases = DeviceLeases(board)
    with leases._guard(), pytest.raises(TTMatrixError, match="The device leases are locked"):
        DeviceLeases(board).take(["0"], ME)
    assert leases.take(["0"], ME) is None


def test_a_lock_that_was_removed_meanwhile_counts_no_more(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leases = DeviceLeases(board)
    assert leases.take(["0"], ME) is None
    found = iter([False, True])
    monkeypatch.setattr(devices, "_is_still", lambda *_: next(found))
    assert leases.take(["1"], ME) is None
    monkeypatch.undo()
    (board / "ttmatrix-devices.lock").unlink()
    assert leases.take(["2"], ME) is None
    assert [lease.names for lease in leases.held()] == [{"2"}]


def test_a_directory_in_which_others_can_remove_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for mode, fit in ((0o777, False), (0o775, False), (0o1777, True), (0o700, True)):
        tmp_path.chmod(mode)
        monkeypatch.setenv("TTMATRIX_LEASES", str(tmp_path))
        if fit:
            assert device_leases().take(["0"], ME) is None
        else:
            with pytest.raises(TTMatrixError, match="No device leases in"):
                device_leases()
    monkeypatch.setenv("TTMATRIX_LEASES", str(tmp_path / "absent"))
    with pytest.raises(TTMatrixError, match="No device leases in"):
        device_leases()


def test_a_lease_can_be_handed_on(board: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as heir:
        leases, found = DeviceLeases(board), identity(heir.pid)
        assert found
        assert leases.take(["0"], ME) is None
        assert leases.take(["0"], found) == Lease(ME, frozenset("0"))
        assert leases.take(["0"], found, instead_of=ME) is None
        assert leases.held() == [Lease(found, frozenset("0"))]
        heir.communicate(b"\n")
    assert leases.held() == []


def test_a_device_run_without_a_place_for_leases_says_so_and_cpu_runs_go_on(
    store: RunStore, make_spec: MakeSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("TTMATRIX_LEASES", str(tmp_path / "open"))
    device, plain = make_spec("report()", slots="device", slot_count=0, devices=("0",)), make_spec("report()")
    launch_all(store, [device, plain])
    refused, passed = wait(store, [device.run_id, plain.run_id])
    assert (refused.outcome, passed.outcome) == (Outcome.ERROR, Outcome.PASS)
    assert refused.summary.startswith(f"No device leases in {tmp_path}/open: It must be a directory with mode 1777")
