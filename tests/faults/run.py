# SPDX-License-Identifier: Apache-2.0
"""Play a scene once for every step it takes, with the fault at that step; each time in a new process and a copy.

`python -m tests.faults.run SCENE DIRECTORY FAULT...` prints one line per step and fails if an invariant is
violated. Many steps leave the same state on the disk: each state is checked once. `--first 2 --every 3` takes the
second step and each third one after it.
"""

import argparse
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path

from core.base.errors import TTMatrixError
from tests.faults import scenes
from tests.faults.injected import SMALL_FILES, Fault, Injector
from tests.faults.player import adopt_orphans, wait_for_orphans
from tests.faults.scenes import Place

Scene = tuple[Callable[[Place], None], Callable[[Place], None], Callable[[Place, str], None]]

SCENES: dict[str, Scene] = {
    "decide": (lambda place: None, scenes.decide, scenes.nothing_decided_is_lost),
    "write": (scenes.accept, scenes.write, scenes.old_or_new),
    "commit": (scenes.accept_and_write, scenes.commit, scenes.committed_or_not),
}
_NOT_REACHED = 7
_LIMITS = range(0, 4000, 150)
"""Most bytes of a file."""
_SCRATCH = re.compile(r"ttmatrix-\w{8}(?=$|/)")
_PROCESS = re.compile(rb'"(pid|start_time|at)": [0-9.]+|"serial": "\w+"')
"""Fields in which a note identifies the process that wrote it, which is dead, and a journal itself."""
_INDEX = b"DIRC"
# Fixed times give the same commit the same hash.
_DATES = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-11-01T00:00:00Z")


def main(scene: str, directory: Path, faults: list[str], *, first: int = 1, every: int = 1) -> None:
    """Play `scene` below `directory` with each of `faults` at step `first` and at each `every`-th step after it."""
    prepare, play, check = SCENES[scene]
    adopt_orphans()
    os.environ.update(_DATES)
    # The journal identifies a checkout by its path, so it must be prepared where the scene is played.
    template, place = Place(directory / "template"), Place(directory / "place")
    scenes.lay_out(place)
    prepare(place)
    place.directory.rename(template.directory)
    checked = set[tuple[str, str]]()
    for fault in faults:
        for step in _LIMITS[first - 1 :: every] if fault == SMALL_FILES else count(first, every):
            # Much faster than `shutil.copytree`, which starts once per directory.
            subprocess.run(["cp", "-a", template.directory, place.directory], check=True)
            code = _forked(lambda fault=fault, step=step: _play(play, place, fault, step))  # type: ignore[misc]
            state = (_state(place), _what_must_hold(fault))
            print(f"{scene}: {fault} step {step}: ended with {code}{', as before' * (state in checked)}", flush=True)
            if state not in checked:
                check(place, fault)
                checked.add(state)
            shutil.rmtree(place.directory)
            if code == _NOT_REACHED:
                break
            assert code in (0, -signal.SIGKILL)


def _what_must_hold(fault: str) -> str:
    """The only difference for the checks: a killed process could not report anything, one with an error did."""
    return "killed" if fault.startswith("killed") else fault


def _state(place: Place) -> str:
    """A digest of everything that the next start may find: names, modes and contents of all files."""
    digest = hashlib.sha256()
    for path in sorted(place.directory.rglob("*")):
        name = _SCRATCH.sub("scratch", str(path.relative_to(place.directory)))
        content = b""
        if path.is_symlink():
            content = os.fsencode(path.readlink())
        elif path.is_file():
            content = _PROCESS.sub(b"", path.read_bytes())
        if content.startswith(_INDEX):
            content = _staged(place, path)
        digest.update(repr((name, path.lstat().st_mode, content)).encode())
    return digest.hexdigest()


def _staged(place: Place, index: Path) -> bytes:
    """The content of an index without times and inode numbers, which differ in each copy; its bytes if it is torn."""
    done = subprocess.run(
        ["git", "ls-files", "--stage"],
        cwd=place.checkout.root,
        env={**os.environ, "GIT_INDEX_FILE": str(index)},
        capture_output=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else index.read_bytes()


def _play(play: Callable[[Place], None], place: Place, fault: str, step: int) -> int:
    injector = Injector(Fault.KILL_BEFORE, sys.maxsize)
    if fault == SMALL_FILES:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (step, step))
    else:
        injector = Injector(Fault(fault), step)
        injector.arm()
    try:
        play(place)
    except TTMatrixError:
        return 0
    return 0 if fault == SMALL_FILES or injector.reached else _NOT_REACHED


def _forked(work: Callable[[], int]) -> int:
    """Do `work` in a forked process and return how it ended: its exit code, or minus the signal's number."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = work()
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    # A started git is not killed with the process, and continues for a moment.
    wait_for_orphans()
    return code


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.faults.run")
    parser.add_argument("scene", choices=SCENES)
    parser.add_argument("directory", type=Path)
    parser.add_argument("faults", nargs="+", metavar="FAULT", choices=[*Fault, SMALL_FILES])
    parser.add_argument("--first", type=int, default=1, metavar="STEP")
    parser.add_argument("--every", type=int, default=1, metavar="STEPS")
    main(**vars(parser.parse_args()))
