# SPDX-License-Identifier: Apache-2.0
"""Jobs of a nightly are joined with the rows of presets at the head of its run, not with those of the work tree."""

import json
from pathlib import Path
from typing import Any

import pytest

from core import providers
from core.evidence.ci_runs import job_name
from core.evidence.nightly import row_of
from core.matrix import Universe
from core.matrix.cache import Cache
from core.sources import Checkout
from core.sources.ci import Job, Preset
from tests.support.ci_night import Night, nightly
from tests.support.cli import call
from tests.support.git import git
from tests.support.github_server import GitHub, reached
from tests.support.sample import sample_checkout

hub = pytest.fixture(reached)
PRESET = "model-test-passing.json"
MARK = "{} and nightly and inference and expected_passing"


def written(checkout: Checkout, *rows: dict[str, object]) -> str:
    """Commit a preset; the commit."""
    checkout.presets.mkdir(parents=True, exist_ok=True)
    (checkout.presets / PRESET).write_text(json.dumps(rows))
    git(checkout.root, "add", "-A")
    git(checkout.root, "commit", "-qm", "Presets")
    return git(checkout.root, "rev-parse", "HEAD").strip()


def row(arch: str, **more: object) -> dict[str, object]:
    where = {"runs-on": arch, "name": "run_forge_models", "dir": "./tests/runner/test_models.py"}
    return where | {"test-mark": MARK.format(arch), "forge-models": "true"} | more


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "tt-xla")


def jobs(checkout: Checkout) -> dict[str, Any]:
    found = nightly(checkout, "--json").json["jobs"]
    return {one["name"].rpartition(" ")[2].rstrip(")"): one for one in found}


def test_the_row_is_that_of_the_head_and_not_of_the_work_tree(hub: GitHub, checkout: Checkout) -> None:
    head = written(checkout, row("p150"), row("n150", **{"parallel-groups": 2}))
    written(checkout, row("n150"))
    night = Night(hub, 20, head)
    ids = {"tabular_fusion/pytorch-Small-single_device-inference": "pass"}
    for index in (1, 2):
        night.models("n150", ids, index=index)
    night.models("galaxy", ids, index=7)
    night.job("Build tt-xla / build")
    found = jobs(checkout)
    assert found["1"]["preset"] == {
        "file": PRESET, "index": 1, "name": "run_forge_models", "group": 1, "groups": 2
    }  # fmt: skip
    assert found["2"]["preset"]["group"] == 2
    assert (found["7"]["preset"], found["7"]["row_gone"]) == (None, True)
    assert not found["1"]["row_gone"] and not found["build"]["row_gone"]
    text = call("nightly", "--repo", checkout.root).out
    assert "1 job: no preset has its row at the head of the run" in text


def selected_in(checkout: Checkout, directory: Path) -> int:
    """How many tests the row selects in the work tree."""
    cache = Cache(checkout, directory / "cache")
    matrix, _ = cache.index(Universe.COLLECTED)
    found = providers.selections(cache, matrix, providers.model_infos(cache, matrix)).by_id.values()
    return sum(any(one.job.file == PRESET for one in some) for some in found)


def test_what_a_job_should_have_run_is_said_by_the_entries_of_the_head(
    hub: GitHub, checkout: Checkout, tmp_path: Path
) -> None:
    head = written(checkout, row("n150"))
    count = selected_in(checkout, tmp_path)
    assert count > 2
    # The work tree has other entries and other presets by now.
    for file in checkout.test_config.rglob("*.yaml"):
        file.write_text(file.read_text().replace("EXPECTED_PASSING", "NOT_SUPPORTED_SKIP"))
    written(checkout, row("p150"))
    night = Night(hub, 20, head)
    job = night.models("n150", {}, report=False, log="Killed")
    jobs(checkout)
    done = call("nightly", "20", "--job", job, "--json", "--repo", checkout.root)
    assert done.code == 1, done.err
    assert len(done.json["expected"]) == count and done.json["without_result"] == done.json["expected"]
    some = done.json["expected"][:2]
    other = Night(hub, 21, head)
    job = other.models("n150", dict.fromkeys(some, "pass"))
    jobs(checkout)
    again = call("nightly", "21", "--job", job, "--json", "--repo", checkout.root).json
    assert sorted(again["reported"]) == sorted(some)
    assert set(again["without_result"]) == set(again["expected"]) - set(some)
    text = call("nightly", "21", "--job", job, "--repo", checkout.root)
    assert f"{PRESET} row 0" in text.err and f"2 tests reported of {count}" in text.err


def test_without_the_head_nothing_is_claimed(hub: GitHub, checkout: Checkout) -> None:
    job = Night(hub, 20).models("n150", {"a/b": "pass"})
    assert not jobs(checkout)["0"]["row_gone"]
    found = call("nightly", "--job", job, "--json", "--repo", checkout.root).json
    assert found["expected"] is None and "does not have the head" in found["unknown"]


def _preset(*rows: Job) -> Preset:
    return Preset("a.json", rows)


def test_places_count_copies_and_shared_runners_have_other_names() -> None:
    shared = Job("a.json", 0, "r", "n150", ".", "a and (b or c)", parallel_groups=3, shared_runners=True)
    own = Job("a.json", 1, "r", "p150", ".", "a and (b or c)")
    presets = [_preset(shared, own)]
    name = "x / test a and (b or c) ({}, r, {})"
    found = row_of(job_name(name.format("tt-ubuntu-2204-n150-stable", 2)), presets)
    assert found is not None and (found.row, found.group) == (shared, 3)
    found = row_of(job_name(name.format("p150", 3)), presets)
    assert found is not None and (found.row, found.group) == (own, 1)
    # Of a call that filters its preset, the place is another one.
    found = row_of(job_name(name.format("p150", 0)), [_preset(own)])
    assert found is not None and found.group == 1
    assert row_of(job_name("x / test other (p150, r, 3)"), presets) is None
    assert row_of(job_name("perf-benchmark / run / perf resnet (n150)"), presets) is None


@pytest.mark.parametrize("removed", [True, False])
def test_a_group_whose_row_was_removed_is_no_lost_one(hub: GitHub, checkout: Checkout, removed: bool) -> None:
    before = written(checkout, row("n150"), row("p150"))
    after = written(checkout, row("n150", timeout=7), *([] if removed else [row("p150")]))
    ids = {"a/b": "pass"}
    night = Night(hub, 20, before)
    night.models("n150", ids)
    night.models("p150", ids, index=1)
    Night(hub, 21, after).models("n150", ids)
    jobs(checkout)
    done = call("nightly", "--repo", checkout.root)
    words = "is in no preset any more: p150-p150_and" if removed else "is not in this one: p150-p150_and"
    assert done.code == (0 if removed else 1) and words in done.out
    assert "1 cell of groups that are not in this run" in done.out
