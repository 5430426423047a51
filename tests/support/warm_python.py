# SPDX-License-Identifier: Apache-2.0
"""Real interpreters that are forked: one with torch loaded for every CPU repro, every batch of op cases and every session
of pytest, one for every scheduler, and one with Dask loaded for workers.

Slow imports happen once for all tests, whichever process they run in.
"""

import contextlib
import os
import secrets
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

_SERVER = Path(__file__).with_name("warm_server.py")
_CLIENT = r"""#!@PYTHON@ -IS
import _socket, array, marshal, os, sys
argv = sys.argv[1:]
if argv[0] == "-u":
    os.environ["PYTHONUNBUFFERED"] = "1"
    del argv[0]
safe = argv[0] == "-P"
if safe:
    del argv[0]
if argv[0].startswith("-") and argv[0] not in ("-c", "-m"):
    if safe:
        argv.insert(0, "-P")
    os.execv("@PYTHON@", ["@PYTHON@", *argv])
wanted = []
for number in sorted(map(int, os.listdir("/proc/self/fd"))):
    try:
        os.fstat(number)
    except OSError:  # It was that of the directory.
        continue
    # Python itself has opened none that its children would have.
    if os.get_inheritable(number):
        wanted.append(number)
client = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
client.connect("\0@ADDRESS@")
mask = os.umask(0)
os.umask(mask)
job = {"program": __file__, "argv": argv, "safe": safe, "environ": dict(os.environ), "cwd": os.getcwd(), "umask": mask}
rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", wanted))
client.sendmsg([marshal.dumps(job | {"descriptors": wanted})], [rights])
# Whoever reads from the other end of one of these must see its end when the process over there ends.
for number in wanted:
    os.close(number)
code = int(client.recv(64) or b"99")
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code)
"""


@contextlib.contextmanager
def warm_python(directory: Path, loaded: str = "torch") -> Iterator[Path]:
    """An executable that behaves like Python for a script, `-m` or `-c`, in forks of a process.

    The process has `loaded` what `torch`, a `scheduler` or `dask` needs. All users of the same `directory` share it. It ends
    after the last of them, and a program that it runs ends with the executable that started it.
    """
    place = directory / loaded
    place.mkdir(exist_ok=True)
    address, script = place / "address", place / "python"
    with FileLock(place / "lock"):
        using = _connected(address.read_text()) if address.exists() else None
        if using is None:
            address.write_text(f"ttmatrix-{secrets.token_hex(16)}")
            _start(address.read_text(), place, loaded)
            using = _connected(address.read_text())
            script.write_text(_CLIENT.replace("@PYTHON@", sys.executable).replace("@ADDRESS@", address.read_text()))
            script.chmod(script.stat().st_mode | stat.S_IXUSR)
    assert using is not None, (place / "log").read_text()
    with using:
        yield script


def use_python(python: Path, home: Path, more: str = "") -> None:
    """Make the settings below `home` name `python`, with `more` lines."""
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config/settings.toml").write_text(f'python = "{python}"\n{more}')


def _start(address: str, directory: Path, loaded: str) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server, (directory / "log").open("wb") as log:
        server.bind(f"\0{address}")
        server.listen(64)
        # It puts itself into the background.
        subprocess.run(
            [sys.executable, "-P", str(_SERVER), str(server.fileno()), loaded],
            cwd="/",
            env={**environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(directory)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(server.fileno(),),
            check=True,
        )


def _connected(address: str) -> socket.socket | None:
    """A connection that keeps the process behind `address` alive; None: there is none, or it is about to end."""
    using = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with contextlib.suppress(OSError):
        using.connect(f"\0{address}")
        using.sendall(b"use")
        if using.recv(16) == b"ready":
            return using
    using.close()
    return None
