# SPDX-License-Identifier: Apache-2.0
"""Open the app on a checkout: everything that can go wrong here is said before the screen is taken over."""

import gc
import os
import threading
from collections.abc import Set
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

# A second frame waits for a tick of this clock, so a faster clock means a shorter wait; idle costs nothing.
os.environ.setdefault("TEXTUAL_FPS", "120")

from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.message import Message
from textual.screen import Screen

from core.cli import AppRequest
from core.errors import TTMatrixError
from core.matrix import Matrix
from core.matrix.cache import Cache
from core.matrix.query import Learned
from core.settings import load_settings, paths
from core.sources import find_checkout
from tui.app.app import TTMatrixApp
from tui.session import Session
from tui.terminal import EndAsked, Ending, Repaint, TerminalDriver

_QUIET_THRESHOLDS = (20_000, 20, 50)
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Parameters of mallopt(3)."""


def open_app(request: AppRequest) -> int:
    """Open the app and return its exit code. Raises TTMatrixError where there is nothing to open it on."""
    own = paths()
    settings = load_settings(own.settings_file)
    checkout = find_checkout(request.repo or Path.cwd(), upward=request.repo is None)
    cache = Cache(checkout, own.cache / "index")
    matrix, reading = cache.index()
    session = Session.open(matrix, own, settings, query=request.query, arch=request.arch)
    app = StartedApp(session, cache, kept=reading is None)
    Ending(app).run()
    session.bench.flush()
    return app.return_code or 0


class CheckoutChanged(Message):
    """Files of the checkout are not what they were when they were indexed."""


class StartedApp(TTMatrixApp):
    """The app as a process of its own: it watches the checkout and keeps its index for the next start."""

    def __init__(self, session: Session, cache: Cache, *, kept: bool) -> None:
        """`kept`: whether the index of `session` is in `cache` already."""
        super().__init__(session, self._read_again)
        self.driver_class = TerminalDriver
        self._repaint = Repaint()
        self._cache = cache
        self._kept = kept
        self._unwatched = threading.Event()

    def _read_again(self, _: Matrix) -> Matrix:
        # Imported here because it is no part of the first frame.
        from core.matrix.cache import reindex

        return reindex(self._cache)

    def take_up(self) -> None:
        """Besides, what nobody waits for."""
        super().take_up()
        if not self._kept:
            self.run_worker(self._keep, thread=True)
        self.run_worker(self._watch, thread=True)
        settle_memory()

    def _replace_matrix(self, matrix: Matrix, learned: Learned) -> None:
        super()._replace_matrix(matrix, learned)
        # What the re-index leaves in cycles is young now, and would else wait for a full collection.
        gc.collect(1)

    def on_unmount(self) -> None:
        """The watcher must not outlive the screen."""
        self._unwatched.set()

    def _watch(self) -> None:
        # Imported here because it is no part of the first frame.

        from tui.app.watch import watch_checkout

        watch_checkout(self._cache.checkout, self._unwatched, self._tell_change)

    def _tell_change(self, paths: Set[str]) -> None:
        # After a write of ours, who wrote reads the checkout again.
        if not self.session.bench.wrote(paths):
            self.post_message(CheckoutChanged())

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Textual's own, for less: the one place where a frame goes to the terminal."""
        if isinstance(renderable, ChopsUpdate | LayoutUpdate):
            # Asked for its text alone, as those of Textual are.
            renderable = cast(RenderableType, self._repaint.lean(renderable, screen.outer_size))
        super()._display(screen, renderable)

    def on_resize(self) -> None:
        """What a terminal makes of its lines then, nobody knows."""
        self._repaint.forget()

    def action_redraw(self) -> None:
        self._repaint.forget()
        super().action_redraw()

    def lend_terminal(self, borrower: int) -> None:
        """Signals that would end us are for it first."""
        if isinstance(self._driver, TerminalDriver):
            self._driver.borrower = borrower

    def action_suspend_process(self) -> None:
        """Stop, with whatever was started together with us, until the shell goes on."""
        if isinstance(self._driver, TerminalDriver):
            self._driver.stop(job=True)

    def on_end_asked(self, message: EndAsked) -> None:
        """A signal ends us as quitting does, but for the questions."""
        # Before its first frame the app cannot end: its screen is in the making.
        self.after_first_frame(partial(self.exit, return_code=128 + message.signum))

    def on_checkout_changed(self, _: CheckoutChanged) -> None:
        """Somebody changed the checkout, perhaps ourselves."""
        self.action_reload()

    def _keep(self) -> None:
        # Writing it down here would hold up the keys; reading all of it once more elsewhere does not.
        with suppress(TTMatrixError):
            self._read_again(self.session.matrix)


def settle_memory() -> None:
    """Put what was built at the start out of the collector's sight: it would look at it in vain and cost frames."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_QUIET_THRESHOLDS)
    gc.enable()
    _give_back_memory()


def _give_back_memory() -> None:
    """Have the C library give back what is freed, where it can be told to.

    Each new index comes through threads and as large blocks. Left alone, glibc keeps a heap for each thread and large
    blocks within them: after some re-indexes that is half as much again as all the rest.
    """
    import ctypes

    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, 1 << 16)
