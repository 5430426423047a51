# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for tests of the app: its threads answer late, or always before a test goes on (`make paced`).

How fast a thread is depends on the machine. A test that passes only because an answer was not there yet, or was there
already, fails with one of the two.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot

from tests.support import app, idle
from tui.app.bridge import Background

T = TypeVar("T")

_LATE_SECONDS = 0.15
_EARLY_SECONDS = 0.25
"""As long as threads and the timers behind them need."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pace", choices=("late", "early"), default="late", help="when threads of the app answer")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.pace == "late":
        _answer_late()
    else:
        _answer_early()


def _answer_late() -> None:
    run = Background.run

    def run_late(self: Background, name: str, work: Callable[[], T], *arguments: Any, **options: Any) -> None:
        def late() -> T:
            time.sleep(_LATE_SECONDS)
            return work()

        run(self, name, late, *arguments, **options)

    Background.run = run_late  # type: ignore[method-assign]


def _answer_early() -> None:
    pause = Pilot.pause

    async def settled() -> None:
        await idle.settled()
        await asyncio.sleep(_EARLY_SECONDS)
        await idle.settled()

    async def pause_longer(self: Pilot[Any], delay: float | None = None) -> None:
        await pause(self, delay)
        await asyncio.sleep(_EARLY_SECONDS)

    app.settled = settled  # type: ignore[attr-defined]
    Pilot.pause = pause_longer  # type: ignore[method-assign]
