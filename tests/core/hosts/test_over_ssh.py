# SPDX-License-Identifier: Apache-2.0
"""Hosts checked over real OpenSSH on loopback."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.hosts import Expected, Host, check_hosts
from core.hosts.check import Finding
from tests.support.sshd import Server, ssh_server


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with ssh_server(tmp_path_factory.mktemp("sshd")) as one:
        yield one


def reached(host: Host) -> Finding:
    return check_hosts([host], Expected())[0].findings[0]


def test_a_host_is_asked_over_ssh(sshd: Server) -> None:
    found = {one.check: one for one in check_hosts([sshd.host()], Expected())[0].findings}
    assert found["ssh"].ok and found["ssh"].found
    assert found["python"].ok and found["disk"].found.endswith("GiB free")
    assert not found["checkout"].ok


def test_a_host_key_that_is_not_known_is_not_accepted(sshd: Server) -> None:
    found = reached(sshd.host(known="unknown"))
    assert not found.ok and "Connect once by hand" in found.remedy
    assert f"-p {sshd.port}" in found.remedy
    assert (sshd.directory / "unknown").read_text() == ""


def test_another_host_key_than_before_is_refused(sshd: Server) -> None:
    found = reached(sshd.host(known="changed"))
    assert not found.ok and f"ssh-keygen -R '[127.0.0.1]:{sshd.port}'" in found.remedy


def test_without_a_key_nothing_is_asked_and_nothing_waits(sshd: Server, tmp_path: Path) -> None:
    host = sshd.host()
    config = tmp_path / "config"
    config.write_text(Path(host.ssh_config).read_text().replace("/client", "/other"))
    found = reached(replace(host, ssh_config=str(config)))
    assert not found.ok and "Permission denied" in found.found and "ssh-add" in found.remedy


def test_where_nothing_listens(sshd: Server) -> None:
    found = reached(replace(sshd.host(), ssh="nobody@127.0.0.1:1"))
    assert not found.ok and "ird list" in found.remedy
