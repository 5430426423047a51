# SPDX-License-Identifier: Apache-2.0
"""Mistakes in CI presets and in the workflows that name them."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from core.doctor.ci import ci_findings
from core.domain.model import TEST_MODULE, Finding
from core.matrix import index
from core.matrix.cache import Cache
from tests.support.tree import INFERENCE, LOADERS, write_checkout

GOOD = {
    "runs-on": "n150",
    "name": "models",
    "dir": f"./{TEST_MODULE}::test_all_models_torch",
    "test-mark": "n150 and expected_passing",
    "forge-models": True,
    "forked": True,
}
ENTRIES = """\
test_config:
  alpha/pytorch-tiny-single_device-inference:
    status: EXPECTED_PASSING
    markers: [push]
"""
FILES = {
    TEST_MODULE: "def test_all_models_torch(): ...\n\n\ndef test_all_models_jax(): ...\n",
    "tests/torch/test_add.py": "import pytest\n\n\n@pytest.mark.nightly\ndef test_add(): ...\n",
    "tests/conftest.py": (
        'def pytest_addoption(parser):\n    parser.addoption("--dump-irs")\n'
        '    parser.addoption(\n        "--disable-perf-measurement",\n    )\n'
    ),
    "pytest.ini": "[pytest]\nmarkers =\n    push: for each change\n    nightly: each night\n    large: needs room\n",
    ".github/scripts/generate_test_matrix.py": (
        "def map_runner_name(entry):\n    shared_runner_mapping = {'n150': 'label', 'n300': 'label', 'cpu': 'label'}\n"
    ),
    ".github/workflows/nightly.yml": (
        "on:\n  schedule:\n    - cron: '0 0 * * *'\njobs:\n  test:\n    uses: ./.github/workflows/call-test.yml\n"
        "    with:\n      test_suite: one.json\n"
    ),
    ".github/workflows/call-test.yml": (
        "on: workflow_call\njobs:\n  make:\n    uses: ./.github/workflows/call-generate-matrix.yml\n"
        "  run:\n    steps:\n    - run: echo ${{ matrix.build.newest-key }}\n"
    ),
    ".github/workflows/call-generate-matrix.yml": "on: workflow_call\n",
}

Examine = Callable[..., list[tuple[str, int, str]]]


@pytest.fixture
def examine(tmp_path: Path) -> Examine:
    """Kind, line and message of the findings with these objects in `one.json`, or this text."""

    def look(
        objects: str | Sequence[Mapping[str, object]], entries: str = ENTRIES, **files: str
    ) -> list[tuple[str, int, str]]:
        return [(one.kind, one.line, one.message) for one in _examined(tmp_path, objects, entries, files)]

    return look


def _examined(root: Path, objects: object, entries: str, files: Mapping[str, str]) -> Sequence[Finding]:
    checkout = write_checkout(root / "tt-xla", LOADERS, {INFERENCE: entries})
    checkout.presets.mkdir(parents=True, exist_ok=True)
    text = objects if isinstance(objects, str) else "[\n" + ",\n".join(map(json.dumps, objects)) + "\n]\n"  # type: ignore[call-overload]
    for path, content in {**FILES, ".github/workflows/test-matrix-presets/one.json": text, **files}.items():
        (checkout.root / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout.root / path).write_text(content)
    found = ci_findings(Cache(checkout, root / "cache"), index(checkout))
    assert all((checkout.root / one.file).is_file() for one in found)
    return found


def test_a_good_preset_has_no_findings(examine: Examine) -> None:
    assert (
        examine([GOOD, {**GOOD, "runs-on": "cpu", "forge-models": False, "dir": "tests/torch", "test-mark": "nightly"}])
        == []
    )


@pytest.mark.parametrize(
    "change, kind, says",
    [
        ({"test_mark": "x"}, "preset-key", "did you mean test-mark"),
        ({"parallel-group": 2}, "preset-key", "did you mean parallel-groups"),
        ({"Forked": True}, "preset-key", "did you mean forked"),
        ({"banana": 2}, "preset-key", "Nothing reads the key 'banana'; remove it"),
        ({"include": ["one.json"]}, "preset-key", "only in an object without other keys"),
        ({"forge-models": "true"}, "preset-key", "Write true without quotes"),
        ({"forge-models": "yes"}, "preset-key", "forge-models is 'yes', which counts as false"),
        ({"forge-models": 1}, "preset-key", "forge-models is 1, which counts as false"),
        ({"args": "-x --dump-ir"}, "preset-key", "pytest refuses the option --dump-ir, so that no test runs"),
        ({"args": "--disable-perf-measurment"}, "preset-key", "did you mean --disable-perf-measurement?"),
        ({"test-mark": "n150 and expected_pasing"}, "preset-mark", "did you mean expected_passing"),
        ({"test-mark": "n150 and Expected_Passing"}, "preset-mark", "did you mean expected_passing"),
        ({"test-mark": "n150 and not lareg"}, "preset-mark", "did you mean large"),
        ({"test-mark": "(n150 and expected_passing"}, "preset-mark", "pytest rejects test-mark"),
        ({"test-mark": "n150 and and push"}, "preset-mark", "pytest rejects test-mark"),
        ({"contains": "(tiny"}, "preset-mark", "pytest rejects contains"),
        ({"test-mark": "p150 and expected_passing"}, "preset-mark", "Selects tests of p150, but runs on n150"),
        ({"test-mark": "(p150 and push) or (p150 and expected_passing)"}, "preset-mark", "Selects tests of p150"),
        ({"test-mark": "expected_passing and not n150"}, "preset-mark", "Leaves out the tests of n150"),
        (
            {"test-mark": "n150 and (expected_passing or placeholder)"},
            "preset-mark",
            "No test has both placeholder and n150",
        ),
        (
            {"test-mark": "n150 and expected_passing and known_failure_xfail"},
            "preset-mark",
            "No test has both expected_passing and known_failure_xfail",
        ),
        (
            {"test-mark": "n150 and single_device and (push or tensor_parallel)"},
            "preset-mark",
            "No test has both tensor_parallel and single_device",
        ),
        ({"test-mark": "(n150 and push and inference) or (training and inference)"}, "preset-mark", "No test has both"),
        (
            {"runs-on": "n300", "test-mark": "expected_passing"},
            "wrong-machine",
            "Does not ask for n300: it runs 1 test",
        ),
        ({"dir": "./tests/runer"}, "preset-path", "did you mean tests/runner"),
        ({"dir": "./tests/runner/test_model.py"}, "preset-path", "did you mean tests/runner/test_models.py"),
        ({"dir": f"{TEST_MODULE}::test_all_models_toch"}, "preset-path", "did you mean test_all_models_torch"),
        ({"dir": f"{TEST_MODULE}::test_all_models_torch[a/pytorch-b]"}, "preset-path", "There is no test"),
        ({"dir": "tests/torch tests/gone"}, "preset-path", "There is no tests/gone"),
        (
            {"shared-runners": True, "runs-on": "p150", "test-mark": "p150 and push"},
            "preset-machine",
            "no shared runner",
        ),
        ({"shared-runners": "true", "runs-on": "p150", "test-mark": "push"}, "preset-machine", "no shared runner"),
        ({"runs-on": "n1500"}, "preset-machine", "refuse --arch n1500"),
        ({"runs-on": "wormhole_b0", "test-mark": "push"}, "preset-machine", "refuse --arch wormhole_b0"),
        ({"test-mark": "n150 and known_failure_xfail"}, "empty-job", "Selects no test"),
        ({"contains": "nothing_like_it"}, "empty-job", "Selects no test"),
        ({"forge-models": False, "dir": "tests/torch", "test-mark": "push"}, "empty-job", "Selects no test"),
    ],
)
def test_each_mistake_is_reported_at_its_line(
    examine: Examine, change: dict[str, object], kind: str, says: str
) -> None:
    other = {**GOOD, "dir": f"{TEST_MODULE}::test_all_models_jax", "test-mark": "n150 and unspecified"}
    found = [one for one in examine([other, {**GOOD, **change}]) if one[0] == kind]
    assert [(name, line) for name, line, _ in found] == [(kind, 3)]
    assert says in found[0][2]


def test_options_of_the_tests_and_of_pytest(examine: Examine) -> None:
    assert (
        examine([{**GOOD, "args": "--dump-irs --disable-perf-measurement=1 --tb=short -k dump-ir --junitxml x"}]) == []
    )


def test_what_a_new_key_is_read_by_is_found_in_the_workflows(examine: Examine) -> None:
    assert examine([{**GOOD, "newest-key": 1}]) == []


def test_a_key_that_is_missing_or_written_twice(examine: Examine) -> None:
    text = json.dumps([GOOD]).replace('"forked"', '"name": "again", "forked"')
    assert [(kind, "2 times" in said) for kind, _, said in examine(text)] == [("preset-key", True)]
    without = {key: value for key, value in GOOD.items() if key != "test-mark"}
    assert [said for kind, _, said in examine([without])] == [
        "test-mark is missing: every test of dir is selected. Write one"
    ]


def test_two_jobs_with_the_same_tests(examine: Examine) -> None:
    twice = {**GOOD, "test-mark": "expected_passing and push"}
    ((kind, line, said),) = examine([GOOD, twice])
    assert (kind, line) == ("same-job", 3)
    assert "one.json:2 runs all of its tests on n150 as well" in said
    assert examine([GOOD, {**twice, "runs-on": "p150"}]) == []
    assert examine([GOOD, {**twice, "args": "--emitpy"}]) == []


def test_a_label_that_only_one_job_has_and_that_is_like_a_known_one(examine: Examine) -> None:
    by_hand = {**GOOD, "forge-models": False, "dir": "tests/torch", "test-mark": "nightly"}
    assert [kind for kind, *_ in examine([{**by_hand, "runs-on": "n-150"}])] == ["preset-machine"]
    assert examine([{**by_hand, "runs-on": "multihost-cluster"}]) == []


def test_presets_that_nobody_names_and_names_of_none(examine: Examine) -> None:
    other = ".github/workflows/test-matrix-presets/two.json"
    assert [kind for kind, *_ in examine([GOOD], **{other: "[]"})] == ["unused-preset"]
    manual = (
        "on:\n  workflow_dispatch:\n    inputs:\n      test_suite:\n        type: choice\n        options:\n"
        "          - two.json\n          - three.json\n"
        "jobs:\n  test:\n    uses: ./.github/workflows/call-tests.yml\n    with:\n      test_suite: four.json:one.json\n"
    )
    found = examine([GOOD], **{other: "[]", ".github/workflows/manual.yml": manual})
    assert [(kind, line, said.split(":")[0]) for kind, line, said in found] == [
        ("missing-preset", 8, "There is no preset three.json"),
        ("missing-preset", 11, "There is no workflow call-tests.yml"),
        ("missing-preset", 13, "There is no preset four.json"),
    ]


def test_tests_of_a_job_that_the_runner_refuses_are_not_covered(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, LOADERS, {INFERENCE: ENTRIES})
    checkout.presets.mkdir(parents=True)
    (checkout.presets / "one.json").write_text(json.dumps([{**GOOD, "runs-on": "n1500", "test-mark": "push"}]))
    from core.ci import read_selector
    from core.sources.ci import read_jobs

    selector, _ = read_selector(index(checkout), lambda _: None)
    jobs, _ = read_jobs(checkout)
    assert [selector.items(job) for job in jobs] == [()]
    assert selector.jobs(jobs, "alpha/pytorch-tiny-single_device-inference") == []


def test_a_box_of_boards_runs_the_tests_of_its_boards(examine: Examine) -> None:
    job = {**GOOD, "runs-on": "lb-blackhole", "test-mark": "p150 and expected_passing"}
    assert examine([job]) == []


@pytest.mark.parametrize(
    "mark",
    [
        "(n150 and expected_passing) or placeholder",
        "n150 and (expected_passing or unspecified) and not known_failure_xfail",
        "n150 and push and (inference or training) and not tensor_parallel",
        "n150 and (push or not single_device)",
        "expected_passing",
    ],
)
def test_parts_that_some_test_may_fit(examine: Examine, mark: str) -> None:
    """The entry's archs are n150 and p150, so that its job need not ask for n150."""
    assert examine([{**GOOD, "test-mark": mark}]) == []


def test_markers_of_hand_written_tests_may_be_any(examine: Examine) -> None:
    job = {
        **GOOD,
        "runs-on": "cpu",
        "forge-models": False,
        "dir": "tests/torch",
        "test-mark": "nightly or (push and large)",
    }
    assert examine([job]) == []


def test_a_marker_that_an_entry_adds_is_no_contradiction(examine: Examine) -> None:
    entries = ENTRIES.replace("[push]", "[push, data_parallel]")
    kinds = [kind for kind, *_ in examine([{**GOOD, "test-mark": "n150 and single_device and data_parallel"}], entries)]
    assert "preset-mark" not in kinds


def test_where_no_entry_can_be_read_a_job_must_ask_for_its_machine(examine: Examine) -> None:
    jobs = [
        {**GOOD, "runs-on": machine, "test-mark": mark}
        for machine, mark in (("n300", "push"), ("n300", "n300 and push"))
    ]
    assert [(kind, line) for kind, line, _ in examine(jobs, "test_config: {}\n") if kind == "wrong-machine"] == [
        ("wrong-machine", 2)
    ]


LLMBOX = "import pytest\n\n\n@pytest.mark.nightly\n@pytest.mark.llmbox\ndef test_wide(): ...\n"


@pytest.mark.parametrize(
    ("mark", "machine", "found"),
    [
        ("nightly", "n150", True),
        ("nightly and not llmbox", "n150", False),
        ("nightly", "n300-llmbox", False),
        ("nightly", "cpu", False),
    ],
)
def test_a_job_that_runs_tests_marked_for_another_machine(
    examine: Examine, mark: str, machine: str, found: bool
) -> None:
    job = {**GOOD, "runs-on": machine, "dir": "./tests/torch", "test-mark": mark, "forge-models": False}
    kinds = [kind for kind, _, _ in examine([job], **{"tests/torch/test_wide.py": LLMBOX})]
    assert kinds == (["wrong-machine"] if found else [])
