# SPDX-License-Identifier: Apache-2.0
"""Values are cached as long as the files that they were worked out of say the same, in whichever state."""

from pathlib import Path

import pytest

from core.sources import ContentCache, Contents, LoaderInfos, loader_directories, read_model_infos, scan_loaders
from tests.support.sample import sample_checkout


def _cache(root: Path, before: ContentCache[str] | None = None) -> ContentCache[str]:
    return ContentCache(Contents(root), before.versions if before else None)


def test_a_value_is_valid_while_its_files_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one")
    first = _cache(tmp_path)
    first.put("a", "of one", ["a.py", "missing.py", "place/"])
    assert _cache(tmp_path, first).get("a") == "of one"

    (tmp_path / "a.py").write_text("two")
    second = _cache(tmp_path, first)
    assert second.get("a") is None
    second.put("a", "of two", ["a.py"])

    (tmp_path / "a.py").write_text("one")
    assert _cache(tmp_path, second).get("a") == "of one", "the base of a change and the change have their own"


@pytest.mark.parametrize("new", ["missing.py", "place/in_it.py"])
def test_a_file_that_was_missed_counts(tmp_path: Path, new: str) -> None:
    first = _cache(tmp_path)
    first.put("a", "without", ["missing.py", "place/"])
    (tmp_path / new).parent.mkdir(exist_ok=True)
    (tmp_path / new).write_text("")
    assert _cache(tmp_path, first).get("a") is None


def test_old_values_are_forgotten(tmp_path: Path) -> None:
    cached = _cache(tmp_path)
    for number in range(9):
        (tmp_path / "a.py").write_text(str(number))
        cached = _cache(tmp_path, cached)
        cached.put("a", str(number), ["a.py"])
    assert [one.value for one in cached.versions["a"]] == ["8", "7", "6"]


def test_infos_of_loaders_are_those_of_a_whole_reading(tmp_path: Path) -> None:
    """Each module of the models is broken in turn: loaders that import it, and only those, are evaluated again."""
    checkout = sample_checkout(tmp_path)
    loaders, _ = scan_loaders(checkout, loader_directories(checkout.models, ()))
    first: ContentCache[LoaderInfos] = ContentCache(Contents(checkout.models))
    read_model_infos(checkout, loaders, first)
    for path in sorted(checkout.models.glob("**/*.py")):
        text = path.read_text()
        path.write_text(f"{text}\nraise RuntimeError('changed')\n")
        cached = ContentCache(Contents(checkout.models), first.versions)
        assert read_model_infos(checkout, loaders, cached) == read_model_infos(checkout, loaders), path
        path.write_text(text)
