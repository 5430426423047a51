# SPDX-License-Identifier: Apache-2.0
"""An index from another process equals that of this one, and is cached as well."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from core.base.errors import TTMatrixError
from core.base.processes import Cancelled
from core.matrix import index
from core.matrix.cache import Cache, in_worker, in_worker_until, read_index, reindex
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


def test_of_two_that_find_no_cache_one_reads_and_the_other_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, begun, go_on, saved = Cache(sample(tmp_path / "tt-xla"), tmp_path / "cache"), Event(), Event(), list[int]()

    save = Cache.save

    def slowly(*args: Any) -> None:
        saved.append(1)
        begun.set()
        assert go_on.wait(60)
        save(*args)

    monkeypatch.setattr(Cache, "save", slowly)
    # The sample has just been written, and what may still be changing is not cached.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", 0)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(read_index, cache)
        assert begun.wait(60)
        second = threads.submit(read_index, cache)
        go_on.set()
        assert first.result(60).ids == second.result(60).ids
    assert len(saved) == 1


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


def test_what_nobody_wants_any_more_is_ended(tmp_path: Path) -> None:
    cache, stop = Cache(sample(tmp_path / "tt-xla"), tmp_path / "cache"), threading.Event()
    note = tmp_path / "pid"
    threading.Thread(target=_stop_once, args=(note, stop)).start()
    with pytest.raises(Cancelled):
        in_worker_until(stop, waiting, cache, note)
    assert not psutil.pid_exists(int(note.read_text()))
    assert in_worker_until(threading.Event(), echo, cache, "a", text="b")[2] == ("a", "b")


def _stop_once(file: Path, stop: threading.Event) -> None:
    """Once there is a text in the file."""
    while not (file.exists() and file.read_text()):
        time.sleep(0.01)
    stop.set()


def waiting(cache: Cache, note: Path) -> None:
    """Never ends by itself."""
    note.write_text(str(os.getpid()))
    time.sleep(1000)


def echo(cache: Cache, name: str, *, text: object) -> tuple[Path, int, object]:
    """Where it was asked, and what."""
    return cache.checkout.root, os.getpid(), (name, text)


def refuse(cache: Cache) -> None:
    """An error that a person can act on."""
    raise TTMatrixError("No such thing", "it is not there")
