# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix perf` over nights of CI: where each number of a benchmark changed, and the commits between."""

import random
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.ci_night import Night, ingest
from tests.support.cli import call
from tests.support.git import committed_checkout, git
from tests.support.github_server import GitHub, reached
from tests.support.tree import sample

hub = pytest.fixture(reached)
NIGHTS = range(1, 21)
SLOWER = 12
"""The first night of another tt-mlir."""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def commits(checkout: Checkout) -> tuple[str, str]:
    """Two heads with another tt-mlir."""
    build = checkout.root / "third_party/CMakeLists.txt"
    build.parent.mkdir(exist_ok=True)
    build.write_text('set(TT_MLIR_VERSION "aaaa1111")\n')
    committed_checkout(checkout)
    before = git(checkout.root, "rev-parse", "HEAD").strip()
    build.write_text('set(TT_MLIR_VERSION "bbbb2222")\n')
    git(checkout.root, "commit", "-qam", "Uplift tt-mlir")
    return before, git(checkout.root, "rev-parse", "HEAD").strip()


def test_each_number_has_its_changes_with_the_commits_between(hub: GitHub, checkout: Checkout) -> None:
    before, after = commits(checkout)
    chance = random.Random(3)
    for number in NIGHTS:
        night = Night(hub, number, before if number < SLOWER else after)
        if number in (5, 6):
            continue  # It did not get so far.
        part = 0.88 if number >= SLOWER else 1.0
        some: dict[str, float] = {
            "ttft": 80.0 * (1 + chance.uniform(-0.04, 0.04)) * (1.4 if number >= SLOWER else 1),
            "decode_tokens_per_second": 30.0 * (1 + chance.uniform(-0.04, 0.04)),
            "device_fw_duration": 0.01 * (0.5 if number == 9 else 1),
        }
        night.benchmark("llama", "n150-perf", 100.0 * part * (1 + chance.uniform(-0.04, 0.04)), more=some)
        if number == NIGHTS[-1]:
            night.benchmark("fresh", "n150-perf", 10.0)
    ingest(checkout, "--since", "9999")
    done = call("perf", "--json", "--repo", checkout.root)
    assert done.code == 1, done.err
    found = {one["id"]: one["numbers"] for one in done.json}
    llama = found["llama"]
    assert {name: one["trend"] for name, one in llama.items()} == {
        "samples_per_s": "regressed", "ttft": "regressed", "decode_tokens_per_second": "steady",
        "device_fw_duration": "steady",
    }  # fmt: skip
    (change,) = llama["samples_per_s"]["changes"]
    assert (change["kind"], change["last"]["run"], change["first"]["run"]) == ("step", "nightly-11", "nightly-12")
    assert change["change"] == pytest.approx(-0.12, abs=0.03)
    assert change["commits"][0]["commits"][0]["subject"] == "Uplift tt-mlir"
    assert [(pin["name"], pin["before"], pin["after"]) for pin in change["pins"]] == [
        ("tt-mlir", "aaaa1111", "bbbb2222")
    ]
    assert {one["trend"] for one in found["fresh"].values()} == {"no baseline"}
    history = call("perf", "--history", "--repo", checkout.root).out
    assert f"between nightly-11 and nightly-12, commits {before[:10]}..{after[:10]}" in history
    assert "nightly-11 to nightly-12: tt-xla: 1 commit;" in history
    assert "tt-mlir: aaaa1111 -> bbbb2222" in history
    table = call("perf", "--repo", checkout.root).out
    assert "no baseline" in next(line for line in table.splitlines() if line.startswith("fresh"))
    (speed,) = (
        one
        for one in call("nightly", "--json", "--repo", checkout.root).json["performance"]
        if (one["model"], one["metric"]) == ("llama", "samples/s")
    )
    assert (speed["trend"], speed["since"], speed["last"]) == ("regressed", "nightly-12", "nightly-11")
