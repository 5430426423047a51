# SPDX-License-Identifier: Apache-2.0
"""Starting the app: it sees changes by others, and its next start reads nothing that is unchanged."""

import gc
import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.errors import TTMatrixError, UsageError
from core.base.settings import Settings, paths
from core.cli import AppRequest
from core.edits.pending import Workbench
from core.matrix import Matrix
from core.matrix.cache import Cache, reindex
from core.sources import Checkout
from tests.support.app import screen_text, until
from tests.support.tree import INFERENCE, YAML, loader_source, sample
from tui.app import open_app
from tui.app.app import Appearance, TTMatrixApp
from tui.app.start import started_app, watch_checkout
from tui.session import Session

_ATTEMPTS = 15
ORG = "alpha/pytorch-org/name-single_device-inference"


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Restore the garbage collector, which starting the app sets up for a process of its own."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def _app(checkout: Checkout, cache: Cache) -> TTMatrixApp:
    matrix, reading = cache.index()
    return started_app(Session.open(matrix, paths(), Settings(), query="has:entry"), cache, saved=reading is None)


async def _noticed(pilot: Pilot[Any], write: Callable[[], object], noticed: Callable[[], bool]) -> None:
    """Write until it is noticed: nothing tells when the watcher has begun to watch."""
    for _ in range(_ATTEMPTS):
        write()
        for _ in range(100):
            if noticed():
                return
            await pilot.pause(0.03)
    raise AssertionError("the change was never noticed")


async def test_changes_of_others_are_seen_and_the_cursor_stays(checkout: Checkout, tmp_path: Path) -> None:
    app = _app(checkout, Cache(checkout, tmp_path / "cache"))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("j", "space")
        await until(pilot, lambda: (tmp_path / "cache").is_dir(), "the saved index")
        before = app.matrix_screen.current
        changed = YAML[INFERENCE].replace("NOT_SUPPORTED_SKIP", "EXCLUDE_MODEL")
        await _noticed(
            pilot,
            lambda: (checkout.test_config / INFERENCE).write_text(changed),
            lambda: app.session.matrix.status["n150"][app.session.matrix.rows[ORG]] == "EXCLUDE_MODEL",
        )
        await until(pilot, lambda: "EXCL" in screen_text(app), "the change on the screen")
        assert app.matrix_screen.current == before
        assert len(app.session.view.marks) == 1
        newest = checkout.models / "newest" / "pytorch"
        newest.mkdir(parents=True)
        await _noticed(
            pilot,
            lambda: (newest / "loader.py").write_text(loader_source(["x"])),
            lambda: "newest/pytorch" in app.session.matrix.loaders,
        )


def test_nothing_to_open_is_reported_before_the_screen_is_taken(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match="No tt-xla checkout"):
        open_app(AppRequest(tmp_path))


def test_a_bad_query_is_reported_before_the_screen_is_taken(checkout: Checkout) -> None:
    with pytest.raises(TTMatrixError, match="stauts"):
        open_app(AppRequest(checkout.root, query="stauts:x"))


@pytest.mark.slow("waits for the watcher")
async def test_a_write_is_indexed_once_though_the_watcher_sees_it_too(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed: list[str] = []
    asked: list[tuple[str, bool]] = []
    """The file's content when the watcher asked whether a change is our own write, and the answer."""
    file = checkout.test_config / INFERENCE

    def text_in(matrix: Matrix) -> str:
        return next(one.text for one in matrix.files if one.name == INFERENCE)

    def counting(cache: Cache) -> Matrix:
        matrix = reindex(cache)
        indexed.append(text_in(matrix))
        return matrix

    def noting(bench: Workbench, paths: Collection[str]) -> bool:
        asked.append((file.read_text(), wrote(bench, paths)))
        return asked[-1][1]

    wrote = Workbench.wrote
    monkeypatch.setattr("core.matrix.cache.reindex", counting)
    monkeypatch.setattr(Workbench, "wrote", noting)
    app = _app(checkout, Cache(checkout, tmp_path / "cache"))
    async with app.run_test(size=(100, 30)) as pilot:
        await _noticed(pilot, lambda: file.write_text(file.read_text() + "# theirs\n"), lambda: bool(asked))
        await until(pilot, lambda: text_in(app.session.matrix) == file.read_text(), "the change of others")
        await pilot.press("E", "right", "enter", "5", "a", "w", "y")
        await until(pilot, lambda: bool(app.session.uncommitted), "the write")
        written = file.read_text()
        await until(pilot, lambda: (written, True) in asked, "the watcher, which has seen the write")
        await until(pilot, lambda: text_in(app.session.matrix) == written, "what was written")
        # One to save the index of the start, one for the write, and one for each change by others.
        assert len(indexed) <= 2 + sum(not own for _, own in asked)


@pytest.mark.slow("every screen is shown")
async def test_it_opens_on_the_screen_that_is_asked_for(checkout: Checkout, tmp_path: Path) -> None:
    cache = Cache(checkout, tmp_path / "cache")
    session = Session.open(cache.index()[0], paths(), Settings())
    app = started_app(session, cache, saved=True, look=Appearance("light", "doctor"))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "finding" in screen_text(app), "the findings")
        assert app.theme == "light"


def test_a_screen_that_there_is_not_is_reported_before_the_screen_is_taken(checkout: Checkout) -> None:
    with pytest.raises(UsageError, match="no screen 'triag'") as raised:
        open_app(AppRequest(checkout.root, screen="triag"))
    assert "triage" in raised.value.hint


@pytest.mark.slow("every screen is shown")
async def test_a_click_on_the_name_of_a_screen_shows_it(checkout: Checkout, tmp_path: Path) -> None:
    app = _app(checkout, Cache(checkout, tmp_path / "cache"))
    async with app.run_test(size=(160, 30)) as pilot:
        await until(pilot, lambda: "6 Doctor" in screen_text(app), "the names")
        await pilot.click("#title", offset=(screen_text(app).splitlines()[1].index("Doctor"), 1))
        await until(pilot, lambda: "finding" in screen_text(app), "the findings")
        await pilot.click("#title", offset=(screen_text(app).splitlines()[1].index("1 Matrix"), 1))
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")


@pytest.mark.slow("waits for the watcher")
async def test_op_cases_come_after_the_first_frame_and_follow_their_manifests(
    checkout: Checkout, tmp_path: Path
) -> None:
    manifest = checkout.root / "tests/op_manifests/nano.yaml"
    manifest.parent.mkdir(parents=True)
    text = "cases: [{name: a, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}]\n"
    manifest.write_text(text)
    cache = Cache(checkout, tmp_path / "cache")
    session = Session.open(cache.index()[0], paths(), Settings())
    assert session.view.matrix.of_kind("op") is None
    app = started_app(session, cache, saved=True, whole=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "nano::a" in session.view.matrix.rows, "the op cases")
        await _noticed(
            pilot,
            lambda: manifest.write_text(text.replace("name: a", "name: other")),
            lambda: "nano::other" in session.view.matrix.rows,
        )
        assert "nano::a" not in session.view.matrix.rows


def test_directories_that_come_into_being_are_noticed(checkout: Checkout) -> None:
    stop, seen, news = threading.Event(), set[str](), threading.Event()

    def changed(paths: Collection[str]) -> None:
        seen.update(paths)
        news.set()

    def noticed(path: Path, text: str) -> None:
        for _ in range(_ATTEMPTS):
            path.write_text(text)
            if news.wait(3) and str(path) in seen:
                return
            news.clear()
        raise AssertionError(f"never noticed: {path}")

    watcher = threading.Thread(target=watch_checkout, args=(checkout, stop, changed, ("tests/op_manifests",)))
    watcher.start()
    try:
        # It has begun to watch what there is, so the directory is new to it.
        noticed(checkout.test_config / INFERENCE, YAML[INFERENCE])
        directory = checkout.root / "tests/op_manifests"
        directory.mkdir(parents=True)
        while str(directory) not in seen:
            assert news.wait(60), "the directory was never noticed"
            news.clear()
        noticed(directory / "nano.yaml", "cases: []\n")
    finally:
        stop.set()
        watcher.join()
