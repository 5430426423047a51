# SPDX-License-Identifier: Apache-2.0
"""On a matrix of the real size nothing keeps the app's own thread for long, and an idle app does nothing.

Measured as processor time of that thread (`time.thread_time`), so that what else the machine does has no part in it.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from textual.pilot import Pilot

from core.domain.model import BringupStatus
from core.evidence import Ending, Observation
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.evidence import observed
from tests.support.git import committed_checkout
from tests.support.reports import keep
from tests.support.tree import INFERENCE, TRAINING, loader_source, write_checkout
from tui.app.app import TTMatrixApp
from tui.screens import TriageScreen
from tui.screens.clusters import ClustersScreen
from tui.screens.overview import OverviewScreen

pytestmark = pytest.mark.slow("a matrix of 21,000 rows")

_MOST_SECONDS = 0.050
_WALKS = 3
"""A machine that is busy makes a piece of work dearer than `_probe` says, but hardly the same one each time."""
_ROWS = 21_072
_LOADERS, _VARIANTS = 439, 8
_IDLE_SECONDS, _IDLE_SHARE = 3.0, 0.005
_STATUSES = (
    "EXPECTED_PASSING",
    "KNOWN_FAILURE_XFAIL\n    bringup_status: FAILED_RUNTIME\n    reason: DRAM OOM",
    "NOT_SUPPORTED_SKIP\n    reason: too large",
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """As many tests, entries and results as the real one has, all made up."""
    names = [f"family{number % 60:02}/model{number:03}/pytorch" for number in range(_LOADERS)]
    yaml = {
        file: "test_config:\n"
        + "".join(
            f"  {name}-v{variant}-single_device-{mode}:\n    status: {_STATUSES[(at + variant) % 3]}\n"
            for at, name in enumerate(names)
            for variant in range(2)
        )
        for file, mode in ((INFERENCE, "inference"), (TRAINING, "training"))
    }
    source = loader_source([f"v{variant}" for variant in range(_VARIANTS)])
    checkout = write_checkout(tmp_path_factory.mktemp("large") / "tt-xla", dict.fromkeys(names, source), yaml)
    committed_checkout(checkout)
    return checkout


def _results(names: int) -> Iterator[Observation]:
    for number in range(names):
        id = f"family{number % 60:02}/model{number:03}/pytorch-v{number % 2}-single_device-inference"
        for night in (1, 2, 3):
            failed = {"stage": BringupStatus.FAILED_RUNTIME, "reason": f"error {number % 7} in the runtime"}
            ending: dict[str, Any] = failed if number % 2 else {"ending": Ending.PASSED, "pcc": 0.995}
            when = night * 86400.0
            yield observed(**({"ending": Ending.FAILED} | ending), test_id=id, arch="n150", run=f"n{night}", when=when)


def _probe() -> float:
    """Seconds that a fixed piece of work takes now. Processor time, too, is longer while neighbours use the same core."""
    begun = time.thread_time()
    words: dict[str, int] = {}
    for number in range(4_000):
        words[str(number)] = words.get(str(number % 977), 0) + number
    sorted(words.values())
    return time.thread_time() - begun


_PROBE_SECONDS = 0.00115
"""What `_probe` takes on a core of its own of the machine that the limit is meant for."""


class Step(NamedTuple):
    """One step of the event loop."""

    seconds: float
    key: int
    """The number of the key that was pressed before it."""
    what: str


class Watchdog:
    """Takes the time of every step of the event loop, by the key that was pressed before it."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._keys: list[tuple[str, float]] = []

    def press(self, what: str) -> None:
        """A key is about to be pressed."""
        self._keys.append((what, _probe()))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Take times from here on."""
        handle: Any = asyncio.events.Handle
        stock = handle._run

        def run(one: Any) -> None:
            begun, key = time.thread_time(), len(self._keys) - 1
            stock(one)
            # What ends the watching, or probes the machine, is a step of the test and none of the app.
            if handle._run is run and key == len(self._keys) - 1:
                self.steps.append(Step(time.thread_time() - begun, key, repr(one._callback)))

        handle._run = run
        try:
            yield
        finally:
            handle._run = stock

    def slow(self, limit: float) -> dict[int, str]:
        """Of each key the slowest step that would take longer than `limit` on a core of its own, by its number."""
        self.press("the end")
        found: dict[int, str] = {}
        for seconds, key, what in sorted(self.steps, reverse=True):
            (pressed, before), (_, after) = self._keys[max(key, 0)], self._keys[key + 1]
            alone = seconds / max(1.0, max(before, after) / _PROBE_SECONDS)
            if alone > limit:
                found.setdefault(key, f"{alone * 1000:.0f} ms ({seconds * 1000:.0f} ms): {pressed}: {what[:120]}")
        return found


async def _walk(app: TTMatrixApp, pilot: Pilot[Any], dog: Watchdog) -> None:
    """Through all screens, and what one does on each of them."""

    async def press(*keys: str) -> None:
        for key in keys:
            dog.press(f"{key} on {type(app.screen).__name__}")
            await pilot.press(key)

    async def write(text: str) -> None:
        for letter in text:
            dog.press(f"{letter} of {text} on {type(app.screen).__name__}")
            await type_text(pilot, letter)

    await press(
        "j",
        "k",
        "pagedown",
        "ctrl+d",
        "G",
        "g",
        "space",
        "ctrl+n",
        "d",
        "d",
        "f",
        "f",
        "greater_than_sign",
        "O",
        "greater_than_sign",
        "at",
    )
    await press("slash")
    await write("family1 status:xfail mode:training")
    await press("enter", "enter", "j", "escape", "escape")
    await press("asterisk", "ctrl+n", "m")
    await write("family")
    await press("enter", "j", "l", "j", "h", "plus", "G", "underscore", "m")
    await write("nothing")
    await press(
        "enter",
        "number_sign",
        "l",
        "greater_than_sign",
        "O",
        "j",
        "enter",
        "escape",
        "number_sign",
        "minus",
        "minus",
        "z",
        "z",
    )
    await press("question_mark", "escape", "V", "escape", "C", "escape", "colon")
    await write("goto model123")
    await press("escape", "L", "H", "escape", "E", "escape", "M", "escape", "R", "escape")
    filled = {
        "0": lambda: app.navigation.screen(OverviewScreen).complete,
        "4": lambda: bool(app.navigation.screen(TriageScreen).tests.changes),
        "6": lambda: "no findings" in screen_text(app),
        "7": lambda: len(app.navigation.screen(ClustersScreen).table.source) > 0,
    }
    for key in "0234567890123456789":
        await press(key)
        await until(pilot, filled.get(key, lambda: True), f"the rows of {key}")
        await press("j", "k", "G", "g", "tab", "tab", "z", "z", "question_mark", "escape")
        if key in "4567":
            await press("enter", "escape")


def _traced() -> bool:
    """Whether each line is traced, which takes far longer than what it does."""
    return sys.gettrace() is not None


async def _watched(checkout: Checkout) -> Watchdog:
    """A walk through a new app."""
    app, dog = build_app(checkout), Watchdog()
    assert len(app.session.matrix.ids) == _ROWS
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        # As the app itself does once it has begun (`tui.app.start`): what is there is not looked through again.
        gc.collect()
        gc.freeze()
        gc.disable()
        try:
            with dog.watching():
                await _walk(app, pilot, dog)
        finally:
            gc.enable()
            gc.unfreeze()
    assert len(dog.steps) > 1_000
    return dog


async def test_nothing_keeps_the_thread_of_the_app_for_long(checkout: Checkout) -> None:
    if _traced():
        pytest.skip("times are those of the tracer")
    keep(checkout, list(_results(400)))
    slow = (await _watched(checkout)).slow(_MOST_SECONDS)
    for _ in range(_WALKS - 1):
        if slow:
            again = (await _watched(checkout)).slow(_MOST_SECONDS)
            slow = {key: what for key, what in again.items() if key in slow}
    assert not slow, "\n".join(slow.values())


async def _used(app: TTMatrixApp, written: list[str]) -> float:
    """Seconds of processor time that the thread of the app takes in the next seconds; all that it writes is noted."""
    driver = app._driver
    assert driver is not None
    stock = driver.write

    def write(data: str) -> None:
        written.append(data)
        stock(data)

    driver.write = write  # type: ignore[method-assign]
    begun = time.thread_time()
    await asyncio.sleep(_IDLE_SECONDS)
    driver.write = stock  # type: ignore[method-assign]
    return time.thread_time() - begun


async def test_an_idle_app_does_nothing(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        # With every screen alive behind the one in front.
        await pilot.press(*"024567891")
        # What was begun when they were opened comes to its end first.
        for _ in range(10):
            written: list[str] = []
            used = await _used(app, written)
            if used < _IDLE_SHARE * _IDLE_SECONDS and not "".join(written):
                return
    pytest.fail(f"{used / _IDLE_SECONDS:.1%} of a core, {len(''.join(written))} characters to the terminal")
