# SPDX-License-Identifier: Apache-2.0
"""The process behind `warm_python`: it has slow imports behind it, and forks for every command line it receives.

It ends with the last connection that needs it.
"""

import array
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
from typing import Any

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
    server = socket.socket(fileno=listening)
    users: set[socket.socket] = set()
    while True:
        for one in select.select([server, *users], [], [])[0]:
            if one is server:
                _accept(server, users)
            else:
                users.remove(one)
                one.close()
                if not users:
                    os._exit(0)
        while _reaped():
            pass


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


_LOADS = {"torch": _load_torch, "scheduler": _load_scheduler}


def _reaped() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] > 0
    except ChildProcessError:
        return False


def _accept(server: socket.socket, users: set[socket.socket]) -> None:
    client, _ = server.accept()
    data, ancillary, *_ = client.recvmsg(_MOST_BYTES, socket.CMSG_SPACE(4 * _MOST_DESCRIPTORS))
    if data == b"use":
        client.sendall(b"ready")
        users.add(client)
        return
    if not data:  # It was killed before it had asked for anything.
        client.close()
        return
    descriptors = array.array("i")
    for _, _, received in ancillary:
        descriptors.frombytes(received)
    if os.fork() == 0:
        server.close()
        for user in users:
            user.close()
        _watch(client, marshal.loads(data), list(descriptors))
    client.close()
    for descriptor in descriptors:
        os.close(descriptor)


def _watch(client: socket.socket, job: dict[str, Any], descriptors: list[int]) -> None:
    """Act as parent of the job's process: report its end to the client, and end it when the client ends."""
    pid = os.fork()
    if pid == 0:
        client.close()
        _do(job, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    if client.fileno() in select.select([client.fileno(), os.pidfd_open(pid)], [], [])[0]:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    try:
        client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    finally:
        os._exit(0)


def _do(job: dict[str, Any], descriptors: list[int]) -> None:
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
