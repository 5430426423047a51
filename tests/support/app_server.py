# SPDX-License-Identifier: Apache-2.0
"""The process behind `tests.support.warm_app`: it has the app's modules loaded, and forks for every start of the app.

It ends when the process that started it does.
"""

import array
import atexit
import fcntl
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import termios
import threading
import traceback
import types
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

_MOST_BYTES = 1 << 20


def main(number: int) -> None:
    """Serve requests from this socket, in a process that nobody has to wait for."""
    if os.fork():
        os._exit(0)
    importlib.import_module("tui.__main__")
    # It sets what Textual reads while it is loaded.
    importlib.import_module("tui.app.start")
    app = importlib.import_module("tui.app.app")
    for name in (*app.MODULES_SOON, *app.MODULES_OF_SCREENS):
        importlib.import_module(name)
    gc.collect()
    # Otherwise every fork copies the pages that its garbage collector visits.
    gc.freeze()
    requests = socket.socket(fileno=number)
    while data := (received := requests.recvmsg(_MOST_BYTES, socket.CMSG_SPACE(2 * array.array("i").itemsize)))[0]:
        descriptors = array.array("i")
        descriptors.frombytes(received[1][0][2])
        if os.fork() == 0:
            requests.close()
            _watch(json.loads(data), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _watch(job: dict[str, Any], terminal: int, answers: int) -> NoReturn:
    """Act as parent of the app: report its id and its end, and end it when nobody waits for that any more."""
    pid = os.fork()
    if pid == 0:
        os.close(answers)
        _end_with(partial(_open_app, job, terminal))
    os.close(terminal)
    client = socket.socket(fileno=answers)
    client.sendall(str(pid).encode())
    if answers in select.select([answers, os.pidfd_open(pid)], [], [])[0]:
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with suppress(BrokenPipeError):
        client.sendall(str(code).encode())
    os._exit(0)


def _end_with(run: Callable[[], None]) -> NoReturn:
    """Run it and end as Python would, but without taking all modules apart, which would take as long as the start."""
    code = 0
    try:
        run()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - Python itself prints whatever ends a program
        traceback.print_exc()
        code = 1
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(code)


def _open_app(job: dict[str, Any], terminal: int) -> None:
    """Run the app on that terminal like a Python without options."""
    os.setsid()
    for number in range(3):
        os.dup2(terminal, number)
    os.close(terminal)
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        stream = open(number, mode, encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115 - open until the end
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for signum in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(signum, signal.SIG_DFL)
    if job["controlling"]:
        # Another program may still have it open.
        with suppress(PermissionError):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["environ"])
    kind, program, *sys.argv[1:] = job["argv"]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(program, "<string>", "exec"), module.__dict__)


if __name__ == "__main__":
    main(int(sys.argv[1]))
