# SPDX-License-Identifier: Apache-2.0
"""The terminal is left as the shell gave it, whatever ended or stopped the app or used the terminal meanwhile."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.base.processes import identity
from core.base.settings import paths
from tests.support.terminal import Terminal
from tests.support.tree import sample

pytestmark = pytest.mark.slow("the app runs on a real terminal")

ROOT = Path(__file__).parents[3]
_APP = "from tui.__main__ import main; main()"
_BREAKS = """
from textual.app import App
from tui.app.app import TTMatrixApp
def broken(self):
    raise {error}
TTMatrixApp.action_help = broken
"""
_HANGS = """
import time
from tui.app.app import TTMatrixApp
TTMatrixApp.action_help = lambda self: time.sleep(60)
"""
_LEARNS_LATE_OF_THE_EDITOR = """
import time
from tui.terminal import driver, lend_terminal
def late(app, borrower):
    time.sleep(1)
    lend_terminal(app, borrower)
driver.lend_terminal = late
"""
_EDITOR = """#!{python}
import os, signal, sys, tty
from pathlib import Path
place = Path({place!r})
def end(signum, frame):
    (place / "saved").touch()
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
tty.setraw(0)
os.write(1, b"\\x1b[?1049h\\x1b[?1000hEDITING")
(place / "editing").write_text(str(os.getpid()))
while True:
    signal.pause()
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return sample(tmp_path / "tt-xla").root


def _argv(checkout: Path, before: str = "") -> list[str]:
    return [sys.executable, "-c", before + _APP, "--repo", str(checkout), "--screen", "matrix"]


def _open(argv: Sequence[str], **env: str) -> Terminal:
    terminal = Terminal(argv, {"PYTHONPATH": str(ROOT), **env}, controlling=True, warm=True)
    terminal.until("with an entry first")
    assert not terminal.lines_edited
    assert {1000, 1049} <= terminal.modes
    return terminal


def _notes() -> list[Path]:
    return list((paths().state / "terminals").glob("*"))


@pytest.mark.parametrize(
    "signum", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT, signal.SIGABRT, signal.SIGUSR1]
)
def test_a_signal_ends_the_app_and_gives_the_terminal_back(checkout: Path, signum: signal.Signals) -> None:
    with _open(_argv(checkout)) as terminal:
        terminal.process.send_signal(signum)
        assert terminal.wait() == 128 + signum
        assert terminal.given_back
        assert _notes() == []


@pytest.mark.parametrize("seconds", [0.3, 0.4, 0.5])
def test_a_signal_during_the_start_leaves_no_trace(checkout: Path, seconds: float) -> None:
    terminal = Terminal(_argv(checkout), {"PYTHONPATH": str(ROOT)}, controlling=True)
    with terminal:
        terminal.read_for(seconds)
        terminal.process.terminate()
        assert terminal.wait() in (-signal.SIGTERM, 128 + signal.SIGTERM)
        assert terminal.given_back
        assert b"Traceback" not in terminal.output


def test_an_app_that_hangs_ends_all_the_same(checkout: Path) -> None:
    with _open(_argv(checkout, _HANGS)) as terminal:
        terminal.press("?")
        terminal.process.terminate()
        terminal.process.terminate()
        assert terminal.wait() == 128 + signal.SIGTERM
        assert terminal.given_back


@pytest.mark.parametrize("error", ["SystemExit(3)", "KeyboardInterrupt"])
def test_an_error_of_our_own_gives_it_back(checkout: Path, error: str) -> None:
    with _open(_argv(checkout, _BREAKS.format(error=error))) as terminal:
        terminal.press("?")
        terminal.wait()
        assert terminal.given_back


@pytest.mark.parametrize("command", [["--version"], []])
def test_after_a_kill_the_next_start_gives_it_back(checkout: Path, command: list[str]) -> None:
    with _open(_argv(checkout)) as terminal:
        terminal.process.kill()
        terminal.process.wait(60)
        terminal.read(0.2)
        assert (terminal.lines_edited, len(_notes())) == (False, 1)
        terminal.start([*_argv(checkout), *command])
        if not command:
            seen = len(terminal.output)
            terminal.until(lambda: b"with an entry first" in terminal.output[seen:])
            terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.given_back
        assert _notes() == []


def test_a_note_of_another_terminal_or_of_an_app_that_is_there_changes_nothing(checkout: Path) -> None:
    version = [*_argv(checkout), "--version"]
    with _open(_argv(checkout)) as terminal:
        app = terminal.process
        terminal.start(version)
        assert terminal.wait() == 0
        assert {1000, 1049} <= terminal.modes
        app.kill()
        app.wait(60)
        (note,) = _notes()
        note.write_text(note.read_text().replace('"terminal": ', '"terminal": 1'))
        seen = len(terminal.output)
        terminal.start(version)
        assert terminal.wait() == 0
        assert b"\x1b" not in terminal.output[seen:]
        assert _notes() == []


def test_a_stop_gives_it_back_until_the_shell_goes_on(checkout: Path) -> None:
    shell = 'set -m; "$@"; echo stopped 1; read; fg; echo stopped 2; read; fg; echo ended $?'
    with _open(["bash", "-c", shell, "shell", *_argv(checkout)]) as terminal:
        for number in (1, 2):
            terminal.press("\x1a")
            terminal.until(f"stopped {number}")
            assert terminal.given_back
            seen = len(terminal.output)
            terminal.press("\n")
            terminal.until(lambda seen=seen: b"with an entry first" in terminal.output[seen:])  # type: ignore[misc]
            assert not terminal.lines_edited
        terminal.press("q")
        terminal.until("ended 0")
        assert terminal.given_back


def test_without_a_shell_to_go_back_to_ctrl_z_stops_nothing(checkout: Path) -> None:
    with _open(_argv(checkout)) as terminal:
        seen = len(terminal.output)
        terminal.press("\x1a")
        terminal.until(lambda: b"with an entry first" in terminal.output[seen:])
        terminal.press("q")
        assert terminal.wait() == 0


def test_who_stops_us_without_a_word_finds_the_app_whole_again(checkout: Path) -> None:
    with _open(_argv(checkout)) as terminal:
        terminal.process.send_signal(signal.SIGSTOP)
        terminal.read(0.2)
        os.write(terminal.slave, b"\x1b[?1049l\x1b[2J$ ")
        seen = len(terminal.output)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(lambda: b"with an entry first" in terminal.output[seen:])
        assert {1000, 1049} <= terminal.modes


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_during_the_editor_reaches_it_first(checkout: Path, tmp_path: Path, signum: signal.Signals) -> None:
    editor = _editor(tmp_path)
    with _open(_argv(checkout), EDITOR=str(editor)) as terminal:
        pid = _edit(terminal, tmp_path)
        if signum == signal.SIGTERM:
            terminal.process.terminate()
        else:
            os.kill(pid, signum)
            terminal.until(lambda: not terminal.lines_edited and 2004 in terminal.modes)
            terminal.press("q")
        assert terminal.wait() == (128 + signum if signum == signal.SIGTERM else 0)
        assert terminal.given_back
        assert (tmp_path / "saved").exists() == (signum == signal.SIGTERM)


@pytest.mark.parametrize("editor", ["/nowhere/vim", "env nowhere-vim"])
def test_an_editor_that_cannot_be_run_leaves_the_app_its_terminal(checkout: Path, editor: str) -> None:
    with _open(_argv(checkout), EDITOR=editor) as terminal:
        seen = len(terminal.output)
        terminal.press("e")
        terminal.until(lambda: b"Cannot run" in terminal.output[seen:] and b"export EDITOR" in terminal.output[seen:])
        assert {1049, 2004} <= terminal.modes
        terminal.press("q", "q")
        assert terminal.wait() == 0
        assert terminal.given_back


@pytest.mark.parametrize("before", ["", _LEARNS_LATE_OF_THE_EDITOR], ids=["", "at once"])
def test_keys_that_interrupt_an_editor_are_not_for_us(checkout: Path, tmp_path: Path, before: str) -> None:
    editor = _editor(tmp_path)
    with _open(_argv(checkout, before), EDITOR=str(editor)) as terminal:
        pid = _edit(terminal, tmp_path)
        for signum in (signal.SIGINT, signal.SIGQUIT):
            terminal.process.send_signal(signum)
        terminal.read(0.5)
        assert identity(pid) is not None
        os.kill(pid, signal.SIGTERM)
        terminal.until(lambda: 2004 in terminal.modes)
        terminal.press("q")
        assert terminal.wait() == 0


@pytest.mark.parametrize("kind", ["dumb", ""])
def test_a_terminal_that_cannot_move_its_cursor_is_refused(checkout: Path, kind: str) -> None:
    with Terminal(_argv(checkout), {"PYTHONPATH": str(ROOT), "TERM": kind}) as terminal:
        assert terminal.wait() == 2
        assert "ttmatrix --help" in terminal.text
        assert b"\x1b" not in terminal.output


def _editor(place: Path) -> Path:
    script = place / "editor"
    script.write_text(_EDITOR.format(python=sys.executable, place=str(place)))
    script.chmod(0o700)
    return script


def _edit(terminal: Terminal, place: Path) -> int:
    terminal.press("e")
    terminal.until(lambda: (place / "editing").exists() and (place / "editing").read_text() != "")
    return int((place / "editing").read_text())
