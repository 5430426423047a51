# SPDX-License-Identifier: Apache-2.0
"""The one door between threads and the screen: work goes out, its result or its error comes back as a message."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from textual.app import App
from textual.message import Message

from core.errors import TTMatrixError

T = TypeVar("T")


class WorkDone(Message, Generic[T]):
    """A thread has finished: `deliver` hands its result to whoever asked, in the app's own thread."""

    def __init__(self, deliver: Callable[[T], None], result: T) -> None:
        super().__init__()
        self._deliver = deliver
        self._result = result

    def deliver(self) -> None:
        """Call the one who asked."""
        self._deliver(self._result)


class WorkFailed(Message):
    """A thread has met something a person must know."""

    def __init__(self, error: TTMatrixError) -> None:
        super().__init__()
        self.error = error


def in_thread(
    app: App[Any], name: str, work: Callable[[], T], deliver: Callable[[T], None], *, supersede: bool = False
) -> None:
    """Run `work` in a thread and hand its result to `deliver`.

    With `supersede`, work of the same name that is under way or waiting is dropped with its result: right for
    looking, wrong for doing. A TTMatrixError becomes WorkFailed; anything else is a bug and ends the app with
    its traceback.
    """

    # Whoever runs it takes it out of here: a worker refers to itself, so it lives on until the collector comes, which
    # is seldom, and whatever matrix the work was about would live on with it.
    errand = [(work, deliver)]

    def run() -> None:
        from textual.worker import get_current_worker

        worker = get_current_worker()
        work, deliver = errand.pop()
        try:
            result = work()
        except TTMatrixError as error:
            if not worker.is_cancelled:
                app.post_message(WorkFailed(error))
            return
        if not worker.is_cancelled:
            app.post_message(WorkDone(deliver, result))

    app.run_worker(run, name=name, group=name, thread=True, exclusive=supersede)
