# SPDX-License-Identifier: Apache-2.0
"""Preset files: fields, includes, and what is wrong with them."""

import json
from pathlib import Path

import pytest

from core.base import files
from core.sources import Checkout
from core.sources.ci import Job, Preset, read_presets
from tests.support.tree import sample

OBJECT = {"runs-on": "n150", "name": "models", "dir": "./tests/runner", "test-mark": "n150 and push"}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = sample(tmp_path)
    checkout.presets.mkdir(parents=True)
    return checkout


def _write(checkout: Checkout, **files: object) -> tuple[Preset, ...]:
    """Write presets and read them back; nothing may be wrong with them."""
    for name, document in files.items():
        (checkout.presets / f"{name}.json").write_text(json.dumps(document))
    presets, findings = read_presets(checkout)
    assert findings == ()
    return presets


def _findings(checkout: Checkout, **files: object) -> list[tuple[str, str]]:
    """File name and message of each finding."""
    for name, document in files.items():
        text = document if isinstance(document, str) else json.dumps(document)
        (checkout.presets / f"{name}.json").write_text(text)
    found = read_presets(checkout)[1]
    assert all(finding.kind == "broken-preset" for finding in found)
    return [(Path(finding.file).name, finding.message) for finding in found]


def test_every_field_stays(checkout: Checkout) -> None:
    fields = {
        "contains": "ResNet50",
        "args": "--emitpy --force-run",
        "parallel-groups": 3,
        "shared-runners": "true",
        "forge-models": True,
        "forked": "true",
        "require": "release",
        "extra-wheel": "vllm",
        "topology": "n300_llmbox",
        "multihost": True,
    }
    ((job,),) = [preset.jobs for preset in _write(checkout, one=[OBJECT | fields])]
    assert job == Job(
        file="one.json",
        index=0,
        name="models",
        runs_on="n150",
        dir="./tests/runner",
        test_mark="n150 and push",
        contains="ResNet50",
        args="--emitpy --force-run",
        parallel_groups=3,
        shared_runners=True,
        forge_models=True,
        forked=True,
        require="release",
        extra_wheel="vllm",
        topology="n300_llmbox",
        multihost=True,
    )
    assert job.force_run


def test_only_jobs_of_forge_models_are_given_an_arch(checkout: Checkout) -> None:
    texts = [
        OBJECT,
        OBJECT | {"forge-models": True},
        OBJECT | {"forge-models": "true"},
        OBJECT | {"forge-models": "yes"},
    ]
    (preset,) = _write(checkout, one=texts)
    assert [job.arch for job in preset.jobs] == [None, "n150", "n150", None]


def test_includes_are_in_place_and_keep_their_origin(checkout: Checkout) -> None:
    presets = _write(
        checkout,
        outer=[OBJECT, {"include": ["middle.json"]}, OBJECT | {"name": "last"}],
        middle=[{"include": ["./inner.json", "inner.json"]}],
        inner=[OBJECT | {"name": "deep"}],
    )
    jobs = {preset.file: [(job.file, job.index, job.name) for job in preset.jobs] for preset in presets}
    deep = ("inner.json", 0, "deep")
    assert jobs["outer.json"] == [("outer.json", 0, "models"), deep, deep, ("outer.json", 2, "last")]
    assert jobs["middle.json"] == [deep, deep]


def test_a_cycle_of_includes_is_a_finding_and_the_rest_loads(checkout: Checkout) -> None:
    found = _findings(checkout, a=[OBJECT, {"include": ["b.json"]}], b=[{"include": ["./a.json"]}, OBJECT])
    assert ("b.json", "Includes itself: a.json > b.json > a.json") in found
    presets = {preset.file: preset.jobs for preset in read_presets(checkout)[0]}
    assert [job.file for job in presets["a.json"]] == ["a.json", "b.json"]


@pytest.mark.parametrize("outside", ["../pr.json", "/etc/hosts", "sub/../../pr.json"])
def test_an_include_cannot_leave_the_presets(checkout: Checkout, outside: str) -> None:
    (checkout.presets.parent / "pr.json").write_text(json.dumps([OBJECT]))
    ((name, message),) = _findings(checkout, a=[{"include": [outside]}, OBJECT])
    assert name == "a.json"
    assert outside in message
    assert len(read_presets(checkout)[0][0].jobs) == 1


def test_a_missing_include_is_one_finding_at_the_missing_file(checkout: Checkout) -> None:
    ((name, message),) = _findings(checkout, a=[{"include": ["gone.json"]}], b=[{"include": ["gone.json"]}])
    assert name == "gone.json"
    assert "Cannot read" in message


def test_broken_json_is_a_finding_with_its_place(checkout: Checkout) -> None:
    _write(checkout, good=[OBJECT])
    (checkout.presets / "bad.json").write_text('[\n  {"runs-on": }\n]')
    presets, (finding,) = read_presets(checkout)
    assert (finding.file, finding.line) == (".github/workflows/test-matrix-presets/bad.json", 2)
    assert [len(preset.jobs) for preset in presets] == [0, 1]


def test_a_broken_preset_may_go_while_it_is_read(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    def last_read(path: Path) -> str:
        text = files.read_text(path)
        path.unlink()
        return text

    monkeypatch.setattr("core.sources.ci.presets.read_text", last_read)
    ((_, message),) = _findings(checkout, bad="[\n<<<<<<< HEAD\n]")
    assert "conflict" in message


@pytest.mark.parametrize("text", ["{}", "3", "[" * 100_000])
def test_what_is_no_list_is_a_finding(checkout: Checkout, text: str) -> None:
    assert [name for name, _ in _findings(checkout, bad=text)] == ["bad.json"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"runs-on": ""}, "runs-on"),
        ({"runs-on": None}, "runs-on"),
        ({"dir": ["a"]}, "dir"),
        ({"test-mark": 3}, "test-mark"),
        ({"shared-runners": "yes"}, "shared-runners"),
        ({"parallel-groups": 0}, "parallel-groups"),
        ({"parallel-groups": "3"}, "parallel-groups"),
        ({"parallel-groups": True}, "parallel-groups"),
        ({"parallel-groups": 10**9}, "parallel-groups"),
    ],
)
def test_an_object_the_generator_cannot_take_is_left_out(
    checkout: Checkout, change: dict[str, object], said: str
) -> None:
    ((name, message),) = _findings(checkout, one=[OBJECT | change, OBJECT])
    assert name == "one.json"
    assert message.startswith("Object 0 is left out:")
    assert said in message
    assert [job.index for job in read_presets(checkout)[0][0].jobs] == [1]


def test_what_is_wrong_with_an_included_file_is_said_once(checkout: Checkout) -> None:
    found = _findings(checkout, a=[{"include": ["c.json"]}], b=[{"include": ["c.json"]}], c=["x"])
    assert found == [("c.json", "Object 0 is left out: not an object")]


def test_a_null_field_is_as_good_as_none(checkout: Checkout) -> None:
    nothing = {"contains": None, "test-mark": None, "shared-runners": None, "parallel-groups": None}
    ((job,),) = [preset.jobs for preset in _write(checkout, one=[OBJECT | nothing])]
    assert (job.contains, job.test_mark, job.shared_runners, job.parallel_groups) == ("", "", False, 1)


def test_what_is_no_object_is_left_out(checkout: Checkout) -> None:
    assert [message for _, message in _findings(checkout, one=["x", {"include": "a.json"}])] == [
        "Object 0 is left out: not an object",
        "include must be a list of file names",
    ]


def test_without_presets_there_are_none(tmp_path: Path) -> None:
    assert read_presets(sample(tmp_path)) == ((), ())
