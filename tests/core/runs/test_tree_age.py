# SPDX-License-Identifier: Apache-2.0
"""core.runs.tree: which runs belong to a checkout, and how old their results are."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from core.base.processes import ProcessIdentity
from core.base.settings import Settings
from core.matrix import index
from core.runs import Outcome, TreeReader, ages, changed_since, newest_by_test, of_checkout, own_runs
from core.runs.planning import plan_test
from core.runs.store import Finished, Queued, RunRecord, Started, TreeState
from core.runs.store.events import Event
from core.runs.store.record import fold
from core.sources import Checkout
from tests.core.runs.store.test_record import SPEC
from tests.support.git import committed_checkout, git
from tests.support.tree import INFERENCE, sample

TINY, NET = "alpha/pytorch-tiny-single_device-inference", "alpha/pytorch-net-v1.5+aug-single_device-inference"
_NUMBERS = count(1)
UNKNOWN = TreeState("", "", "", "", "", False)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


def run(checkout: Checkout, id: str = TINY, tree: TreeState | None = None, *, edited: bool = False) -> RunRecord:
    """A run that has just passed."""
    spec = plan_test(index(checkout), id, Settings(), runs=Path("/runs"))
    state = tree or TreeReader(checkout).state(id)
    events: list[Event] = [Queued(1.0, "here", "boot"), Started(2.0, ProcessIdentity(1, 1.0), (), state)]
    return fold(spec, Path("/runs"), [*events, Finished(3.0, Outcome.PASS, 1.0, edited=edited)])


def age(record: RunRecord, checkout: Checkout) -> str:
    found = ages([record], index(checkout).entries, TreeReader(checkout)).get(record.spec.run_id)
    return f"{found.text} {found.mark}" if found else ""


def commit(root: Path) -> None:
    git(root, "add", "--all")
    # Two commits of one second are one, unless they say something else.
    git(root, "commit", "--quiet", "--allow-empty", f"--message={next(_NUMBERS)}")


def test_what_shows_the_present_tree_has_no_age(checkout: Checkout) -> None:
    assert age(run(checkout), checkout) == ""
    (checkout.models / "delta/pytorch/loader.py").write_text("# another loader\n")
    (checkout.root / "notes.txt").write_text("mine")
    assert age(run(checkout), checkout) == ""


def test_commits_since(checkout: Checkout) -> None:
    record = run(checkout)
    commit(checkout.root)
    assert age(record, checkout) == "1 commit ago ~1"
    commit(checkout.root)
    commit(checkout.root)
    assert age(record, checkout) == "3 commits ago ~3"
    later = run(checkout)
    git(checkout.root, "checkout", "--quiet", "--detach", "HEAD~3")
    assert (age(record, checkout), age(later, checkout)) == ("", "3 commits ahead ~")
    commit(checkout.root)
    assert age(later, checkout) == "of another branch ~"
    gone = run(checkout, tree=replace(TreeReader(checkout).state(TINY), commit="0" * 40))
    assert age(gone, checkout) == "of a commit that is not here ~"


def test_edits_since(checkout: Checkout) -> None:
    record = run(checkout)
    loader, base = checkout.models / "alpha/pytorch/loader.py", checkout.models / "base.py"
    text = loader.read_text()
    loader.write_text(f"{text}# edited\n")
    assert age(record, checkout) == "loader edited since ~"
    edited = run(checkout)
    assert age(edited, checkout) == ""
    loader.write_text(text)
    assert (age(record, checkout), age(edited, checkout)) == ("", "loader edited since ~")
    base.write_text(f"{base.read_text()}# edited\n")
    assert age(record, checkout) == "its imports edited since ~"
    file = checkout.test_config / INFERENCE
    file.write_text(file.read_text().replace("status: EXPECTED_PASSING", "status: UNSPECIFIED", 1))
    assert age(record, checkout) == "its imports edited since, entry edited since ~"
    assert age(run(checkout, NET), checkout) == "", "the entry of another test"
    commit(checkout.root)
    assert age(record, checkout) == "1 commit ago, its imports edited since, entry edited since ~1"


def test_the_commit_of_the_models_counts_where_the_code_is_the_same(checkout: Checkout) -> None:
    models = committed_checkout(Checkout(checkout.models)).root
    record = run(checkout)
    commit(models)
    assert age(record, checkout) == "models 1 commit ago ~"
    (models / "alpha/pytorch/loader.py").write_text("# edited\n")
    assert age(record, checkout) == "loader edited since ~"


def test_what_is_not_known_is_said(checkout: Checkout) -> None:
    assert age(run(checkout, edited=True), checkout) == "loader edited while it ran ~"
    known = run(checkout)
    old = replace(known, tree=None, spec=replace(known.spec, entry=""))
    assert age(old, checkout) == "tree not recorded ~"
    queued = fold(known.spec, Path("/runs"), [Queued(1.0, "here", "boot")])
    assert ages([replace(queued, state=known.state.RUNNING)], index(checkout).entries, TreeReader(checkout)) == {}


def test_runs_of_another_checkout_are_not_ours(checkout: Checkout, tmp_path: Path) -> None:
    other = committed_checkout(sample(tmp_path / "other"))
    linked = tmp_path / "link"
    linked.symlink_to(checkout.root)
    mine, theirs, through_link = run(checkout), run(other), run(Checkout(linked))
    everything = [mine, theirs, through_link]
    assert of_checkout(everything, checkout.root) == own_runs(everything, TreeReader(checkout)) == [mine, through_link]
    assert own_runs(everything, TreeReader(other)) == [theirs]
    assert own_runs(everything, TreeReader(Checkout(linked))) == [mine, through_link]


def test_another_repository_in_the_same_place_is_another_checkout(checkout: Checkout) -> None:
    reader = TreeReader(checkout)
    mine = run(checkout)
    before = run(checkout, tree=replace(mine.tree, repository="1" * 40) if mine.tree else None)
    unknown, old = run(checkout, tree=UNKNOWN), replace(mine, tree=None)
    assert own_runs([mine, before, unknown, old], reader) == [mine, unknown, old]


def test_the_newest_run_of_each_kind() -> None:
    asked = (("device", TINY), ("cpu", TINY), ("cpu", NET), ("cpu", TINY))
    records = [fold(replace(SPEC, kind=kind, test_id=id), Path("/runs"), []) for kind, id in asked]
    assert newest_by_test(records, "cpu") == {TINY: records[1], NET: records[2]}
    assert newest_by_test(records, "device") == {TINY: records[0]}


def test_tests_whose_code_has_changed_since_their_newest_run(checkout: Checkout) -> None:
    tiny, net = run(checkout), run(checkout, NET)
    reader = TreeReader(checkout)
    assert changed_since([tiny, net], reader) == frozenset()
    commit(checkout.root)
    assert changed_since([tiny, net], reader) == frozenset(), "another commit with the same code"
    loader = checkout.models / "alpha/pytorch/loader.py"
    loader.write_text(f"{loader.read_text()}\n# another loader\n")
    assert changed_since([tiny, net], TreeReader(checkout)) == {TINY, NET}
    assert changed_since([run(checkout), tiny, net], TreeReader(checkout)) == {NET}, "the newest run decides"
