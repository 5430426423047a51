# SPDX-License-Identifier: Apache-2.0
"""Everything of Textual that is used here and not public: the reason why its minor version is pinned.

- The driver of an app: signals and other threads must reach the terminal when the app does not run.
- The updates of the compositor, and the method that writes them: the only way to send a terminal less than Textual
  does. Over ssh its own update is 4 to 18 KB for each line of a log.
"""

from __future__ import annotations

from typing import Any, Protocol, cast

from rich.console import RenderableType
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.screen import Screen

__all__ = (
    "ChopsUpdate",
    "CompositorUpdate",
    "FilteringApp",
    "LayoutUpdate",
    "driver_of",
    "stop_pixel_mouse",
    "write_to_terminal",
)


class FrameFilter(Protocol):
    """Makes less of updates, knowing what the terminal shows."""

    def lean(self, update: ChopsUpdate | LayoutUpdate, size: Size) -> CompositorUpdate:
        """The same update for a screen of that size, which writes less."""

    def forget(self) -> None:
        """Nobody knows what the terminal shows."""


class FilteringApp(App[None]):
    """An app whose frames may be filtered where they go to the terminal."""

    frames: FrameFilter | None = None

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self.frames is not None and isinstance(renderable, ChopsUpdate | LayoutUpdate):
            # Only the text of an update is asked for, as of those of Textual.
            renderable = cast(RenderableType, self.frames.lean(renderable, screen.outer_size))
        super()._display(screen, renderable)

    def forget_frames(self) -> None:
        """Nobody knows what the terminal shows: the next frame is written whole."""
        if self.frames is not None:
            self.frames.forget()


def driver_of(app: App[Any]) -> Driver | None:
    """The driver of an app that runs."""
    return app._driver


def write_to_terminal(app: App[Any], text: str) -> None:
    """Write a sequence that Textual does not know; nothing where there is no terminal."""
    driver = driver_of(app)
    if driver is not None:
        driver.write(text)


def stop_pixel_mouse(driver: LinuxDriver) -> bool:
    """Take note that the mouse is no longer reported in pixels; returns whether it was."""
    was = driver._mouse_pixels
    driver._mouse_pixels = False
    return was
