# SPDX-License-Identifier: Apache-2.0
"""Play a scene once for every step it takes, with the fault at that step; each in a process and a copy of its own.

`python -m tests.faults.run SCENE FAULT DIRECTORY` prints one line a step and ends with an error where something that
must hold does not.
"""

import os
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path

from core.errors import TTMatrixError
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


def main(scene: str, fault: str, directory: Path) -> None:
    prepare, play, check = SCENES[scene]
    adopt_orphans()
    # The journal knows a checkout by its path, so what is prepared is prepared where it is played.
    template, place = Place(directory / "template"), Place(directory / "place")
    scenes.lay_out(place)
    prepare(place)
    place.directory.rename(template.directory)
    for step in _LIMITS if fault == SMALL_FILES else count(1):
        shutil.copytree(template.directory, place.directory, symlinks=True)
        code = _forked(lambda step=step: _play(play, place, fault, step))  # type: ignore[misc]
        print(f"{scene}: {fault} step {step}: ended with {code}", flush=True)
        check(place, fault)
        shutil.rmtree(place.directory)
        if code == _NOT_REACHED:
            return
        assert code in (0, -signal.SIGKILL)


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
    # A git that was started is not killed with it, and goes on for a moment.
    wait_for_orphans()
    return code


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
