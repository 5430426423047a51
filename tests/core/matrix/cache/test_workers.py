# SPDX-License-Identifier: Apache-2.0
"""An index from another process equals that of this one, and is cached as well."""

import os
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.matrix import index
from core.matrix.cache import Cache, in_worker, reindex
from core.matrix.cache_file import dumps
from tests.support.tree import INFERENCE, YAML, sample


def test_it_is_the_same_and_cached(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    cache = Cache(checkout, tmp_path / "cache")
    here, there = index(checkout), reindex(cache)
    assert (there.ids, there.entries, there.loaders) == (here.ids, here.entries, here.loaders)
    assert (tmp_path / "cache").is_dir()
    (checkout.test_config / INFERENCE).write_text(YAML[INFERENCE].replace("NOT_SUPPORTED_SKIP", "EXCLUDE_MODEL"))
    assert reindex(cache).status["n150"].counts(range(len(here.ids)))["EXCLUDE_MODEL"] == 1


def test_a_checkout_that_is_gone_is_reported(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    checkout.root.rename(tmp_path / "elsewhere")
    with pytest.raises(TTMatrixError, match=r"core\.matrix\.cache\.workers failed") as raised:
        reindex(Cache(checkout, tmp_path / "cache"))
    assert "tt-xla" in raised.value.detail


def test_half_an_answer_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(sample(tmp_path / "tt-xla"), tmp_path / "cache")
    whole = dumps(index(cache.checkout))
    for said in (b"", whole[:20], whole[:-20]):
        monkeypatch.setattr("core.matrix.cache.workers.run_own", lambda *_, said=said, **__: said)
        with pytest.raises(TTMatrixError, match="Cannot read") as raised:
            reindex(cache)
        assert "no whole answer" in raised.value.detail


def test_arguments_reach_any_function_and_what_it_raises_comes_back(tmp_path: Path) -> None:
    cache = Cache(sample(tmp_path / "tt-xla"), tmp_path / "cache")
    name, text = "\udcff\nname", {"one": (1, "é")}
    root, pid, asked = in_worker(echo, cache, name, text=text)
    assert (root, asked) == (cache.checkout.root, (name, text))
    assert pid != os.getpid()
    with pytest.raises(TTMatrixError, match="failed") as raised:
        in_worker(refuse, cache)
    assert "No such thing: it is not there" in raised.value.detail


def echo(cache: Cache, name: str, *, text: object) -> tuple[Path, int, object]:
    """Where it was asked, and what."""
    return cache.checkout.root, os.getpid(), (name, text)


def refuse(cache: Cache) -> None:
    """An error that a person can act on."""
    raise TTMatrixError("No such thing", "it is not there")
