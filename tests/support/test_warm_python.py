# SPDX-License-Identifier: Apache-2.0
"""An interpreter with modules loaded behaves like Python, and what it runs ends with the process that requested it."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.base.processes import identity, is_alive
from tests.support.warm_python import warm_python

_SECONDS = 60.0


def _run(python: Path, *argv: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(python), *argv], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize(
    "argv",
    [
        ("-c", "import sys; print(sys.argv, sys.path[0]); sys.exit(5)", "a b"),
        ("-c", "import os; os.abort()"),
        ("-c", "import sys; print(input()); sys.exit('no')"),
        ("-c", "import os; print(os.getcwd(), os.environ['GIVEN'], os.umask(0))"),
        ("-m", "json.tool", "--help"),
        ("-P", "-m", "json.tool", "--help"),
        ("-P", "-c", "import sys; print(sys.path)"),
        ("-P", "script_alone.py", "a"),
        ("-P", "-W", "error", "-c", "import sys; print(sys.flags.safe_path)"),
        ("-u", "-c", "import os, sys; print('first'); os.write(1, b'second\\n')"),
        ("-W", "error", "-c", "import warnings; warnings.warn('x')"),
        ("script.py", "a"),
    ],
)
def test_a_program_ends_as_it_does_in_python(warm_torch: Path, tmp_path: Path, argv: tuple[str, ...]) -> None:
    (tmp_path / "script.py").write_text("import sys, beside; print(sys.argv, __name__, beside.VALUE)")
    (tmp_path / "script_alone.py").write_text("import sys; print(sys.argv, sys.path[0])")
    (tmp_path / "beside.py").write_text("VALUE = 1")
    options = {"cwd": tmp_path, "input": "a line\n", "env": {**os.environ, "GIVEN": "ä"}}
    warm, cold = (_run(python, *argv, **options) for python in (warm_torch, Path(sys.executable)))
    assert (warm.returncode, warm.stdout, warm.stderr) == (cold.returncode, cold.stdout, cold.stderr)


def test_torch_is_there_already(warm_torch: Path) -> None:
    done = _run(warm_torch, "-c", "import sys; print('torch' in sys.modules, sys.executable)")
    assert done.stdout.split() == ["True", str(warm_torch)]


def test_descriptors_are_passed_on_by_their_numbers(warm_torch: Path) -> None:
    reading, writing = os.pipe()
    done = _run(warm_torch, "-c", f"import os; os.write({writing}, b'here')", pass_fds=(writing,))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert (done.returncode, pipe.read()) == (0, "here")


def test_who_is_killed_takes_the_program_along(warm_torch: Path) -> None:
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with subprocess.Popen([warm_torch, "-c", code], stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        running = identity(int(asking.stdout.readline()))
        assert running is not None
        asking.send_signal(signal.SIGKILL)
        assert asking.stdout.read() == "", "its end is that of the program"
        pause = threading.Event()
        for _ in range(int(_SECONDS / 0.02)):
            if not is_alive(running):
                return
            pause.wait(0.02)
    raise AssertionError("it goes on")


def test_who_names_the_same_directory_uses_the_same_process(warm_torch: Path) -> None:
    code = "import os; print(os.getppid())"
    with warm_python(warm_torch.parents[1]) as other:
        assert other == warm_torch
        assert _run(other, "-c", code).stdout == _run(warm_torch, "-c", code).stdout
    assert _run(warm_torch, "-c", "print(1)").stdout == "1\n"


def test_one_with_dask_has_nothing_of_ours_loaded(warm_dask: Path) -> None:
    done = _run(warm_dask, "-c", "import sys; print('distributed' in sys.modules, 'core' in sys.modules)")
    assert done.stdout.split() == ["True", "False"]
