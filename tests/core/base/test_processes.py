# SPDX-License-Identifier: Apache-2.0
"""core.base.processes: commands with their output, identities, and whole families of processes."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import (
    Child,
    CommandResult,
    ProcessIdentity,
    boot_id,
    descendants,
    free_memory,
    identity,
    is_alive,
    marked,
    own_environment,
    own_identity,
    run_binary,
    run_command,
    run_in_terminal,
    send_signal,
    spawn_detached,
)

# A parent with one child in its group and one that made a session of its own.
FAMILY = ("sh", "-c", "sleep 60 & near=$!; setsid sleep 60 & echo $near $! > pids; wait $near")


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """A shell starts background jobs with interrupts ignored, and children would inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def spawn(tmp_path: Path, code: str) -> Child:
    return spawn_detached([sys.executable, "-c", code], cwd=tmp_path, env=dict(os.environ), output=tmp_path / "out")


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        pause.wait(0.02)


def printed(tmp_path: Path) -> str:
    return (tmp_path / "out").read_text()


def test_a_command_gives_its_output_and_code_and_gets_additions_to_the_environment(tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ['X'], sys.stdin.read()); sys.exit(3)"
    done = run_command([sys.executable, "-c", code], cwd=tmp_path, env={"X": "ä"}, stdin="given")
    assert (done.returncode, done.stdout, done.stderr) == (3, "ä given\n", "")


def test_line_ends_and_bad_bytes_come_through(tmp_path: Path) -> None:
    code = r"import sys; sys.stdout.buffer.write(sys.stdin.buffer.read() + b'\xff')"
    assert run_command([sys.executable, "-c", code], cwd=tmp_path, stdin="a\r\nb\r").stdout == "a\r\nb\r\ufffd"


def test_a_command_has_no_terminal_to_ask_on(tmp_path: Path) -> None:
    done = run_command([sys.executable, "-c", "open('/dev/tty')"], cwd=tmp_path)
    assert done.returncode != 0


@pytest.mark.slow("waits for a time limit")
def test_a_command_that_takes_too_long_is_stopped_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match="did not end") as caught:
        run_command(FAMILY, cwd=tmp_path, timeout=3)
    assert "after 3 s" in caught.value.detail
    for pid in (tmp_path / "pids").read_text().split():
        until(lambda pid=int(pid): identity(pid) is None or not is_alive(identity(pid)))  # type: ignore[misc,arg-type]


def test_a_command_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match="no-such-command"):
        run_command(["no-such-command"], cwd=tmp_path)
    with pytest.raises(TTMatrixError, match="no-such-command"):
        spawn_detached(["no-such-command"], cwd=tmp_path, env={})


def test_an_identity_names_one_process_only() -> None:
    own = own_identity()
    assert own == identity(os.getpid())
    assert is_alive(own)
    assert not is_alive(ProcessIdentity(own.pid, own.start_time - 60))


def test_a_detached_child_has_its_own_session_no_input_and_both_streams_in_one_file(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getsid(0), repr(sys.stdin.read())); print('bad', file=sys.stderr)"
    child = spawn(tmp_path, code)
    assert child.wait(60) == 0
    assert sorted(printed(tmp_path).splitlines()) == sorted([f"{child.identity.pid} ''", "bad"])


def test_a_command_inherits_what_it_is_given(tmp_path: Path) -> None:
    ours, others = os.pipe(), os.pipe()
    code = f"import os; os.fstat({ours[1]}); os.fstat({others[1]})"
    done = run_command([sys.executable, "-c", code], cwd=tmp_path, pass_fds=ours)
    assert "Bad file descriptor" in done.stderr
    both = run_command([sys.executable, "-c", code], cwd=tmp_path, pass_fds=(*ours, *others))
    assert both.returncode == 0
    for descriptor in (*ours, *others):
        os.close(descriptor)


def test_waiting_has_a_limit_and_tells_the_signal(tmp_path: Path) -> None:
    child = spawn(tmp_path, "import time; time.sleep(60)")
    assert child.wait(0.05) is None
    os.kill(child.identity.pid, signal.SIGKILL)
    assert child.wait(60) == -signal.SIGKILL


def test_a_zombie_is_not_alive_and_the_background_reaps_it(tmp_path: Path) -> None:
    child = spawn(tmp_path, "pass")
    until(lambda: not is_alive(child.identity))
    assert identity(child.identity.pid) is not None
    child.reap_in_background()
    until(lambda: identity(child.identity.pid) is None)


def test_descendants_are_found_in_any_session_until_they_are_dead(tmp_path: Path) -> None:
    child = spawn_detached(FAMILY, cwd=tmp_path, env=dict(os.environ), output=tmp_path / "out")
    pids = tmp_path / "pids"
    until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    near, far = (identity(int(pid)) for pid in pids.read_text().split())
    assert near and far
    assert descendants(child.identity) == {near, far}
    send_signal(far, signal.SIGKILL)
    until(lambda: descendants(child.identity) == {near})
    send_signal(near, signal.SIGKILL)
    assert child.wait(60) is not None
    assert descendants(child.identity) == frozenset()


def test_processes_are_found_by_what_marks_their_environment(tmp_path: Path) -> None:
    environ = {**os.environ, "TTMATRIX_TEST_MARK": str(tmp_path)}
    child = spawn_detached([sys.executable, "-c", "import time; time.sleep(60)"], cwd=tmp_path, env=environ)
    until(lambda: marked("TTMATRIX_TEST_MARK", str(tmp_path)) == {child.identity})
    assert marked("TTMATRIX_TEST_MARK", "another") == frozenset()
    send_signal(child.identity, signal.SIGKILL)
    child.wait(60)


def test_a_later_process_with_the_same_pid_is_left_alone(tmp_path: Path) -> None:
    child = spawn(tmp_path, "import time; time.sleep(60)")
    earlier = ProcessIdentity(child.identity.pid, child.identity.start_time - 60)
    send_signal(earlier, signal.SIGKILL)
    assert descendants(earlier) == frozenset()
    assert child.wait(0.2) is None
    send_signal(child.identity, signal.SIGKILL)
    assert child.wait(60) == -signal.SIGKILL


def test_a_machine_has_one_boot_at_a_time_and_free_memory() -> None:
    assert boot_id() == boot_id() != ""
    assert free_memory() > 0


def test_a_command_in_the_terminal_keeps_our_streams(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = "import os, sys; print(os.getcwd()); sys.exit(4)"
    assert run_in_terminal([sys.executable, "-c", code], cwd=tmp_path) == 4
    assert capfd.readouterr().out == f"{tmp_path}\n"
    with pytest.raises(TTMatrixError, match="no-such-command"):
        run_in_terminal(["no-such-command"], cwd=tmp_path)


def test_data_keeps_every_byte(tmp_path: Path) -> None:
    data = b"a\r\nb\x00\xff"
    script = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()); sys.exit(b'no\\xff'.decode('latin-1'))"
    env = {"PYTHONIOENCODING": "latin-1"}
    done = run_binary([sys.executable, "-c", script], cwd=tmp_path, env=env, stdin=data)
    assert (done.returncode, done.stdout) == (1, data)
    assert done.stderr == "no\N{REPLACEMENT CHARACTER}\n"
    with pytest.raises(TTMatrixError, match="Cannot run"):
        run_binary(["/no/such/command"], cwd=tmp_path, env={}, stdin=b"")


def test_a_program_is_not_taken_from_where_the_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, elsewhere = tmp_path / "own", tmp_path / "elsewhere"
    for place, says in ((own, "trap"), (elsewhere, "right")):
        place.mkdir()
        (place / "tool").write_text(f"#!/bin/sh\necho {says}\n")
        (place / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", f".::{elsewhere}:/usr/bin:/bin")
    assert run_command(["tool"], cwd=own).stdout == "right\n"
    assert run_binary(["tool"], cwd=own, env={}, stdin=b"").stdout == b"right\n"
    assert run_command(["./tool"], cwd=own).stdout == "trap\n"
    for path in (".", ""):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(TTMatrixError, match="Cannot run tool"):
            run_command(["tool"], cwd=own)


def test_our_own_modules_are_found_wherever_a_process_of_ours_begins() -> None:
    first = Path(own_environment({"PYTHONPATH": "/nowhere"})["PYTHONPATH"].split(os.pathsep)[0])
    assert (first / "core/base/processes.py").is_file()


def test_what_a_command_says_of_itself_is_its_last_line_with_the_mark() -> None:
    done = CommandResult((), 0, "MARK one\nnoise MARK two\nMARK three\nnoise\n", "MARK four\n")
    assert done.said("MARK ") == "three"
    assert done.said("OTHER ") == ""
