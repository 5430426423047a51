# SPDX-License-Identifier: Apache-2.0
"""core.evidence.analysis.comparison: the commits between two runs."""

from pathlib import Path

from core.evidence import Observation
from core.evidence.analysis import between
from core.sources import Checkout
from tests.support.evidence import observed
from tests.support.git import committed_checkout, git
from tests.support.tree import sample


def _rows(commit: str, models: str = "") -> list[Observation]:
    return [observed(commit=commit, models_commit=models), observed(commit="")]


def _commit(root: Path, subject: str) -> str:
    git(root, "commit", "--quiet", "--allow-empty", f"--message={subject}")
    return git(root, "rev-parse", "HEAD").strip()


def test_commits_of_the_checkout_and_of_its_models(tmp_path: Path) -> None:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    models = committed_checkout(Checkout(checkout.models))
    first = _commit(checkout.root, "one")
    second = _commit(checkout.root, "two")
    third = _commit(checkout.root, "three")
    old = git(models.root, "rev-parse", "HEAD").strip()
    new = _commit(models.root, "a model")
    own, theirs = between(checkout, _rows(first, old), _rows(third, new))
    assert [one.subject for one in own.commits] == ["three", "two"]
    assert own.commits[1].id == second
    assert [(one.subject, one.author) for one in theirs.commits] == [("a model", "Somebody")]
    assert not own.unknown and not theirs.unknown


def test_the_submodule_is_distinguished_from_the_commit(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    models = committed_checkout(Checkout(checkout.models))
    committed_checkout(checkout)
    first = git(checkout.root, "rev-parse", "HEAD").strip()
    _commit(models.root, "a model")
    git(checkout.root, "add", "--all")
    second = _commit(checkout.root, "uplift")
    _, theirs = between(checkout, _rows(first), _rows(second))
    assert [one.subject for one in theirs.commits] == ["a model"]


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    head = git(checkout.root, "rev-parse", "HEAD").strip()
    assert between(checkout, _rows(""), _rows(head))[0].unknown == "the runs do not say which commits they ran"
    for name in ("--help", "no-such", "HEAD..HEAD", "HEAD:README.md"):
        unknown = between(checkout, _rows(name), _rows(head))[0].unknown
        assert unknown.startswith(f"no commit is named {name!r} in this clone: give the id of a commit")
    assert between(checkout, _rows("0" * 40), _rows(head))[0].unknown
    same, _ = between(checkout, _rows(head), _rows(head))
    assert (same.commits, same.unknown) == ((), "")


def test_what_brings_commits_that_are_not_here_is_said(tmp_path: Path) -> None:
    origin = committed_checkout(sample(tmp_path / "origin"))
    first, second, third = (_commit(origin.root, name) for name in ("one", "two", "three"))
    clone = Checkout(tmp_path / "clone")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{origin.root}", str(clone.root))
    words = f"git -C {clone.root} fetch --depth=1 origin"
    found = between(clone, _rows(first), _rows(third))[0].unknown
    assert found == f"{first[:10]} is not in this clone: {words} {first} may bring it"
    found = between(clone, _rows(first), _rows(second))[0].unknown
    assert found == f"{first[:10]} and {second[:10]} are not in this clone: {words} {first} {second} may bring them"
    (origin.root / ".git/objects" / second[:2] / second[2:]).unlink()
    found = between(origin, _rows(first), _rows(third))[0].unknown
    assert found == f"git cannot list the commits from {first[:10]} to {third[:10]}"
