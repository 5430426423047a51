# SPDX-License-Identifier: Apache-2.0
"""core.states.differing: exactly what differs is there, and both directions agree."""

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from core.edits import OpKind
from core.sources import WORK_TREE, Checkout
from core.states import Difference, FieldChange, State, States, difference, lowers_gate, moves, sections, touched
from core.states.renaming import Rename
from tests.support.git import git
from tests.support.states import JOB, MODELS, PRESET, WORKFLOW, commit, states_of, with_submodule, write
from tests.support.tree import INFERENCE, TRAINING, loader_source

CONFIG = f"tests/runner/test_config/{INFERENCE}"
PLANNED = "tests/runner/test_config/torch/test_config_placeholders.yaml"
TINY = "alpha/pytorch-tiny-single_device-inference"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"
NAME = "alpha/pytorch-org/name-single_device-inference"
GONE = "alpha/pytorch-gone-single_device-training"
NIGHTLY = ".github/workflows/nightly.yml"
BUILD = "third_party/CMakeLists.txt"
REQUIREMENTS = "python_package/requirements.txt"
HANDWRITTEN = "tests/torch/ops/test_add.py"
LOADER = f"{MODELS}/alpha/pytorch/loader.py"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A history in which each commit changes one kind of thing; each has a tag."""
    checkout = with_submodule(tmp_path_factory.mktemp("history") / "tt-xla")
    yaml = (checkout.root / CONFIG).read_text()
    passing = f"{TINY}:\n    status: EXPECTED_PASSING"
    assert passing in yaml
    pushed = yaml.replace(passing, f"{passing}\n    markers: [push]")
    steps: Mapping[str, Mapping[str, str | None]] = {
        "start": {},
        "pushed": {CONFIG: pushed},
        "lowered": {CONFIG: pushed.replace("[push]", "[push]\n    required_pcc: 0.9\n    assert_pcc: false")},
        "xfail": {CONFIG: pushed.replace("status: EXPECTED_PASSING", "status: KNOWN_FAILURE_XFAIL", 1)},
        "unmarked": {CONFIG: pushed, PRESET: json.dumps([JOB | {"test-mark": "n150 and pushed"}])},
        "unscheduled": {PRESET: json.dumps([JOB]), NIGHTLY: WORKFLOW.format(preset="another")},
        "variants": {NIGHTLY: WORKFLOW.format(preset="model-test-push"), LOADER: loader_source(["tiny", "gone"])},
        "helper": {f"{MODELS}/alpha/pytorch/src/used.py": "x = 1\n", LOADER: _importing(["tiny", "gone"])},
        "helped": {f"{MODELS}/alpha/pytorch/src/used.py": "x = 2\n", f"{MODELS}/alpha/pytorch/requirements.txt": "a\n"},
        "moved": {LOADER: None, f"{MODELS}/omega/pytorch/loader.py": _importing(["tiny", "gone"])},
        "pins": {
            BUILD: 'set(TT_MLIR_VERSION "aaaa1111")\n',
            REQUIREMENTS: "transformers==5.1\ntorch@https://example.org/torch-2.9.0%2Bcpu-cp312-cp312-linux.whl\nplain\n",
        },
        "pinned": {BUILD: 'set(TT_MLIR_VERSION "bbbb2222")\n', REQUIREMENTS: "transformers == 5.2  # why\nother==1\n"},
        "planned": {PLANNED: "PLACEHOLDER_MODELS:\n  sigma:\n    bringup_status: NOT_STARTED\n"},
        "real": {f"{MODELS}/sigma/pytorch/loader.py": loader_source(["Base"])},
        "handwritten": {HANDWRITTEN: "def test_add(): ...\n\n\ndef test_sub(): ...\n"},
        "fewer": {HANDWRITTEN: "def test_add(): ...\n"},
        "dropped": {CONFIG: pushed[: pushed.index("  alpha/pytorch-org/name")]},
        "same": {CONFIG: "# only a comment\n" + pushed[: pushed.index("  alpha/pytorch-org/name")]},
    }
    for name, texts in steps.items():
        commit(checkout, name, texts)
        git(checkout.root, "tag", name)
    return checkout


def _importing(variants: list[str]) -> str:
    return f"from .src.used import x\n{loader_source(variants)}"


@pytest.fixture(scope="module")
def states(checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> States:
    return states_of(checkout, tmp_path_factory.mktemp("cache"))


def between(states: States, before: str, after: str) -> Difference:
    return difference(states.at(before), states.at(after))


def test_a_state_does_not_differ_from_itself(states: States, checkout: Checkout) -> None:
    for name in [*git(checkout.root, "tag").split(), WORK_TREE]:
        assert between(states, name, name).is_empty, name
    assert between(states, "same", WORK_TREE).is_empty
    assert between(states, "dropped", "same").is_empty, "entries are compared by what they mean"


def test_both_directions_agree(states: States, checkout: Checkout) -> None:
    names = git(checkout.root, "tag").split()
    known: dict[str, State] = {name: states.at(name) for name in names}
    for one, other in product(names, names):
        there, back = difference(known[one], known[other]), difference(known[other], known[one])
        swapped = (
            ("added", "removed"),
            ("entries_added", "entries_removed"),
            ("orphaned", "reached"),
            ("handwritten_added", "handwritten_removed"),
            ("new", "gone"),
        )
        for more, less in swapped:
            assert getattr(there, more) == getattr(back, less), (one, other, more)
            assert getattr(there, less) == getattr(back, more), (one, other, less)
        assert {(a.after, a.before) for a in there.renamed} == {(a.before, a.after) for a in back.renamed}
        changed = {(a.id, a.arch, a.field, str(a.after), str(a.before)) for a in there.changed}
        assert changed == {(a.id, a.arch, a.field, str(a.before), str(a.after)) for a in back.changed}
        assert sorted((a.lost, a.gained) for a in there.jobs) == sorted((a.gained, a.lost) for a in back.jobs)
        assert [(a.loader, a.files) for a in there.loaders] == [(a.loader, a.files) for a in back.loaders]
        assert [(a.name, a.after, a.before) for a in there.pins] == [(a.name, a.before, a.after) for a in back.pins]


def test_a_field_and_the_job_that_follows_from_it(states: States) -> None:
    found = between(states, "start", "pushed")
    assert found.changed == (FieldChange(TINY, None, "markers", None, ["push"]),)
    (job,) = found.jobs
    assert (job.job.file, job.job.index, job.gained, job.lost, job.why) == (
        "model-test-push.json",
        0,
        (TINY,),
        (),
        "",
    )
    assert found.left == ()
    (back,) = between(states, "pushed", "start").left
    assert (back.id, back.machines, back.stays, back.why) == (TINY, ("n150",), False, ())


def test_gates_that_fall(states: States) -> None:
    lowered = between(states, "pushed", "lowered")
    assert {one.field for one in lowered.fallen} == {"required_pcc", "assert_pcc"}
    assert between(states, "lowered", "pushed").fallen == ()
    xfail = between(states, "pushed", "xfail")
    assert [(one.id, one.arch, one.field) for one in xfail.fallen] == [(TINY, None, "status")]


@pytest.mark.parametrize(
    ("field", "before", "after", "falls"),
    [
        ("status", "EXPECTED_PASSING", "NOT_SUPPORTED_SKIP", True),
        ("status", "KNOWN_FAILURE_XFAIL", "EXCLUDE_MODEL", True),
        ("status", "NOT_SUPPORTED_SKIP", "KNOWN_FAILURE_XFAIL", False),
        ("status", "NOT_SUPPORTED_SKIP", "EXCLUDE_MODEL", False),
        ("required_pcc", 0.99, 0.98, True),
        ("required_pcc", 0.98, 0.99, False),
        ("required_pcc", 0.98, "0.5", False),
        ("assert_pcc", True, False, True),
        ("assert_pcc", None, False, True),
        ("assert_pcc", False, "false", False),
        ("required_atol", 0.1, 0.2, True),
        ("allclose_rtol", 0.2, 0.1, False),
        ("reason", "a", "b", False),
    ],
)
def test_what_lowers_a_gate(field: str, before: object, after: object, *, falls: bool) -> None:
    assert lowers_gate(FieldChange(TINY, None, field, before, after)) is falls


def test_ci_is_left_through_presets_and_workflows(states: States) -> None:
    for before, after, why in (
        ("pushed", "unmarked", "mark: n150 and push -> n150 and pushed"),
        ("pushed", "unscheduled", "no workflow schedules it any more"),
    ):
        found = between(states, before, after)
        (left,), (job,) = found.left, found.jobs
        assert (left.id, left.machines) == (TINY, ("n150",))
        assert left.why == (f"model-test-push.json: torch: {why}",)
        assert (job.lost, job.gained, job.why) == ((TINY,), (), why)


def test_variants_and_the_entries_that_they_reach(states: States) -> None:
    found = between(states, "unscheduled", "variants")
    assert found.orphaned == tuple(sorted((NET, NAME)))
    assert found.reached == (GONE,)
    assert {id for id in found.added if "-gone-" not in id} == set()
    assert {"alpha/pytorch-gone-single_device-inference", GONE} < set(found.added)
    assert found.entries_added == found.entries_removed == ()
    assert {one.kind for one in found.new} >= {"unknown-id"}


def test_code_behind_a_loader(states: States) -> None:
    (change,) = between(states, "helper", "helped").loaders
    assert change.loader == "alpha/pytorch"
    assert change.files == ("alpha/pytorch/requirements.txt", "alpha/pytorch/src/used.py")
    assert change.requirements == ("alpha/pytorch/requirements.txt",)
    assert TINY in change.entries and len(change.tests) == 12
    assert between(states, "pins", "pinned").loaders == ()


def test_a_loader_that_moved(states: States) -> None:
    found = between(states, "helped", "moved")
    why = "alpha/pytorch/loader.py moved, unchanged"
    assert Rename(TINY, TINY.replace("alpha", "omega"), why) in found.renamed
    assert {one.before for one in found.renamed} == set(found.removed)
    assert TINY in found.orphaned


def test_a_renamed_test_without_its_entry_leaves_ci(tmp_path: Path) -> None:
    """The id is another one, the test is not: it ran, and was to pass, and does not any more."""
    checkout = with_submodule(tmp_path / "tt-xla")
    yaml = (checkout.root / CONFIG).read_text()
    pushed = f"{TINY}:\n    status: EXPECTED_PASSING\n    markers: [push]\n    required_pcc: 0.97\n    reason: kept"
    yaml = yaml.replace(f"{TINY}:\n    status: EXPECTED_PASSING", pushed)
    commit(checkout, "pushed", {CONFIG: yaml})
    moved = {LOADER: None, f"{MODELS}/omega/pytorch/loader.py": loader_source(["tiny", "net-v1.5+aug"])}
    new = TINY.replace("alpha", "omega")
    commit(checkout, "orphaned", moved)
    states = states_of(checkout, tmp_path / "cache")
    found = between(states, "HEAD~1", "HEAD")
    (left,) = found.left
    assert (left.id, left.machines, left.stays) == (new, ("n150",), False)
    assert left.why[0] == f"its id was {TINY}"
    titles = [section.title for section in sections(found)]
    assert titles[0] == "1 test leaves CI"
    said = next(one for one in sections(found) if "match no test" in one.title)
    assert f"{TINY} -> {new}" in said.items[0].names
    assert said.items[0].text == "the test has another id now"

    ops = moves(found, states.at(WORK_TREE).matrix)
    assert (OpKind.RENAME, TINY, new) in [(op.op, op.id, op.to) for op in ops]
    assert {op.id for op in ops} == set(found.orphaned)
    assert [op.id for op in moves(found, states.at(WORK_TREE).matrix, [TINY])] == [TINY]

    text = yaml.replace("alpha/", "omega/").replace("required_pcc: 0.97", "required_pcc: 0.9")
    commit(checkout, "followed", {CONFIG: text})
    found = between(states, "HEAD~2", "HEAD")
    assert found.left == () and found.changed == ()
    assert TINY not in found.orphaned
    assert [(one.id, one.field, one.before, one.after) for one in found.fallen] == [(new, "required_pcc", 0.97, 0.9)]
    assert touched(found)[0].id == new

    commit(
        checkout, "lost", {CONFIG: text[: text.index(f"  {new}")] + text[text.index("  omega", text.index(new) + 9) :]}
    )
    found = between(states, "HEAD~3", "HEAD")
    assert found.unguarded == (new,)
    assert {op.op for op in moves(found, states.at(WORK_TREE).matrix)} == {OpKind.RENAME}, "those of another file"


def test_an_entry_is_not_moved_over_another_one(tmp_path: Path) -> None:
    checkout = with_submodule(tmp_path / "tt-xla")
    new = TINY.replace("alpha", "omega")
    yaml = (checkout.root / CONFIG).read_text() + f"  {new}:\n    status: EXPECTED_PASSING\n"
    moved = {LOADER: None, f"{MODELS}/omega/pytorch/loader.py": loader_source(["tiny", "net-v1.5+aug"])}
    commit(checkout, "both", {CONFIG: yaml, **moved})
    states = states_of(checkout, tmp_path / "cache")
    ops = {op.id: op.op for op in moves(between(states, "HEAD~1", "HEAD"), states.at(WORK_TREE).matrix)}
    assert ops[TINY] is OpKind.REMOVE
    assert ops[NET] is OpKind.RENAME


def test_pins(states: States) -> None:
    found = between(states, "pins", "pinned").pins
    assert [(one.name, one.before, one.after) for one in found] == [
        ("other", "", "1"),
        ("torch", "2.9.0+cpu", ""),
        ("transformers", "5.1", "5.2"),
        ("tt-mlir", "aaaa1111", "bbbb2222"),
    ]
    assert [one.link for one in found] == [
        "",
        "",
        "https://github.com/huggingface/transformers/compare/v5.1...v5.2",
        "https://github.com/tenstorrent/tt-mlir/compare/aaaa1111...bbbb2222",
    ]


def test_placeholders_and_handwritten_tests(states: States) -> None:
    (real,) = between(states, "planned", "real").placeholders
    assert (real.name, real.loader) == ("sigma", "sigma/pytorch")
    found = between(states, "real", "handwritten")
    assert found.handwritten_added == (f"{HANDWRITTEN}::test_add", f"{HANDWRITTEN}::test_sub")
    assert between(states, "handwritten", "fewer").handwritten_removed == (f"{HANDWRITTEN}::test_sub",)


def test_a_removed_entry_whose_test_stays(states: States) -> None:
    found = between(states, "xfail", "dropped")
    assert NAME in found.entries_removed
    assert found.unguarded == (), "what was skipped guarded nothing, and the other test is gone"


def test_archs_are_listed_where_they_differ(tmp_path: Path) -> None:
    checkout = with_submodule(tmp_path / "tt-xla")
    config = checkout.root / CONFIG
    old = config.read_text()
    write(checkout, {CONFIG: old.replace("        status: KNOWN_FAILURE_XFAIL", "        status: NOT_SUPPORTED_SKIP")})
    states = states_of(checkout, tmp_path / "cache")
    found = between(states, "HEAD", WORK_TREE).changed
    assert [(one.id, one.arch, one.field) for one in found] == [(NET, "n150", "status")]
    # The base changes, and n150 has an override of its own.
    head, _, tail = old.partition(f"{NET}:\n")
    write(checkout, {CONFIG: f"{head}{NET}:\n{tail.replace('EXPECTED_PASSING', 'EXCLUDE_MODEL', 1)}"})
    found = between(states, "HEAD", WORK_TREE).changed
    archs = [one.arch for one in found]
    assert None in archs and "n300-llmbox" in archs and "n150" not in archs


def test_entries_in_another_file_mean_the_same(tmp_path: Path) -> None:
    checkout = with_submodule(tmp_path / "tt-xla")
    whole, other = ((checkout.test_config / name).read_text() for name in (INFERENCE, TRAINING))
    write(
        checkout,
        {
            CONFIG: None,
            f"tests/runner/test_config/{TRAINING}": whole + "\n" + other.partition("test_config:\n")[2],
        },
    )
    found = between(states_of(checkout, tmp_path / "cache"), "HEAD", WORK_TREE)
    assert (found.entries_added, found.entries_removed, found.changed) == ((), (), ())
