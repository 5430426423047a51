# SPDX-License-Identifier: Apache-2.0
"""The index lock: ours while we live, removed once provably nobody holds it, and never somebody else's."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

import core.edits.scratch as module
from core.base.errors import TTMatrixError
from core.base.processes import own_identity, this_host
from core.edits.commit import Repository
from core.edits.scratch import clear, is_anything_left, scratch
from core.sources import Checkout
from tests.support.git import committed_checkout

ROOT = Path(__file__).parents[3]
HOLDER = """
import subprocess, sys
from pathlib import Path
from core.edits.scratch import scratch
index = Path(sys.argv[1])
with scratch(index.parent, "base") as place, place.lock(index):
    if sys.argv[2:]:
        subprocess.Popen(sys.argv[2:], pass_fds=(place.descriptor,), stdout=subprocess.DEVNULL)
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("x")
    return Repository(committed_checkout(Checkout(tmp_path)).root).index


@pytest.fixture
def lock(index: Path) -> Path:
    return index.with_name("index.lock")


def held(index: Path, *argv: str) -> "subprocess.Popen[bytes]":
    """A process that holds the lock, and has started `argv` in the way it starts git."""
    command = [sys.executable, "-c", HOLDER, str(index), *argv]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"held\n"
    return process


def killed(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.communicate()


def gone(lock: Path, seconds: float = 20.0) -> None:
    """Wait until the lock is removed."""
    deadline = time.monotonic() + seconds
    while lock.exists():
        assert time.monotonic() < deadline, "the lock stays"
        time.sleep(0.01)


def test_while_the_index_is_locked_git_changes_nothing(index: Path, lock: Path) -> None:
    repository = Repository(index.parents[1])
    (repository.root / "more").write_text("x")
    with scratch(index.parent) as place:
        with place.lock(index):
            assert place.holds(index)
            assert repository.try_git("add", "more").returncode != 0
            with pytest.raises(TTMatrixError, match="Another git is running"), place.lock(index):
                pass
            assert lock.exists()
        assert not place.holds(index)
        repository.git("add", "more")
    assert not is_anything_left(index.parent)


def test_after_a_kill_a_persons_git_needs_no_ttmatrix(index: Path, lock: Path) -> None:
    with held(index) as holder:
        killed(holder)
    gone(lock)
    (index.parents[1] / "more").write_text("x")
    Repository(index.parents[1]).git("add", "more")
    # What it was based on is still known to the next one.
    assert clear(index.parent) == ("base",)


def test_after_a_kill_the_lock_goes_with_the_last_git_of_the_commit(index: Path, lock: Path, tmp_path: Path) -> None:
    os.mkfifo(gate := tmp_path / "gate")
    with held(index, "cat", str(gate)) as holder:
        killed(holder)
    with pytest.raises(TTMatrixError, match="git is still running"):
        clear(index.parent)
    assert lock.exists()
    gate.write_text("")
    gone(lock)


def test_a_lock_that_was_given_back_needs_no_keeper(index: Path, lock: Path) -> None:
    with held(index) as holder:
        [keeper] = psutil.Process(holder.pid).children()
        deadline = time.monotonic() + 10
        while "lock_keeper.py" not in " ".join(keeper.cmdline()):
            assert time.monotonic() < deadline, "the child of the holder is no keeper"
            time.sleep(0.01)  # it has been forked, and is about to begin
        holder.communicate(b"")
    psutil.wait_procs([keeper], timeout=10)
    assert not keeper.is_running() and not lock.exists()


def test_what_is_left_behind_is_cleared_and_reported(index: Path, lock: Path) -> None:
    with held(index) as holder:
        assert clear(index.parent) == ()
        assert lock.exists()
        killed(holder)
    assert is_anything_left(index.parent)
    assert clear(index.parent) == ("base",)
    assert not is_anything_left(index.parent)
    assert clear(index.parent) == ()


def test_a_git_that_outlives_us_keeps_it(index: Path, lock: Path) -> None:
    with held(index, "sleep", "60") as holder:
        found = subprocess.run(
            ["pgrep", "-x", "-P", str(holder.pid), "sleep"], capture_output=True, text=True, check=True
        )
        killed(holder)
    with pytest.raises(TTMatrixError, match="git is still running") as caught:
        clear(index.parent)
    assert str(lock) in caught.value.hint
    assert lock.exists()
    os.kill(int(found.stdout), 9)
    assert clear(index.parent, wait=10) == ("base",)
    assert not lock.exists()


def test_it_is_waited_for(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(gate := tmp_path / "gate")
    with held(index, "cat", str(gate)) as holder:
        killed(holder)
    looks: list[float] = []

    def clock() -> float:
        """Returns a constant time; its second call, made because git is still running, lets git end."""
        looks.append(0.0)
        if len(looks) == 2:
            gate.write_text("")
        return 0.0

    monkeypatch.setattr(module, "monotonic", clock)
    assert clear(index.parent, wait=30) == ("base",)
    assert len(looks) > 1
    assert not is_anything_left(index.parent)


@pytest.mark.parametrize(
    "content", [b"", b"DIRC\0\0\0\2", b"{}", b'{"ttmatrix": []}', b'{"ttmatrix": {"pid": 1}}', b"[" * 4000]
)
def test_the_lock_of_another_git_is_never_touched(index: Path, lock: Path, content: bytes) -> None:
    lock.write_bytes(content)
    assert clear(index.parent) == ()
    assert lock.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [{"host": "elsewhere"}, {"held": False}, {"pid": os.getpid(), "start_time": own_identity().start_time}],
)
def test_what_is_not_proven_is_not_touched(index: Path, lock: Path, change: dict[str, object]) -> None:
    mark = {"pid": 2**22 + 1, "start_time": 1.0, "host": this_host(), "base": "", "held": True}
    lock.write_text(json.dumps({"ttmatrix": mark | change}))
    assert clear(index.parent) == ()
    assert lock.exists()
    lock.write_text(json.dumps({"ttmatrix": mark}))
    assert clear(index.parent) == ()
    assert not lock.exists()


def test_a_lock_that_is_a_link_is_not_followed(index: Path, lock: Path, tmp_path: Path) -> None:
    mark = {"pid": 2**22 + 1, "start_time": 1.0, "host": this_host(), "base": "", "held": True}
    (tmp_path / "elsewhere").write_text(json.dumps({"ttmatrix": mark}))
    lock.symlink_to(tmp_path / "elsewhere")
    assert clear(index.parent) == ()
    assert lock.is_symlink()


def test_the_lock_of_a_git_that_took_our_place_stays(index: Path, lock: Path) -> None:
    with scratch(index.parent) as place, place.lock(index):
        lock.unlink()
        lock.write_bytes(b"")
        assert not place.holds(index)
    assert lock.read_bytes() == b""


def test_a_lock_that_changes_hands_while_it_is_looked_at_stays(
    index: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = {"pid": 2**22 + 1, "start_time": 1.0, "host": this_host(), "base": "", "held": True}
    lock.write_text(json.dumps({"ttmatrix": mark}))

    def meanwhile(process: object) -> bool:
        lock.unlink()
        lock.write_bytes(b"")
        return False

    monkeypatch.setattr(module, "is_alive", meanwhile)
    clear(index.parent)
    assert lock.read_bytes() == b""


def test_directories_without_a_mark_go(index: Path) -> None:
    (index.parent / "ttmatrix-x").mkdir()
    (index.parent / "ttmatrix-x" / "kept").write_text("")
    (index.parent / "ttmatrix.lock").write_text("")
    assert clear(index.parent) == ()
    assert [one.name for one in index.parent.glob("ttmatrix*")] == ["ttmatrix.lock"]


@pytest.mark.parametrize("call", ["open", "write", "fsync", "rename"])
def test_one_that_was_killed_while_it_was_made_goes_too(
    index: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    pid = os.fork()
    if pid == 0:
        setattr(os, call, lambda *_: os.kill(os.getpid(), 9))
        with scratch(index.parent):
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9
    assert is_anything_left(index.parent)
    clear(index.parent)
    assert not is_anything_left(index.parent)


def test_a_disk_that_refuses_once_leaves_nothing(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call, refusals = os.open, [OSError(5, "Input/output error")]

    def refusing(*arguments: Any, **named: Any) -> int:
        if refusals:
            raise refusals.pop()
        return call(*arguments, **named)

    with scratch(index.parent):
        monkeypatch.setattr(os, "open", refusing)
    assert not refusals
    assert not is_anything_left(index.parent)
