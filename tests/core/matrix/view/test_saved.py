# SPDX-License-Identifier: Apache-2.0
"""Named views in a file."""

import json
from pathlib import Path
from threading import Thread

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.matrix import index
from core.matrix.query import Query, select
from core.matrix.view import Saved, ViewSpec, change_saved, read_saved
from core.matrix.view.saved import built_in
from tests.support.tree import sample

SPEC = ViewSpec(Query.parse('status:xfail "out of" !has:issue'), "p150", ("id", "reason"), "reason", True, "loader")


def test_views_that_come_with_it_can_all_be_opened(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path))
    for spec in built_in().values():
        spec.check()
        select(matrix, spec.query)


def test_what_is_stored_is_there_again(tmp_path: Path) -> None:
    file = tmp_path / "state" / "views.json"
    assert read_saved(file) == Saved()
    change_saved(file, lambda kept: kept.with_view("  my   oom ", SPEC))
    change_saved(file, lambda kept: Saved(kept.views, {"model": ("id", "file")}))
    assert read_saved(file) == Saved({"my oom": SPEC}, {"model": ("id", "file")})
    assert json.loads(file.read_text())["views"]["my oom"]["query"] == str(SPEC.query)
    change_saved(file, lambda kept: kept.without_view("MY OOM"))
    assert read_saved(file).views == {}


def test_names_are_found_whatever_the_case_and_a_wrong_one_suggests() -> None:
    kept = Saved().with_view("Mine", SPEC)
    assert kept.named("mine") == SPEC
    assert kept.named("XFAIL without issue") == built_in()["xfail without issue"]
    assert kept.has("MINE")
    assert not kept.has("mixed")
    with pytest.raises(UsageError) as caught:
        kept.named("mixd")
    assert "'mixed'" in caught.value.detail + caught.value.hint


def test_a_name_is_replaced_and_never_doubled() -> None:
    other = ViewSpec(Query.parse("x"))
    assert Saved().with_view("Mine", SPEC).with_view("mine", other).views == {"mine": other}
    assert list(Saved().with_view("b", SPEC).with_view("a", SPEC).all())[:2] == ["a", "b"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\x1b[31mb", "Mixed"])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(UsageError):
        Saved().with_view(name, SPEC)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"version": 2}', '{"version": 1, "columns": ["x"]}', '{"version": 1, "views": {"a": {"sort": "x"}}}',
     '{"version": 1, "views": {"a": 3}}', '{"version": 1, "views": []}', '{"version": 1, "columns": 3}'],
)  # fmt: skip
def test_a_damaged_file_is_reported_and_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "views.json"
    file.write_text(text)
    for act in (read_saved, lambda one: change_saved(one, lambda kept: kept)):
        with pytest.raises(TTMatrixError) as caught:
            act(file)
        assert str(file) in caught.value.title
    assert file.read_text() == text


def test_a_change_that_fails_leaves_the_file(tmp_path: Path) -> None:
    file = tmp_path / "views.json"
    change_saved(file, lambda kept: kept.with_view("mine", SPEC))
    before = file.read_bytes()
    with pytest.raises(UsageError):
        change_saved(file, lambda kept: kept.with_view("mixed", SPEC))
    assert file.read_bytes() == before


def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "views.json"
    threads = [
        Thread(target=change_saved, args=(file, lambda kept, at=at: kept.with_view(f"view {at}", SPEC)))
        for at in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_saved(file).views) == 8
