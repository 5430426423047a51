# SPDX-License-Identifier: Apache-2.0
"""The only connection between threads and the screen: results and errors of threads come back as messages."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from textual.app import App
from textual.message import Message
from textual.worker import get_current_worker

from core.base.errors import TTMatrixError
from tui.app.key_order import Pause

T = TypeVar("T")

_WRITTEN_SECONDS = 0.05
"""Pause after the first frame is made, so that the writing thread and the terminal can display it."""
_THREADS = 32
"""Most work waits for the lock of the checkout. Python's own number, six on two cores, would be used up by it."""


class WorkDone(Message, Generic[T]):
    """A thread has finished: `deliver` gives its result to the caller, in the app's own thread."""

    def __init__(self, deliver: Callable[[T], None], result: T) -> None:
        super().__init__()
        self._deliver = deliver
        self._result = result

    def deliver(self) -> None:
        """Call the caller back."""
        self._deliver(self._result)


class WorkFailed(Message):
    """A thread has raised an error that a person must read."""

    def __init__(self, error: TTMatrixError, done: Callable[[], None] = lambda: None) -> None:
        """`done` is called when the error is shown."""
        super().__init__()
        self.error = error
        self.done = done


class Background:
    """Runs work in threads, without delaying the first frame."""

    def __init__(
        self, app: App[Any], pause: Callable[..., Pause], mistake: Callable[[BaseException], TTMatrixError]
    ) -> None:
        """`pause` makes keys wait; `mistake` says an exception that nobody expected as an error."""
        self._app = app
        self._pause = pause
        self._mistake = mistake
        self._waiting: list[Callable[[], object]] | None = []
        """Work that waits for the first frame; None once that is on the terminal."""
        self._newest: dict[str, object] = {}
        """A token of the newest work of each name that supersedes earlier work."""

    @property
    def first_frame_shown(self) -> bool:
        """Whether the first frame is on the terminal."""
        return self._waiting is None

    def start(self) -> None:
        """Have enough threads, so that what waits for nothing begins at once."""
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, "work"))

    def screen_ready(self) -> None:
        """The first frame is about to be written."""
        self._app.call_after_refresh(self._app.set_timer, _WRITTEN_SECONDS, self.first_frame_written)

    def first_frame_written(self) -> None:
        """The first frame is on the terminal: what waits for it begins."""
        waiting, self._waiting = self._waiting or [], None
        for work in waiting:
            work()

    def after_first_frame(self, work: Callable[[], object]) -> None:
        """Do `work` in the app's own thread once the first frame is on the terminal; at once if it is."""
        if self._waiting is None:
            work()
        else:
            self._waiting.append(work)

    def call(self, callback: Callable[[], object]) -> None:
        """From any thread: call `callback` in the app's own thread."""

        def deliver(_: None) -> None:
            callback()

        self._app.post_message(WorkDone(deliver, None))

    def broke(self, error: Exception) -> None:
        """From any thread: say that work that is not from `run` met an exception that nobody expected."""
        self._app.post_message(WorkFailed(self._mistake(error)))

    def run(
        self,
        name: str,
        work: Callable[[], T],
        deliver: Callable[[T], None],
        *,
        supersede: bool = False,
        asks: bool = False,
        lists: bool = False,
        fail: Callable[[TTMatrixError], None] | None = None,
    ) -> None:
        """Run `work` in a thread and give its result to `deliver` in the app's own thread.

        With `supersede`, earlier work of the same name that also set `supersede` is dropped with its result, waiting or
        running or just done: right for reading, wrong for writing. Only one reader may use such a name. With `asks`,
        keys wait for what `deliver` opens; with `lists` for what it lists, but with a time limit. An error goes to
        `fail`, or without it becomes WorkFailed; one that is no TTMatrixError is a bug, and goes there as a `Mistake`.
        """
        job = _Job(work, deliver, fail, self._pause(question=asks).end if asks or lists else _nothing)
        self.after_first_frame(partial(self._run, name, job, supersede))

    def _run(self, name: str, job: "_Job[Any]", supersede: bool) -> None:
        app = self._app
        # The thread takes the job out of here: a worker refers to itself, so it is only freed by the garbage collector,
        # which seldom runs, and would keep the matrix that the work was about alive.
        box, token = [job], object()
        if supersede:
            self._newest[name] = token

        def run() -> None:
            worker = get_current_worker()
            job = box.pop()
            message: Message
            try:
                result = job.work()
            except TTMatrixError as error:
                message = job.failed(error)
            except Exception as error:  # noqa: BLE001 - a bug, which must not end the app
                message = job.failed(self._mistake(error))
            else:
                message = WorkDone(job.take, result)

            def deliver(_: None) -> None:
                # Here, because newer work may have begun, and even be done, since this thread has finished.
                if worker.is_cancelled or (supersede and self._newest.get(name) is not token):
                    job.done()
                elif isinstance(message, WorkDone):
                    message.deliver()
                else:
                    app.post_message(message)

            app.post_message(WorkDone(deliver, None))

        app.run_worker(run, name=name, group=name if supersede else "work", thread=True, exclusive=supersede)


class _Job(NamedTuple, Generic[T]):
    """Work for a thread, the receivers of its result and of its error, and a callback for its end."""

    work: Callable[[], T]
    deliver: Callable[[T], None]
    fail: Callable[[TTMatrixError], None] | None
    done: Callable[[], None]

    def take(self, result: T) -> None:
        try:
            self.deliver(result)
        finally:
            self.done()

    def failed(self, error: TTMatrixError) -> Message:
        """The message for an error."""
        return WorkFailed(error, self.done) if self.fail is None else WorkDone(self.refuse, error)

    def refuse(self, error: TTMatrixError) -> None:
        try:
            if self.fail is not None:
                self.fail(error)
        finally:
            self.done()


def _nothing() -> None:
    pass


class Repeating(Generic[T]):
    """Repeats the same work in one thread; a result is delivered only if it differs from the last one."""

    def __init__(
        self, app: App[Any], name: str, seconds: float, work: Callable[[], T], deliver: Callable[[T], None]
    ) -> None:
        """An error that `work` raises is a bug; the next round comes all the same."""
        self._app = app
        self._seconds = seconds
        self._work = work
        self._deliver = deliver
        self._thread = ThreadPoolExecutor(1, name)
        self._round: Future[T] | None = None
        """The round in progress."""
        self._once_more = False
        self._stopped = False
        self._last: T | None = None

    def start(self) -> None:
        """Do the work now, and every `seconds` from then on."""
        self.now()
        self._app.set_interval(self._seconds, self._tick)

    def now(self) -> None:
        """Do the work without waiting; if a round is in progress, once more after it."""
        self._once_more = self._round is not None
        self._tick()

    def stop(self) -> None:
        """Stop repeating; a round in progress delivers nothing."""
        self._stopped = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _tick(self) -> None:
        # The app may end before the callback that would start the rounds.
        if self._round is None and not self._stopped:
            self._round = self._thread.submit(self._work)
            self._round.add_done_callback(lambda done: self._app.post_message(WorkDone(self._finished, done)))

    def _finished(self, done: Future[T]) -> None:
        self._round = None
        if self._stopped:
            # It may not even have begun.
            return
        if self._once_more:
            self.now()
        result = done.result()
        if result != self._last:
            self._last = result
            self._deliver(result)
