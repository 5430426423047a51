# SPDX-License-Identifier: Apache-2.0
"""Pytest sessions in their own processes, forked from one interpreter that has it imported."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

_SERVER = r"""
import gc, importlib, importlib.metadata, json, os, pdb, sys, traceback
import _pytest.config, pytest
import hypothesis  # Its plugin imports it at the end of each session, a quarter of what a session takes.
for name in _pytest.config.default_plugins:
    importlib.import_module(f"_pytest.{name}")
for entry in importlib.metadata.entry_points(group="pytest11"):
    entry.load()
gc.freeze()

def play(argv, cwd, environ, outputs, executable):
    sys.executable = executable
    for stream, path in zip((0, 1, 2), ("/dev/null", *outputs)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), stream)
    sys.stdin = open(0)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environ)
    sys.dont_write_bytecode = bool(environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[:1] = [cwd, *filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))]
    return int(pytest.main(argv))

for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = play(**json.loads(line))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""

Session = Callable[[list[str], Path, Mapping[str, str]], subprocess.CompletedProcess[str]]
"""Runs `python -m pytest` with arguments, in a directory, with an environment."""


@contextlib.contextmanager
def warm_pytest(executable: Path = Path(sys.executable)) -> Iterator[Session]:
    """A function that runs sessions one at a time, each like a newly started process.

    `executable` is `sys.executable` in the sessions.
    """
    with (
        TemporaryDirectory() as scratch,
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server,
    ):
        outputs = [Path(scratch, "out"), Path(scratch, "err")]

        def session(argv: list[str], cwd: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
            assert server.stdin
            assert server.stdout
            for path in outputs:
                path.unlink(missing_ok=True)
            job = {"argv": argv, "cwd": str(cwd), "environ": dict(environ), "outputs": [*map(str, outputs)]}
            job |= {"executable": str(executable)}
            server.stdin.write(json.dumps(job) + "\n")
            server.stdin.flush()
            code = int(server.stdout.readline())
            return subprocess.CompletedProcess(argv, code, *(os.fsdecode(path.read_bytes()) for path in outputs))

        yield session
        assert server.stdin
        server.stdin.close()
