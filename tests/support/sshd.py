# SPDX-License-Identifier: Apache-2.0
"""A real OpenSSH server on loopback for one test module: own keys, own configuration, no root rights needed.

As root, sshd needs a user `sshd` and a directory owned by root; a separate mount namespace provides both.
"""

import contextlib
import getpass
import os
import select
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.hosts import Host

_PLACES = (os.environ.get("TTMATRIX_SSHD", ""), shutil.which("sshd") or "", "/usr/sbin/sshd")
_AS_ROOT = """\
set -e
mount --bind "$1/passwd" /etc/passwd
mount -t tmpfs none /run
mkdir -m 0755 /run/sshd
shift
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that accepts the key of `client`."""

    port: int
    directory: Path

    def host(self, name: str = "there", known: str = "known_hosts", **changes: object) -> Host:
        """The server as a host of the hosts file; `known` is a file in `directory` with known host keys."""
        config = self.directory / f"config-{known}"
        config.write_text(
            f"Host *\n  IdentityFile {self.directory}/client\n  IdentitiesOnly yes\n  GlobalKnownHostsFile /dev/null\n"
            f"  UserKnownHostsFile {self.directory}/{known}\n"
        )
        return Host(name, f"{getpass.getuser()}@127.0.0.1:{self.port}", ssh_config=str(config), **changes)  # type: ignore[arg-type]


@contextlib.contextmanager
def ssh_server(directory: Path) -> Iterator[Server]:
    """Serve until the block ends. Skips the test if no sshd can run."""
    sshd = next((one for one in _PLACES if one and os.access(one, os.X_OK)), None)
    if sshd is None or shutil.which("ssh-keygen") is None:
        pytest.skip("no sshd: install openssh-server, or name one with TTMATRIX_SSHD")
    port = _free_port()
    for name in ("server", "client", "other"):
        command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(directory / name))
        subprocess.run(command, check=True)
    shutil.copy(directory / "client.pub", directory / "authorized")
    for name, key in (("known_hosts", "server"), ("changed", "other")):
        (directory / name).write_text(f"[127.0.0.1]:{port} {(directory / f'{key}.pub').read_text()}")
    (directory / "unknown").write_text("")
    (directory / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {directory}/server\nAuthorizedKeysFile {directory}/authorized\n"
        "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        "PermitRootLogin prohibit-password\nPrintMotd no\n"
    )
    with subprocess.Popen(
        _command(sshd, directory), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stderr is not None
        try:
            _await(process, process.stderr.fileno())
            yield Server(port, directory)
        finally:
            process.terminate()


def _command(sshd: str, directory: Path) -> list[str]:
    command = [sshd, "-D", "-e", "-f", str(directory / "sshd_config")]
    if os.getuid() or _has_user():
        return command
    (directory / "passwd").write_text(
        f"{Path('/etc/passwd').read_text().rstrip()}\nsshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n"
    )
    script = directory / "as_root.sh"
    script.write_text(_AS_ROOT)
    return ["unshare", "-m", "sh", str(script), str(directory), *command]


def _has_user() -> bool:
    names = [line.partition(":")[0] for line in Path("/etc/passwd").read_text().splitlines()]
    return "sshd" in names and Path("/run/sshd").is_dir()


def _await(process: "subprocess.Popen[bytes]", said: int) -> None:
    """Wait until the server says that it listens; skips the test if it ends before that."""
    text = b""
    while b"listening on" not in text:
        select.select([said], [], [], 30)
        more = os.read(said, 65536)
        text += more
        if not more:
            process.wait(10)
            pytest.skip(f"sshd does not run here: {text.decode(errors='replace').strip()[-300:]}")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
