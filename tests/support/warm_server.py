# SPDX-License-Identifier: Apache-2.0
"""The process behind `warm_python`: it has slow imports behind it, and forks for every command line it receives.

It ends with the last connection that needs it, and the last job.
"""

import array
import contextlib
import gc
import io
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
import types
import warnings
from pathlib import Path
from typing import Any, NoReturn

_MOST_BYTES = 1 << 20
_MOST_DESCRIPTORS = 64
_HIGH = 500
"""Received descriptors are moved above this number until each gets the number that it has in the client."""


def main(listening: int, loaded: str) -> None:
    """Serve connections to this socket, in a session of its own."""
    if os.fork():
        os._exit(0)
    os.setsid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _LOADS[loaded]()
    gc.collect()
    # Otherwise every fork copies the pages that its garbage collector visits.
    gc.freeze()
    _Server(socket.socket(fileno=listening)).serve()


def _load_torch() -> None:
    import pytest  # noqa: F401
    import torch
    import torch._dynamo
    import torch.fx.experimental.proxy_tensor
    import torch.fx.experimental.symbolic_shapes

    torch.set_num_threads(1)


def _load_scheduler() -> None:
    """Import what a scheduler does, from the tree of these tests, but leave its own module to each fork."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    import core.runs.execution.scheduler

    del sys.modules["core.runs.execution.scheduler"], core.runs.execution.scheduler, sys.path[0]


def _load_dask() -> None:
    """Import what a worker or a service does, and nothing of ours: that is loaded by each of them."""
    import cryptography.x509  # noqa: F401
    import distributed  # noqa: F401
    import filelock  # noqa: F401
    import msgspec  # noqa: F401
    import psutil  # noqa: F401


_LOADS = {"torch": _load_torch, "scheduler": _load_scheduler, "dask": _load_dask}


class _Server:
    """Forks jobs, reports the end of each to its client, and ends it when its client ends."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._users: set[socket.socket] = set()
        self._jobs: dict[int, tuple[int, socket.socket]] = {}
        """By the descriptor of its process: its pid, and its client."""

    def serve(self) -> NoReturn:
        used = False
        while self._users or self._jobs or not used:
            clients = {client.fileno() for _, client in self._jobs.values() if client.fileno() >= 0}
            # New ones come first: no descriptor is used again before the others have been looked at.
            watched: list[socket.socket | int] = [self._server, *self._users, *self._jobs, *clients]
            for one in select.select(watched, [], [])[0]:
                if one is self._server:
                    self._accept()
                elif one in self._users:
                    self._users.remove(one)
                    one.close()
                elif one in self._jobs:
                    self._report(one)
                elif one in clients:
                    self._end(one)
            used = used or bool(self._users)
        os._exit(0)

    def _accept(self) -> None:
        client, _ = self._server.accept()
        data, ancillary, *_ = client.recvmsg(_MOST_BYTES, socket.CMSG_SPACE(4 * _MOST_DESCRIPTORS))
        if data == b"use":
            client.sendall(b"ready")
            self._users.add(client)
            return
        if not data:  # It was killed before it had asked for anything.
            client.close()
            return
        descriptors = array.array("i")
        for _, _, received in ancillary:
            descriptors.frombytes(received)
        pid = os.fork()
        if pid == 0:
            self._close()
            client.close()
            _do(marshal.loads(data), list(descriptors))
        for descriptor in descriptors:
            os.close(descriptor)
        self._jobs[os.pidfd_open(pid)] = pid, client

    def _close(self) -> None:
        """Close, in a fork, what belongs to the server and to other jobs."""
        for one in (self._server, *self._users, *(client for _, client in self._jobs.values())):
            one.close()
        for descriptor in self._jobs:
            os.close(descriptor)

    def _report(self, descriptor: int) -> None:
        pid, client = self._jobs.pop(descriptor)
        os.close(descriptor)
        status = os.waitpid(pid, 0)[1]
        with contextlib.suppress(OSError):
            client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        client.close()

    def _end(self, number: int) -> None:
        """End the job whose client has this descriptor, unless it has ended already."""
        for pid, client in self._jobs.values():
            if client.fileno() == number:
                os.kill(pid, signal.SIGKILL)
                client.close()


def _do(job: dict[str, Any], descriptors: list[int]) -> NoReturn:
    code = 99
    try:
        os.setsid()
        _take(descriptors, job["descriptors"], unbuffered=bool(job["environ"].get("PYTHONUNBUFFERED")))
        os.umask(job["umask"])
        code = _run(job["program"], job["argv"], job["environ"], job["cwd"], safe=job["safe"])
    except BaseException:  # noqa: BLE001 - Python itself prints whatever ends a program
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _take(received: list[int], wanted: list[int], *, unbuffered: bool) -> None:
    """Give each descriptor the number that it has in the client."""
    high = [os.dup2(descriptor, _HIGH + at, False) for at, descriptor in enumerate(received)]
    for descriptor in received:
        os.close(descriptor)
    for descriptor, number in zip(high, wanted, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        raw = io.FileIO(number, "w" if number else "r", closefd=False)
        kind = io.BufferedWriter if number else io.BufferedReader
        stream = io.TextIOWrapper(raw if number and unbuffered else kind(raw))
        if number:
            stream.reconfigure(line_buffering=number == 2 or os.isatty(number), write_through=unbuffered)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run(program: str, argv: list[str], environ: dict[str, str], cwd: str, *, safe: bool) -> int:
    """Run `program *argv` like a Python without options, or with -P if it is `safe`: returns its exit code."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environ)
    sys.dont_write_bytecode = bool(environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.executable, sys.orig_argv = program, [program, *argv]
    path = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    try:
        if argv[0] == "-c":
            sys.argv, sys.path[:0] = ["-c", *argv[2:]], [*([] if safe else [""]), *path]
            module = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(argv[1], "<string>", "exec"), module.__dict__)
        elif argv[0] == "-m":
            sys.argv, sys.path[:0] = argv[1:], [*([] if safe else [cwd]), *path]
            runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv, sys.path[:0] = argv, [*([] if safe else [str(Path(argv[0]).resolve().parent)]), *path]
            runpy.run_path(argv[0], run_name="__main__")
    except SystemExit as leaving:
        if isinstance(leaving.code, int | None):
            return leaving.code or 0
        print(leaving.code, file=sys.stderr)
        return 1
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
    return 0


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
