# SPDX-License-Identifier: Apache-2.0
"""A process killed by its model is run again up to just before that point."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core import payload

_PROGRAM = """
import os, signal, sys
from ttmatrix_payload.extract.crashes import Crashed, run_until_crash

def main(argv, calls):
    try:
        for count in range(1, 6):
            if count == int(argv[0]):
                os.kill(os.getpid(), int(argv[1]))
            calls.reached(count)
    except Crashed as crashed:
        print(count, crashed, flush=True)
    return 7

sys.exit(run_until_crash(main, sys.argv[1:]))
"""


def run(at: int, number: int) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(payload.__file__).parent)}
    argv = [sys.executable, "-c", _PROGRAM, str(at), str(number)]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip()


@pytest.mark.parametrize(
    ("at", "number", "then"),
    [
        (0, 0, (7, "")),
        (4, signal.SIGABRT, (7, "3 the process died by SIGABRT")),
        (2, signal.SIGSEGV, (7, "1 the process died by SIGSEGV")),
        (1, signal.SIGABRT, (-signal.SIGABRT, "")),
        (3, signal.SIGKILL, (-signal.SIGKILL, "")),
    ],
)
def test_a_crash_is_stopped_before_the_next_time(at: int, number: int, then: tuple[int, str]) -> None:
    assert run(at, number) == then
