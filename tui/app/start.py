# SPDX-License-Identifier: Apache-2.0
"""Open the app on a checkout: report all possible errors before taking over the screen."""

import gc
import os
import threading
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

# A second frame waits for a tick of this clock, so a faster clock means a shorter wait; idle costs nothing.
os.environ.setdefault("TEXTUAL_FPS", "120")

from textual.driver import Driver
from textual.timer import Timer

import core.matrix.cache
from core import kinds
from core.base.errors import TTMatrixError, UsageError, together
from core.base.settings import Settings, paths, read_settings
from core.cli import AppRequest
from core.matrix import Matrix
from core.matrix.cache import Cache
from core.matrix.query import Query
from core.matrix.view import ViewSpec
from core.sources import Checkout, find_checkout
from tui import terminal
from tui.app.app import PLAIN, Appearance, TTMatrixApp
from tui.app.last_place import LastPlace, place_file, read_place, write_place
from tui.commands import Where, screen_commands
from tui.hints import Hints
from tui.keymap import keymap_problems, read_keymap
from tui.session import Session
from tui.terminal import AsciiDriver, Ending, Repaint, TerminalDriver
from tui.themes import chosen_theme

_ENDINGS = (".yaml", ".py", ".json", ".yml")
_DEBOUNCE_MS = 400
"""A pull changes many files; they count as one change once there was none for this long."""
_WATCH_AGAIN_SECONDS = 5.0
"""Seconds after a failure until the checkout is watched again."""
_STOP_MS = 500
_GIVE_BACK_SECONDS = 3.0
_QUIET_THRESHOLDS = (20_000, 20, 50)
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Parameters of mallopt(3)."""


def open_app(request: AppRequest) -> int:
    """Open the app and return its exit code. Raises TTMatrixError if there is nothing to open it on."""
    own = paths()
    settings, wrong = read_settings(own.settings_file)
    if problems := (*wrong, *app_problems(settings)):
        raise together(problems, f"settings in {own.settings_file} are wrong")
    theme = chosen_theme(request.theme or settings.theme, os.environ)
    keymap = read_keymap(settings.keymap, settings.keys)
    check_screen(request.screen)
    # Textual would remove the colours of every theme.
    os.environ.pop("NO_COLOR", None)
    checkout = find_checkout(request.repo or Path.cwd(), upward=request.repo is None)
    cache = Cache(checkout, own.cache / "index")
    file = place_file(own.places, checkout.root)
    place, notice = where_to_begin(request, file, restore=settings.restore)
    models, reading = cache.index()
    matrix = with_rows(models, cache, settings, place.view.query)
    whole = not matrix.unread
    session = Session.open(matrix, own, settings, query=request.query, arch=request.arch)
    session.read_only = request.read_only
    if not request.query:
        place, notice = begin(session, place, notice)
    look = Appearance(theme, place.screen, keymap, request.ascii or settings.ascii, place.spot, notice)
    app = started_app(
        session, cache, saved=reading is None, whole=whole, look=look, place=None if request.read_only else file
    )
    if terminal.in_browser(os.environ):
        app.run()
    else:
        Ending(app).run()
    session.bench.flush()
    return app.return_code or 0


def with_rows(matrix: Matrix, cache: Cache, settings: Settings, query: Query) -> Matrix:
    """`matrix` with the rows of all kinds that are cached or that a query is about; `unread` names the others."""
    unread: list[str] = []
    for kind in kinds.kinds():
        known = kind.cached(matrix, cache, settings)
        if known is None and kind.awaited(query):
            known = kind.read(matrix, cache, settings)
        if known is None:
            unread.append(kind.name)
        else:
            matrix = known
    return replace(matrix, unread=frozenset(unread)) if unread else matrix


def app_problems(settings: Settings) -> tuple[TTMatrixError, ...]:
    """The problems of the settings that only the app uses: keys and colours."""
    found = keymap_problems(settings.keymap, settings.keys)
    try:
        chosen_theme(settings.theme, os.environ)
    except TTMatrixError as error:
        found = [*found, error]
    return tuple(found)


def where_to_begin(request: AppRequest, file: Path, *, restore: bool) -> tuple[LastPlace, str]:
    """The place to start at, and a message about a stored place that is lost: at first, the overview.

    The command line takes precedence over `file`. Raises UsageError for an invalid query.
    """
    if request.query:
        return LastPlace(request.screen, ViewSpec(Query.parse(request.query))), ""
    known, notice = None, ""
    if restore and not request.fresh:
        try:
            known = read_place(file)
        except TTMatrixError as error:
            notice = f"{error.title}: {error.detail}. The app starts with the default view."
    place = known or LastPlace(Where.OVERVIEW.value)
    return LastPlace(request.screen or place.screen, _on(place.view, request.arch), place.spot), notice


def begin(session: Session, place: LastPlace, notice: str = "") -> tuple[LastPlace, str]:
    """Show the view of a place; if the checkout no longer has it, the first view with a message."""
    screens = {where.value for where, _ in screen_commands()}
    screen = place.screen if place.screen in screens else ""
    try:
        session.view.adopt(place.view)
    except UsageError as error:
        first = LastPlace(screen, _on(LastPlace().view, session.view.arch))
        session.view.adopt(first.view)
        return first, f"The last view is not restored: {error.title}."
    return place._replace(screen=screen), notice


def _on(view: ViewSpec, arch: str) -> ViewSpec:
    return view._replace(arch=arch) if arch else view


def check_screen(name: str) -> None:
    """Raises UsageError if there is no screen of that name. An empty name is accepted."""
    names = [where.value for where, _ in screen_commands()]
    if name and name not in names:
        raise UsageError(f"There is no screen {name!r}", hint=f"Screens: {', '.join(names)}.")


def started_app(
    session: Session,
    cache: Cache,
    *,
    saved: bool,
    whole: bool = True,
    look: Appearance = PLAIN,
    place: Path | None = None,
) -> TTMatrixApp:
    """The app together with the work of its process.

    `saved`: the index of `session` is in `cache` already; `whole`: it includes the op cases of the checkout. `place` is
    the file for where the app was left.
    """
    process = AppProcess(cache, session.settings, saved=saved, whole=whole, place=place)
    app = TTMatrixApp(
        session,
        process.read_again,
        process=process,
        look=look,
        driver_class=_driver(look),
    )
    app.frames = Repaint()
    return app


def _driver(look: Appearance) -> type[Driver]:
    if terminal.in_browser(os.environ):
        return terminal.BrowserDriver
    return AsciiDriver if look.ascii else TerminalDriver


class AppProcess:
    """The work of the app's process: watch the checkout, save its index and last place, tune memory use."""

    def __init__(
        self,
        cache: Cache,
        settings: Settings,
        *,
        saved: bool,
        whole: bool = True,
        place: Path | None = None,
    ) -> None:
        self._cache = cache
        self._place = place
        self._now: LastPlace | None = None
        self._giving_back: Timer | None = None
        self._keeping = threading.Lock()
        self._whole = whole
        self._settings = settings
        self._saved = saved
        self._ended = threading.Event()

    def read_again(self, _: Matrix) -> Matrix:
        """Index the checkout again, and save the index."""
        matrix = core.matrix.cache.reindex(self._cache)
        for kind in kinds.kinds():
            matrix = kind.read(matrix, self._cache, self._settings, core.matrix.cache.in_worker)
        return matrix

    def started(self, app: TTMatrixApp) -> None:
        """Start work that nobody waits for."""
        app.begin_hints(Hints(app.session.paths.state / "hints.json", app.context.keymap))
        if not self._whole:
            app.files.reload()
        elif not self._saved:
            app.run_worker(partial(self._save, app.session.matrix), thread=True)
        app.run_worker(partial(self._watch, app), thread=True)
        # Garbage cycles of the re-index are in a young generation then, and would otherwise wait for a full collection.
        app.signals.matrix_changed.subscribe(app, lambda _: gc.collect(1))
        for signal in (app.signals.matrix_changed, app.signals.facts_changed):
            signal.subscribe(app, lambda _: self._give_back_soon(app))
        settle_memory()

    def _give_back_soon(self, app: TTMatrixApp) -> None:
        """Once nothing new has come for a while: what was read before is freed by then."""
        if self._giving_back is not None:
            self._giving_back.stop()
        give = partial(app.background.run, "memory", give_back_memory, lambda _: None)
        self._giving_back = app.set_timer(_GIVE_BACK_SECONDS, give)

    def at(self, place: LastPlace) -> None:
        """Take in where the person is."""
        self._now = place

    def keep_place(self) -> None:
        """Store where the person is. If that fails, the old place stays."""
        # One at a time, each with the newest place: an older one never comes last.
        with self._keeping, suppress(TTMatrixError):
            if self._place is not None and self._now is not None:
                write_place(self._place, self._now)

    def ended(self) -> None:
        """Stop the watcher, which must not outlive the screen."""
        self._ended.set()

    def _watch(self, app: TTMatrixApp) -> None:
        def changed(paths: Set[str]) -> None:
            # After a write of ours, the writer itself reads the checkout again.
            if not app.session.bench.wrote(paths):
                app.background.call(app.files.reload)

        directories = [one for kind in kinds.kinds() for one in kind.directories(self._settings)]
        while not self._ended.is_set():
            try:
                watch_checkout(self._cache.checkout, self._ended, changed, directories)
            except Exception as error:  # noqa: BLE001 - a mistake here must not leave the app with old files
                app.background.broke(error)
                self._ended.wait(_WATCH_AGAIN_SECONDS)

    def _save(self, matrix: Matrix) -> None:
        # Serialising it here would delay keys; reading everything again in another process does not.
        with suppress(TTMatrixError):
            self.read_again(matrix)


def watch_checkout(
    checkout: Checkout, stop: threading.Event, changed: Callable[[Set[str]], None], more: Sequence[str] = ()
) -> None:
    """Call `changed` with the paths of each burst of changes to what is indexed, until `stop` is set. Blocks.

    `more` are other directories that are read, relative to the checkout. Creating one also counts as a change.
    """
    # Costs 4 ms of the first frame.
    import watchfiles

    own = (checkout.test_config, checkout.models, checkout.presets, *(checkout.root / one for one in more))
    places = {place for place in own if place.is_dir()}
    while not stop.is_set():
        for changes in watchfiles.watch(
            *places,
            watch_filter=lambda _, path: path.endswith(_ENDINGS),
            debounce=_DEBOUNCE_MS,
            rust_timeout=_STOP_MS,
            yield_on_timeout=True,
            stop_event=stop,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            if changes:
                changed({path for _, path in changes})
            # A path that does not exist cannot be watched.
            if new := {place for place in own if place not in places and place.is_dir()}:
                places |= new
                changed(set(map(str, new)))
                break


def settle_memory() -> None:
    """Exclude the objects of the start from garbage collection, which would visit them in vain and delay frames."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_QUIET_THRESHOLDS)
    gc.enable()
    _set_allocator()


def give_back_memory() -> None:
    """Return freed memory to the system, if the C library can: in a thread, because it takes up to 60 ms.

    Each re-index frees as much as it allocates, but blocks that stay are scattered among those that are freed. On a
    checkout of 20,000 tests the app would grow by 0.1 to 1 MB with each change, to twice of what it needs.
    """
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _set_allocator() -> None:
    """Make the C library return freed memory to the system, if it has an option for that.

    A new index is built in threads, in large blocks. By default glibc keeps a heap per thread with large
    blocks in it: after some re-indexes that is half as much again as all other memory.
    """
    # Costs 1.5 ms of the first frame.
    import ctypes

    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, 1 << 16)
