# SPDX-License-Identifier: Apache-2.0
"""Facts of the models tree are cached until a Python file or the set of loaders changes."""

from pathlib import Path

import pytest

from core.matrix import index
from core.matrix.cache import Cache, of_loaders
from tests.support.tree import loader_source, sample


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    # Fresh files are distrusted for two seconds; the tests do not wait for that.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    return Cache(sample(tmp_path / "tt-xla"), tmp_path / "cache")


def _ask(cache: Cache, answers: list[str], kind: str = "thing") -> str:
    return of_loaders(cache, index(cache.checkout), kind, str, lambda: answers.pop(0))


def test_the_first_answer_is_remembered(cache: Cache) -> None:
    answers = ["one", "two"]
    assert [_ask(cache, answers), _ask(cache, answers), _ask(cache, answers, "other")] == ["one", "one", "two"]


@pytest.mark.parametrize("path", ["alpha/pytorch/loader.py", "tools/new.py", "zeta/pytorch/loader.py"])
def test_a_change_asks_again(cache: Cache, path: str) -> None:
    answers = ["one", "two"]
    assert _ask(cache, answers) == "one"
    file = cache.checkout.models / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(loader_source(["other"]))
    assert _ask(cache, answers) == "two"


def test_what_is_of_another_type_is_asked_again(cache: Cache) -> None:
    matrix = index(cache.checkout)
    assert of_loaders(cache, matrix, "thing", tuple, lambda: ("a",)) == ("a",)
    assert _ask(cache, ["text"]) == "text"
