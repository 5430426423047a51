# SPDX-License-Identifier: Apache-2.0
"""Jobs, each once, with what runs them."""

import json
from pathlib import Path

from core.sources.ci import read_jobs, scheduled
from tests.support.tree import sample

OBJECT = {"runs-on": "n150", "name": "models", "dir": "./tests/runner"}


def test_an_included_job_is_there_once_and_has_the_triggers_of_all_its_presets(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    checkout.presets.mkdir(parents=True)
    for name, document in {
        "a": [{"include": ["shared.json"]}, OBJECT],
        "shared": [OBJECT, OBJECT],
        "idle": [OBJECT],
    }.items():
        (checkout.presets / f"{name}.json").write_text(json.dumps(document))
    for name, event, preset in (("one", "push", "a"), ("two", "pull_request", "shared")):
        call = f"jobs: {{x: {{with: {{test_suite: {preset}.json}}}}}}"
        (checkout.presets.parent / f"{name}.yml").write_text(f"on: {event}\n{call}\n")
    jobs, findings = read_jobs(checkout)
    assert findings == ()
    assert [(job.file, job.index, [one.workflow for one in triggers]) for job, triggers in jobs.items()] == [
        ("a.json", 1, ["one.yml"]),
        ("idle.json", 0, []),
        ("shared.json", 0, ["one.yml", "two.yml"]),
        ("shared.json", 1, ["one.yml", "two.yml"]),
    ]
    assert [job.file for job in scheduled(jobs)] == ["a.json", "shared.json", "shared.json"]


def test_an_uplift_is_no_schedule(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    checkout.presets.mkdir(parents=True)
    (checkout.presets / "a.json").write_text(json.dumps([OBJECT]))
    (checkout.presets.parent / "main.yml").write_text("on: push\n")
    config = tmp_path / ".github/scripts/uplift/uplift-config.json"
    config.parent.mkdir(parents=True)
    config.write_text('[{"test_matrix": "a.json"}]')
    jobs = read_jobs(checkout)[0]
    assert [len(triggers) for triggers in jobs.values()] == [1]
    assert scheduled(jobs) == {}


def test_findings_of_presets_and_workflows_are_gathered(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    checkout.presets.mkdir(parents=True)
    (checkout.presets / "bad.json").write_text("[")
    (checkout.presets.parent / "bad.yml").write_text("[")
    assert [one.kind for one in read_jobs(checkout)[1]] == ["broken-preset", "broken-workflow"]
