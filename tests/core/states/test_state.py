# SPDX-License-Identifier: Apache-2.0
"""core.states.state: a commit is read as a checkout of it would be, without the work tree, and only once."""

from pathlib import Path

import pytest

from core import doctor, providers
from core.matrix import index
from core.matrix.cache import Cache
from core.sources import INDEX, WORK_TREE, Checkout, LoaderFiles
from core.states import States, state as module
from tests.support.git import git, state
from tests.support.states import JOB, PRESET, commit, states_of, with_submodule, write
from tests.support.tree import INFERENCE, loader_source

MODELS = "third_party/tt_forge_models"
CONFIG = f"tests/runner/test_config/{INFERENCE}"
TINY = "alpha/pytorch-tiny-single_device-inference"
HANDWRITTEN = "tests/torch/ops/test_add.py"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A history of two commits: the second changes everything that a state is made of."""
    checkout = with_submodule(tmp_path / "tt-xla")
    text = (checkout.root / CONFIG).read_text()
    commit(
        checkout,
        "second",
        {
            CONFIG: text.replace("status: EXPECTED_PASSING\n\n", "status: BROKEN\n    markers: [push]\n\n", 1),
            f"{MODELS}/alpha/pytorch/loader.py": loader_source(["tiny", "more"]),
            f"{MODELS}/alpha/pytorch/requirements.txt": "one==1\n",
            PRESET: f"[{str(JOB).replace(chr(39), chr(34))}]",
            HANDWRITTEN: "def test_add(): ...\n",
        },
    )
    return checkout


@pytest.fixture
def states(checkout: Checkout, tmp_path: Path) -> States:
    return states_of(checkout, tmp_path / "cache")


def test_a_commit_reads_as_a_checkout_of_it(checkout: Checkout, states: States, tmp_path: Path) -> None:
    for number, name in enumerate(("HEAD", "HEAD~1", "HEAD")):
        found = states.at(name)
        there = Checkout(tmp_path / f"there{number}")
        git(tmp_path, "clone", "--quiet", str(checkout.root), str(there.root))
        git(there.root, "checkout", "--quiet", git(checkout.root, "rev-parse", name).strip())
        git(there.root, "clone", "--quiet", str(checkout.models), MODELS)
        pinned = git(there.root, "rev-parse", f"HEAD:{MODELS}").strip()
        git(there.models, "checkout", "--quiet", pinned)
        matrix, cache = index(there), Cache(there, tmp_path / f"cache{number}")
        assert found.matrix.ids == matrix.ids
        assert found.matrix.entries == matrix.entries
        assert found.findings == doctor.examine(cache, matrix)
        selected = providers.selected_jobs(cache, matrix)
        assert found.selected.jobs == selected.jobs
        assert [found.selected.of(row) for row in range(len(matrix.ids))] == [
            selected.of(row) for row in range(len(matrix.ids))
        ]
        assert found.codes == LoaderFiles(there.models).codes(matrix.loaders)
        assert list(found.others.handwritten) == ([f"{HANDWRITTEN}::test_add"] if name == "HEAD" else [])


def test_the_work_tree_is_not_touched(checkout: Checkout, states: States) -> None:
    write(checkout, {CONFIG: "test_config: {}\n"})
    training = next(id for id in states.at("HEAD").matrix.entries if id.endswith("training"))
    before = state(checkout.root), state(checkout.models)
    assert TINY in states.at("HEAD").matrix.entries
    assert TINY not in states.at(WORK_TREE).matrix.entries
    assert training in states.at(WORK_TREE).matrix.entries
    assert (state(checkout.root), state(checkout.models)) == before
    git(checkout.root, "add", CONFIG)
    write(checkout, {CONFIG: "test_config:\n  a:\n"})
    assert TINY not in states.at(INDEX).matrix.entries
    assert not any(one.kind == "broken-yaml" for one in states.at(INDEX).findings)


def test_another_commit_of_the_models(states: States) -> None:
    found = states.at("HEAD", models="HEAD~1")
    assert "alpha/pytorch-more-single_device-inference" not in found.matrix.ids
    assert "alpha/pytorch-more-single_device-inference" in states.at("HEAD").matrix.ids
    assert found.matrix.entries.keys() == states.at("HEAD").matrix.entries.keys()


def test_a_part_is_read_once(states: States, monkeypatch: pytest.MonkeyPatch) -> None:
    first = states.at("HEAD")
    parts = first.matrix.ids, first.findings, first.codes, first.others, first.selected.names
    monkeypatch.setattr(module, "locked", None)  # Nothing could be laid out any more.
    again = states.at("main")
    assert (again.matrix.ids, again.findings, again.codes, again.others, again.selected.names) == parts


def test_old_states_are_forgotten(states: States, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_STATES", 2)
    for number in range(4):
        commit(checkout, "more", {"README.md": str(number)})
        assert states.at("HEAD").matrix
    kept = [one for one in states.cache.file("states").iterdir() if one.is_dir()]
    assert len(kept) == 3, "two states and the files of one"
    assert states.at("HEAD~3").matrix.ids
