# SPDX-License-Identifier: Apache-2.0
"""A process with the app's modules loaded is one like any other: a session, a terminal, an environment and an end."""

import signal
import sys

import pytest

from tests.support.terminal import Terminal

pytestmark = pytest.mark.slow("processes with the app's modules are started")

_REPORT = """
import os, signal, sys
own = os.getsid(0) == os.getpgid(0) == os.getpid()
ignored = [one for one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT) if signal.getsignal(one) == signal.SIG_IGN]
print(own, ignored, os.ttyname(0) == os.ttyname(2), os.isatty(1), os.environ["ASKED"], os.getcwd(), sys.argv[1:])
print(os.tcgetpgrp(0) == os.getpid() if {controlling} else "none")
"""


@pytest.mark.parametrize("controlling", [True, False])
def test_it_sees_what_a_process_of_its_own_would(controlling: bool) -> None:
    argv = [sys.executable, "-c", _REPORT.format(controlling=controlling), "one", "two"]
    seen = []
    for warm in (True, False):
        with Terminal(argv, {"ASKED": "yes"}, 200, 24, controlling=controlling, warm=warm) as terminal:
            assert terminal.wait() == 0
            seen.append(terminal.text)
    assert seen[0] == seen[1]
    assert seen[0].startswith("True [] True True yes ")


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("pass", 0),
        ("raise SystemExit(3)", 3),
        ("raise SystemExit('why')", 1),
        ("1 / 0", 1),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import atexit; atexit.register(print, 'the last words')", 0),
    ],
)
def test_it_ends_as_a_process_of_its_own_would(code: str, ended: int) -> None:
    with Terminal([sys.executable, "-c", code], {}, warm=True) as terminal:
        assert terminal.wait() == ended
        assert ("last words" in terminal.text) == ("last words" in code)
        assert ("ZeroDivisionError" in terminal.text) == ("1 / 0" in code)
        assert ("why" in terminal.text) == ("why" in code)


def test_a_signal_ends_it() -> None:
    with Terminal([sys.executable, "-c", "import time; print('here'); time.sleep(600)"], {}, warm=True) as terminal:
        terminal.until("here")
        assert terminal.process.poll() is None
        terminal.process.terminate()
        assert terminal.wait() == -signal.SIGTERM
