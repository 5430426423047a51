# SPDX-License-Identifier: Apache-2.0
"""A real interpreter with torch loaded, forked for every CPU repro and every session of pytest.

What takes seconds to start is started once.
"""

import contextlib
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PAYLOAD = Path(__file__).parents[2] / "core/payload"

_SERVER = r"""
import array, gc, json, os, socket, sys, traceback
import pytest
import torch
import torch._dynamo
import torch.fx.experimental.symbolic_shapes  # Else every fork imports them, in forward and backward.
torch.set_num_threads(1)
import cpu_repro
gc.freeze()  # Else every fork copies the pages of all that its collector looks at.

def run(argv, environ, cwd):
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environ)
    if argv[0] == "-m":
        sys.path[:0] = [cwd, *filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))]
        return int(pytest.main(argv[2:]))
    sys.argv[:] = argv
    return cpu_repro.main(argv[1:])

server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(sys.argv[1])
server.listen(16)
print("ready", flush=True)
while True:
    client, _ = server.accept()
    data, ancillary, *_ = client.recvmsg(1 << 20, socket.CMSG_SPACE(8))
    if data == b"end":
        break
    descriptors = array.array("i", ancillary[0][2][:8])
    if os.fork():
        client.close()
        for descriptor in descriptors:
            os.close(descriptor)
        continue
    server.close()
    pid = os.fork()
    if pid == 0:
        os.dup2(descriptors[0], 1)
        os.dup2(descriptors[1], 2)
        code = 99
        try:
            code = run(**json.loads(data))
        except BaseException:
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(code)
    client.sendall(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())
    os._exit(0)
"""

_CLIENT = r"""#!@PYTHON@ -S
import array, json, os, socket, sys
if sys.argv[1:3] != ["-m", "pytest"] and not sys.argv[1].endswith("cpu_repro.py"):
    os.execv("@PYTHON@", ["@PYTHON@", *sys.argv[1:]])
client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
client.connect("@SOCKET@")
request = {"argv": sys.argv[1:], "environ": dict(os.environ), "cwd": os.getcwd()}
client.sendmsg([json.dumps(request).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1, 2]))])
code = int(client.recv(64) or b"99")
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


@contextlib.contextmanager
def warm_python(directory: Path) -> Iterator[Path]:
    """An executable in `directory` that runs the CPU payload and pytest in forks, and anything else as Python does."""
    address = directory / "torch.socket"
    environ = {**os.environ, "PYTHONPATH": str(PAYLOAD), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVER, str(address)], env=environ, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        script = directory / "python"
        script.write_text(_CLIENT.replace("@PYTHON@", sys.executable).replace("@SOCKET@", str(address)))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        try:
            yield script
        finally:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
                client.connect(str(address))
                client.sendall(b"end")
