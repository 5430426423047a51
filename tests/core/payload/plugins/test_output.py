# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.plugins.output: the log has everything as it is written, and pytest captures as without the plugin."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.plugins.spool import SPOOL, SPOOL_VARIABLE, Log, Spool
from core.runs.planning.pytest_command import PAYLOAD
from tests.support.cluster import until

_TESTS = """
import ctypes, os, subprocess, sys, time

libc = ctypes.CDLL(None)

def test_reads(capfd):
    print("python line")
    libc.printf(b"line of printf\\n")
    os.write(2, b"native error\\n")
    subprocess.run(["sh", "-c", "echo of a child; echo error of a child >&2"])
    read = capfd.readouterr()
    assert read.out == "python line\\nline of printf\\nof a child\\n"
    assert read.err == "native error\\nerror of a child\\n"
    print("never read")

def test_passes():
    print("of a pass")

def test_fails():
    os.write(2, b"error: failed to legalize\\n")
    raise RuntimeError("Error code: 13")

def test_binary(capfdbinary):
    os.write(1, b"\\xff\\n")
    assert capfdbinary.readouterr().out == b"\\xff\\n"

def test_disabled(capfd):
    with capfd.disabled():
        print("not captured")
    assert capfd.readouterr().out == ""

def test_two_streams():
    os.write(1, b"half a line")
    os.write(2, b"another stream\\n")

def test_waits():
    os.write(1, b"before the wait\\n\\r10%\\r20%")
    while not os.path.exists("go"):
        time.sleep(0.01)

def test_aborts(capfd):
    print("printed")
    libc.printf(b"the last words of printf\\n")
    capfd.readouterr()
    os.write(2, b"the very last words\\n")
    os.abort()
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "test_it.py").write_text(_TESTS)
    return tmp_path


def _start(place: Path, *words: str, plugin: bool = True) -> subprocess.Popen[bytes]:
    """pytest, with its output in the log of the run `place`, as the supervisor starts it."""
    environ = {**os.environ, "PYTHONPATH": str(PAYLOAD), "PYTHONUNBUFFERED": "1", SPOOL_VARIABLE: str(place / SPOOL)}
    ours = ["-p", "ttmatrix_payload.plugins.output"] if plugin else []
    command = [sys.executable, "-m", "pytest", *ours, "-p", "no:cacheprovider", "-p", "no:asyncio", *words]
    with (place / "output.log").open("ab") as log:
        return subprocess.Popen(command, cwd=place, env=environ, stdout=log, stderr=log)


def _finished(place: Path, *words: str, plugin: bool = True) -> list[str]:
    """The lines of the log when pytest has ended and all is copied."""
    _start(place, *words, plugin=plugin).wait()
    _copied(place, Spool.close)
    return (place / "output.log").read_text(errors="replace").splitlines()


def _copied(place: Path, copy: Callable[[Spool, Log], None]) -> str:
    with (place / "output.log").open("a+b", buffering=0) as file:
        copy(Spool(place / SPOOL), Log(file.fileno()))
    return (place / "output.log").read_bytes().decode(errors="replace")


def test_what_reaches_the_descriptors_is_in_the_log_once_and_the_test_reads_it_all_the_same(place: Path) -> None:
    lines = _finished(place, "-k", "reads or passes or binary", "-v")
    said = (
        "python line",
        "line of printf",
        "native error",
        "of a child",
        "error of a child",
        "never read",
        "of a pass",
    )
    assert [lines.count(line) for line in (*said, "\N{REPLACEMENT CHARACTER}")] == [1] * 8
    assert lines[-1].startswith("==") and "3 passed" in lines[-1]
    assert not (place / SPOOL).exists()


def test_lines_are_where_they_belong_among_those_of_pytest(place: Path) -> None:
    lines = _finished(place, "-k", "passes or fails", "-v")
    names = [next(at for at, line in enumerate(lines) if f"::test_{name} " in line) for name in ("passes", "fails")]
    assert names[0] < lines.index("of a pass") < names[1] < lines.index("error: failed to legalize")


def test_reports_are_the_same_with_and_without(place: Path) -> None:
    reports = []
    for plugin in (True, False):
        _finished(place, "-k", "reads or fails", f"--junitxml={plugin}.xml", "-o", "junit_logging=all", plugin=plugin)
        text = (place / f"{plugin}.xml").read_text()
        reports.append(re.sub(r'(time|timestamp|name)="[\d.T:+-]*"', "", text))
    assert reports[0] == reports[1]
    assert "error: failed to legalize" in reports[0] and "never read" in reports[0]


def test_a_failure_does_not_repeat_what_the_log_has(place: Path) -> None:
    assert _finished(place, "-k", "fails").count("error: failed to legalize") == 1


def test_it_is_there_while_the_test_runs_and_whole_lines_are_preferred(
    place: Path, request: pytest.FixtureRequest
) -> None:
    process = _start(place, "-k", "waits")
    request.addfinalizer(process.kill)
    spool = Spool(place / SPOOL)
    until(lambda: "before the wait" in _copied(place, lambda _, log: spool.copy(log, whole=True, wait=False)))
    # It has not grown since the last look, so it is shown although its line has no end.
    until(lambda: _copied(place, lambda _, log: spool.copy(log, whole=True, wait=False)).endswith("10%\r20%"))
    (place / "go").touch()
    assert process.wait() == 0


def test_nothing_is_lost_before_a_crash_and_its_stack_comes_last(place: Path) -> None:
    lines = _finished(place, "-k", "aborts")
    at = [lines.index(line) for line in ("printed", "the last words of printf", "the very last words")]
    assert sorted(at) == at
    assert lines.index("Fatal Python error: Aborted") > at[-1]


def test_nothing_is_lost_if_it_is_killed(place: Path) -> None:
    process = _start(place, "-k", "waits")
    until(lambda: any((place / SPOOL / name).stat().st_size for name in ("0", "1") if (place / SPOOL / name).exists()))
    process.kill()
    process.wait()
    assert _copied(place, Spool.close).endswith("before the wait\n\r10%\r20%")


def test_what_is_not_captured_is_there_too(place: Path) -> None:
    assert "\n".join(_finished(place, "-k", "disabled or passes")).count("not captured") == 1
    (place / "output.log").unlink()
    assert _finished(place, "-k", "passes", "-s").count("test_it.py of a pass") == 1


def test_who_reads_what_was_captured_and_puts_it_back_does_not_show_it_twice(place: Path) -> None:
    """As ttmatrix's own runner does, which looks into the output for its reason."""
    (place / "test_it.py").write_text(
        "import sys, pytest\nfrom ttmatrix_payload.plugins import output\n"
        "def test_looks(request):\n"
        "    print('shown once')\n"
        "    out, _ = request.config.pluginmanager.getplugin('capturemanager').read_global_capture()\n"
        "    with output.unseen(): print(out, end='')\n"
        "    raise RuntimeError\n"
    )
    assert _finished(place, "--junitxml=x.xml", "-o", "junit_logging=all").count("shown once") == 1
    assert (place / "x.xml").read_text().count("shown once\n") == 1


@pytest.mark.parametrize("how", ["fd", "sys", "no"])
def test_what_a_conftest_prints_before_it_fails_is_there_once(place: Path, how: str) -> None:
    (place / "conftest.py").write_text("import os\nprint('printed')\nos.write(2, b'native\\n')\nimport not_there\n")
    lines = _finished(place, f"--capture={how}")
    assert [lines.count(line) for line in ("printed", "native")] == [1, 1]
    assert sum("No module named 'not_there'" in line for line in lines) == 1


def test_streams_do_not_share_a_line(place: Path) -> None:
    lines = _finished(place, "-k", "two_streams")
    assert {"half a line", "another stream"} < {*lines}


def test_without_a_run_it_does_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PAYLOAD))
    monkeypatch.delenv(SPOOL_VARIABLE, raising=False)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "ttmatrix_payload.plugins.output",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:forked",
    ]
    done = subprocess.run([*command, "--forked", "-k", "passes"], cwd=place, capture_output=True, text=True, check=True)
    assert "1 passed" in done.stdout and "of a pass" not in done.stdout
    assert not (place / SPOOL).exists()
