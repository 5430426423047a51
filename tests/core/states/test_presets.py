# SPDX-License-Identifier: Apache-2.0
"""core.states.presets: a preset or a job in another file is the same one, and no test leaves CI for that."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.cli.states_report import difference_record
from core.sources import Checkout
from core.states import Difference, Item, check_against, difference, read_base, sections
from tests.support.states import JOB, MODELS, PRESET, WORKFLOW, commit, states_of, with_submodule
from tests.support.tree import INFERENCE
from tui.view_models import state_rows

CONFIG = f"tests/runner/test_config/{INFERENCE}"
TINY = "alpha/pytorch-tiny-single_device-inference"
NIGHTLY = ".github/workflows/nightly.yml"
OTHER = PRESET.replace("push", "merge")
UNMARKED = JOB | {"name": "jax", "test-mark": "p150 and pushed"}
BOTH = json.dumps([JOB, UNMARKED])


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """One test that the first of two jobs runs."""
    checkout = with_submodule(tmp_path / "tt-xla")
    yaml = (checkout.root / CONFIG).read_text()
    entry = f"  {TINY}:\n    status: EXPECTED_PASSING\n"
    commit(checkout, "marked", {CONFIG: yaml.replace(entry, f"{entry}    markers: [push]\n"), PRESET: BOTH})
    return checkout


def between(checkout: Checkout, texts: Mapping[str, str | None]) -> Difference:
    commit(checkout, "next", texts)
    states = states_of(checkout, checkout.root.parent / "cache")
    return difference(states.at("HEAD~1"), states.at("HEAD"))


def told(found: Difference) -> dict[str, tuple[Item, ...]]:
    return {one.title: one.items for one in sections(found)}


def test_a_preset_that_is_only_renamed(checkout: Checkout) -> None:
    scheduled = WORKFLOW.format(preset="model-test-merge")
    found = between(checkout, {PRESET: None, OTHER: BOTH, NIGHTLY: scheduled})
    assert told(found) == {
        "1 preset renamed": (Item("model-test-push.json -> model-test-merge.json: the same jobs"),),
        "1 other file changed": (Item("", (NIGHTLY,)),),
    }
    assert not found.is_empty
    record = difference_record(found)
    assert [(one.from_, one.to) for one in record.presets.renamed] == [
        ("model-test-push.json", "model-test-merge.json")
    ]
    assert (record.jobs, record.presets.moved) == ([], [])
    (row,) = (one for one in state_rows(found, MODELS) if one.what == "preset renamed")
    assert (row.name, row.files) == ("model-test-push.json -> model-test-merge.json", (PRESET, OTHER))


def test_what_was_found_about_it_before_is_not_new(checkout: Checkout) -> None:
    odd = json.dumps([JOB, JOB | {"name": "again"}, JOB | {"dir": "./tests/nowhere"}])
    commit(checkout, "two mistakes", {PRESET: odd})
    found = between(checkout, {PRESET: None, OTHER: odd, NIGHTLY: WORKFLOW.format(preset="model-test-merge")})
    assert (found.new, found.gone) == ((), ())
    states = states_of(checkout, checkout.root.parent / "cache")
    assert any("model-test-merge.json" in one.message for one in states.at("HEAD").findings)
    assert check_against(states, read_base(checkout, "HEAD^", {})).findings == ()


def test_a_preset_that_is_renamed_and_changed(checkout: Checkout) -> None:
    changed = json.dumps([JOB | {"test-mark": "n150 and pushed"}, UNMARKED])
    found = between(checkout, {PRESET: None, OTHER: changed, NIGHTLY: WORKFLOW.format(preset="model-test-merge")})
    said = told(found)
    assert said["1 preset renamed"] == (
        Item("model-test-push.json -> model-test-merge.json: not all jobs are the same"),
    )
    (left,) = found.left
    assert (left.id, left.why) == (TINY, ("model-test-push.json: torch: mark: n150 and push -> n150 and pushed",))
    (job,) = found.jobs
    assert (job.job.file, job.lost, job.why) == (
        "model-test-merge.json",
        (TINY,),
        "mark: n150 and push -> n150 and pushed",
    )


def test_a_preset_that_is_renamed_where_no_workflow_names_it_leaves_ci(checkout: Checkout) -> None:
    found = between(checkout, {PRESET: None, OTHER: BOTH})
    assert "1 test leaves CI" in told(found)
    assert found.left[0].why == ("model-test-push.json: torch: no workflow schedules it any more",)


def test_a_job_that_is_renamed(checkout: Checkout) -> None:
    found = between(checkout, {PRESET: json.dumps([JOB | {"name": "torch-models"}, UNMARKED])})
    (item,) = told(found)["1 CI job with the same tests, run in another way"]
    assert item.text == "model-test-push.json: torch-models on n150 (n150 and push): name: torch -> torch-models"
    assert (found.left, found.jobs) == ((), ())


def test_a_job_that_moves_to_another_preset(checkout: Checkout) -> None:
    weekly = WORKFLOW.format(preset="model-test-merge").replace("'0 0 * * *'", "'0 0 * * 0'")
    there = {OTHER: json.dumps([UNMARKED | {"runs-on": "n300"}]), ".github/workflows/weekly.yml": weekly}
    commit(checkout, "another preset", there)
    moved = {PRESET: json.dumps([UNMARKED]), OTHER: json.dumps([UNMARKED | {"runs-on": "n300"}, JOB])}
    found = between(checkout, moved)
    assert (found.left, found.jobs, found.presets) == ((), (), ())
    (item,) = told(found)["1 CI job with the same tests, run in another way"]
    assert item.text == (
        "model-test-merge.json: torch on n150 (n150 and push): scheduled: nightly -> weekly; "
        "preset: model-test-push.json -> model-test-merge.json"
    )
    (one,) = difference_record(found).presets.moved
    assert (one.from_.file, one.from_.index) == ("model-test-push.json", 0)
    assert (one.to.file, one.to.index) == ("model-test-merge.json", 1)


def test_a_preset_with_other_jobs_is_another_one(checkout: Checkout) -> None:
    jobs = json.dumps([JOB | {"dir": "./tests/torch"}, UNMARKED | {"dir": "./tests/jax"}])
    found = between(checkout, {PRESET: None, OTHER: jobs, NIGHTLY: WORKFLOW.format(preset="model-test-merge")})
    assert found.presets == ()
    assert "1 test leaves CI" in told(found)
