# SPDX-License-Identifier: Apache-2.0
"""A cached index equals a new one, or it is not used."""

import os
import pickle
from pathlib import Path

import pytest

from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.sources import Checkout, models_tree
from tests.support.tree import INFERENCE, YAML, loader_source, sample

TINY = "alpha/pytorch-tiny-single_device-inference"


def _age(root: Path) -> None:
    """Make all files old enough to be trusted, as in a checkout that was not touched just now."""
    for path in [root, *root.rglob("*")]:
        os.utime(path, (1_600_000_000, 1_600_000_000))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    # Change times cannot be set back, so the distrust of fresh files is disabled instead.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    found = sample(tmp_path / "tt-xla")
    _age(found.root)
    return found


@pytest.fixture
def cache(checkout: Checkout, tmp_path: Path) -> Cache:
    return Cache(checkout, tmp_path / "cache" / "index")


def _keep(cache: Cache) -> Matrix:
    matrix, reading = cache.index()
    assert reading is not None
    cache.save(reading)
    return matrix


def _same(one: Matrix, other: Matrix) -> None:
    assert one.ids == other.ids
    assert one.entries == other.entries
    assert one.findings == other.findings
    assert one.loaders == other.loaders
    for arch in one.status:
        assert [one.status[arch][row] for row in range(len(one.ids))] == [
            other.status[arch][row] for row in range(len(other.ids))
        ]


def test_what_changes_between_reading_and_keeping_is_read_again(cache: Cache, checkout: Checkout) -> None:
    _, reading = cache.index()
    assert reading is not None
    file = checkout.test_config / INFERENCE
    file.write_text(file.read_text().replace("EXPECTED_PASSING", "NOT_SUPPORTED_SKIP"))
    with pytest.MonkeyPatch.context() as patch:
        # Without the distrust of what was changed just before the reading: what came after it is enough.
        patch.setattr("core.sources.stamps._RACY_NS", 0)
        cache.save(reading)
    matrix, again = cache.index()
    assert again is not None
    _same(matrix, index(checkout))


def test_nothing_changed_means_nothing_is_read(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _keep(cache)
    monkeypatch.setattr("core.matrix.indexing.read_and_join", lambda *a, **k: pytest.fail("it was read"))
    matrix, reading = cache.index()
    assert reading is None
    _same(matrix, before)


def test_a_changed_entry_is_seen_and_only_its_file_is_parsed(
    cache: Cache, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    _keep(cache)
    (checkout.test_config / INFERENCE).write_text(YAML[INFERENCE].replace("NOT_SUPPORTED_SKIP", "EXCLUDE_MODEL"))
    monkeypatch.setattr(models_tree, "read_module", lambda _, path: pytest.fail(f"{path} was parsed"))
    matrix, reading = cache.index()
    assert reading is not None
    _same(matrix, index_without_monkeypatch(checkout, monkeypatch))


def index_without_monkeypatch(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Matrix:
    """A new index, parsing the loaders again."""
    monkeypatch.undo()
    return index(checkout)


@pytest.mark.parametrize(
    "change", ["new loader", "changed loader", "removed loader", "new yaml", "removed yaml", "schema"]
)
def test_every_kind_of_change_is_seen(cache: Cache, checkout: Checkout, change: str) -> None:
    _keep(cache)
    alpha = checkout.models / "alpha/pytorch/loader.py"
    if change == "new loader":
        (checkout.models / "new" / "pytorch").mkdir(parents=True)
        (checkout.models / "new" / "pytorch" / "loader.py").write_text(loader_source(["x"]))
    elif change == "changed loader":
        alpha.write_text(loader_source(["other"]))
    elif change == "removed loader":
        alpha.unlink()
    elif change == "new yaml":
        (checkout.test_config / "jax/test_config_training_single_device.yaml").write_text(
            "test_config:\n  new id:\n    status: x\n"
        )
    elif change == "removed yaml":
        (checkout.test_config / INFERENCE).unlink()
    else:
        (checkout.test_config / "constants.py").write_text(
            'ALLOWED_ARCHES = ("a1",)\nLLM_MESH_SHAPES = ("mesh_default",)\n'
        )
    matrix, reading = cache.index()
    assert reading is not None
    _same(matrix, index(checkout))


def test_a_file_written_just_now_is_read_again(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.sources.stamps._RACY_NS", 10**18)
    _keep(cache)
    assert cache.index()[1] is not None


@pytest.mark.parametrize("damage", [b"", b"\x80", b"\x00" * 100])
def test_a_damaged_cache_is_passed_over(cache: Cache, checkout: Checkout, damage: bytes) -> None:
    _keep(cache)
    for file in filter(Path.is_file, cache.directory.rglob("*")):
        file.write_bytes(file.read_bytes()[:32] + damage)
    matrix, reading = cache.index()
    assert reading is not None
    _same(matrix, index(checkout))


def test_a_cache_of_other_code_is_passed_over(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    _keep(cache)
    monkeypatch.setattr("core.__version__", "another")
    assert cache.index()[1] is not None


def test_a_cache_that_others_can_write_is_never_unpickled(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    _keep(cache)
    for file in filter(Path.is_file, cache.directory.rglob("*")):
        file.chmod(0o666)
    monkeypatch.setattr(pickle, "loads", lambda data: pytest.fail("it was unpickled"))
    assert cache.index()[1] is not None


def test_where_it_cannot_be_saved_it_is_done_without(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(checkout, tmp_path / "file" / "index")
    matrix = _keep(cache)
    assert TINY in matrix.rows
    assert cache.index()[1] is not None
