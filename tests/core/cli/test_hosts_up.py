# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts up` and `down`, and `run --host`: from the command line to another machine and back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.settings import HOME_VARIABLE
from tests.support.cli import call
from tests.support.cluster import NO_DASK, FakeHosts, fake_hosts, until
from tests.support.git import committed_checkout
from tests.support.tree import sample

pytestmark = [pytest.mark.slow("a worker is a real process"), pytest.mark.timeout(120)]


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHosts]:
    pytest.importorskip("distributed", reason=NO_DASK)
    with fake_hosts(tmp_path / "hosts") as found:
        monkeypatch.setenv(HOME_VARIABLE, str(found.homes.parent / "home"))
        yield found


def test_up_run_there_and_down(hosts: FakeHosts, tmp_path: Path) -> None:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    hosts.add("near", checkout=str(checkout.root))
    hosts.add("broken", worker="/nowhere/python")
    up = call("hosts", "up", "near")
    assert up.code == 0 and "near: up" in up.err
    failed = call("hosts", "up")
    assert failed.code == 1 and "ttmatrix[dask]" in failed.out
    states = {one["name"]: one["state"] for one in call("hosts", "list", "--json").json}
    assert states == {"near": "up", "broken": "refused"}
    called = call("hosts", "down", "broken")
    assert called.code == 0 and "down: broken" in called.err
    # The run fails, as the sample's loader has no model; what counts here is the host on which it failed.
    id = call("list", "--json", "--repo", checkout.root).json[0]["id"]
    call("run", id, "--kind", "cpu", "--host", "near", "--force", "--wait", "--repo", checkout.root)
    (run,) = call("runs", "--json", "--repo", checkout.root).json
    assert (run["id"], run["place"], run["state"]) == (id, "near", "finished")
    code = Path(run["directory"], "code.json").read_text()
    assert run["commit"] in code
    assert " near " in call("runs", "--repo", checkout.root).out
    wrong = call("run", id, "--host", "far", "--repo", checkout.root)
    assert wrong.code == 64 and "Hosts: near, broken." in wrong.err
    assert call("hosts", "down").code == 0
    until(lambda: hosts.cluster.status() is None, 30)
    assert "none of these machines was up" in call("hosts", "down").err
