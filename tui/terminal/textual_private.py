# SPDX-License-Identifier: Apache-2.0
"""Everything of Textual that is used here and not public: the reason why its minor version is pinned.

- The driver of an app: signals and other threads must reach the terminal when the app does not run.
- The updates of the compositor, and the method that writes them: the only way to send a terminal less than Textual
  does. Over ssh its own update is 4 to 18 KB for each line of a log.
- The filter for colours of the terminal, which follows a theme only where the assignment of one is watched.
- The handling of exceptions: Textual ends the app with the first one, whatever work waits in it.
- The parser of keys: it takes esc and a key within 100 ms for one key with alt, which nothing here has, so that esc was
  lost wherever both come in one packet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, cast

from rich.console import RenderableType
from rich.terminal_theme import TerminalTheme
from textual._callback import invoke
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.worker import WorkerFailed

__all__ = (
    "ChopsUpdate",
    "CompositorUpdate",
    "FilteringApp",
    "KeyParser",
    "LayoutUpdate",
    "SurvivingApp",
    "begin_with_theme",
    "driver_of",
    "stop_pixel_mouse",
    "write_to_terminal",
)


class FrameFilter(Protocol):
    """Shrinks updates, knowing what the terminal shows."""

    def lean(self, update: ChopsUpdate | LayoutUpdate, size: Size, cuts: Sequence[Sequence[int]]) -> CompositorUpdate:
        """The same update for a screen of that size, with less output.

        `cuts` are, for each line, the columns where its parts begin, and the one after the last part.
        """

    def forget(self) -> None:
        """Forget what the terminal shows."""


class SurvivingApp(App[None]):
    """An app that goes on after an exception in a handler, a timer, a worker or a widget that is painted.

    What is raised before `can_go_on` or by the app's own loop ends it, as in the stock app.
    """

    def can_go_on(self) -> bool:
        """Whether there is a screen to go on with."""
        return self.is_running

    def survived(self, error: BaseException) -> None:
        """Called in the app's own thread with an exception that ends only what raised it."""

    def tell_pilot(self, error: BaseException) -> None:
        """A test that drives the app fails at its end with the first exception, however well the app goes on."""
        if self.is_headless and self._exception is None and isinstance(error, Exception):
            self._exception = error

    def _handle_exception(self, error: Exception) -> None:
        if isinstance(error, WorkerFailed):
            error = error.error if isinstance(error.error, Exception) else error
        if not self.can_go_on():
            super()._handle_exception(error)
            return
        self.tell_pilot(error)
        if (widget := _painted(error)) is not None:
            _paint_safely(widget, self.survived)
        self.survived(error)


_dispatch = MessagePump._dispatch_message


async def _dispatch_and_go_on(pump: MessagePump, message: Message) -> None:
    """As the stock method, after whose exceptions a widget handles no message any more."""
    app = pump.app
    if not isinstance(app, SurvivingApp):
        await _dispatch(pump, message)
        return
    try:
        await _dispatch(pump, message)
    except Exception as error:
        if not app.can_go_on():
            raise
        app._handle_exception(error)


async def _call_all(pump: MessagePump) -> None:
    """As the stock method, which forgets the callbacks after one that raises."""
    callbacks = pump._next_callbacks.copy()
    pump._next_callbacks.clear()
    for one in callbacks:
        try:
            with pump.prevent(*one._prevent):
                await invoke(one.callback)
        except Exception as error:  # noqa: BLE001 - as above
            pump.app._handle_exception(error)


# For every widget, also Textual's own.
setattr(MessagePump, "_dispatch_message", _dispatch_and_go_on)  # noqa: B010
setattr(MessagePump, "_flush_next_callbacks", _call_all)  # noqa: B010


def _painted(error: BaseException) -> Widget | None:
    """The widget that was asked for its lines when `error` was raised; None: nothing was painted."""
    found, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_name == "_get_renders":
            found = step.tb_frame.f_locals.get("widget")
        step = step.tb_next
    return found if isinstance(found, Widget) else None


def _paint_safely(widget: Widget, survived: Callable[[BaseException], None]) -> None:
    """From now on exceptions of `widget` cost its own lines and not the whole frame."""
    paint = widget.render_lines

    def safely(crop: Region) -> list[Strip]:
        try:
            return paint(crop)
        except Exception as error:  # noqa: BLE001 - as above
            survived(error)
            return [Strip.blank(crop.width) for _ in range(crop.height)]

    setattr(widget, "render_lines", safely)  # noqa: B010 - of this one only, not of its class
    widget.screen.refresh()


class FilteringApp(SurvivingApp):
    """An app whose frames can be filtered on their way to the terminal."""

    frames: FrameFilter | None = None

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self.frames is not None and isinstance(renderable, ChopsUpdate | LayoutUpdate):
            # Only the text of an update is used, as with Textual's own updates.
            renderable = cast(RenderableType, self.frames.lean(renderable, screen.outer_size, screen._compositor.cuts))
        super()._display(screen, renderable)

    def forget_frames(self) -> None:
        """Forget what the terminal shows: the next frame is written completely."""
        if self.frames is not None:
            self.frames.forget()


def begin_with_theme(app: App[Any], name: str, dark: TerminalTheme, light: TerminalTheme) -> None:
    """Give an app that does not run yet its theme, and what named colours look like in dark and in light themes.

    Assigning them instead reads all style sheets three times before the first frame, an eighth of the time until then.
    """
    app.set_reactive(App.ansi_theme_dark, dark)
    app.set_reactive(App.ansi_theme_light, light)
    app.set_reactive(App.theme, name)
    app.set_class(app.current_theme.dark, "-dark-mode", update=False)
    app.set_class(not app.current_theme.dark, "-light-mode", update=False)
    app._refresh_truecolor_filter(app.ansi_theme)
    app.stylesheet.set_variables(app.get_css_variables())


_ESC = "\x1b"
_GO_ON = r"\[O\]Pfb\\\x7f\t\x1b"
"""Characters that may follow the escape character of a sequence: `f` and `b` are words right and left on a Mac."""
_LONE = re.compile(rf"(?<={_ESC})(?=[^{_GO_ON}])")
_BEGINS_ALONE = re.compile(rf"[^{_GO_ON}]")
_PASTE, _PASTED = f"{_ESC}[200~", f"{_ESC}[201~"


class KeyParser(XTermParser):
    """Textual's parser of terminal input, for which esc is always esc, however soon another key follows."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._open = False
        """Whether the last character was an escape character, which may be a key or begin a sequence."""
        self._pasting = False

    def feed(self, data: str) -> Iterable[Message]:
        """The events in the terminal's input."""
        pasting = self._pasting or _PASTE in data
        self._pasting = pasting and data.rfind(_PASTED) <= data.rfind(_PASTE)
        for part in [data] if pasting else _LONE.split(data):
            # If it no longer waits, the time for a sequence has passed.
            if self._open and self._timeout_time is not None and _BEGINS_ALONE.match(part):
                self._timeout_time = 0.0
                yield from self.tick()
            self._open = part.endswith(_ESC)
            yield from super().feed(part)


# The driver creates its parser itself.
setattr(linux_driver, "XTermParser", KeyParser)  # noqa: B010 - not exported, so mypy knows no such name


def driver_of(app: App[Any]) -> Driver | None:
    """The driver of a running app."""
    return app._driver


def write_to_terminal(app: App[Any], text: str) -> None:
    """Write a sequence that Textual does not support; nothing without a terminal."""
    driver = driver_of(app)
    if driver is not None:
        driver.write(text)


def stop_pixel_mouse(driver: LinuxDriver) -> bool:
    """Record that the mouse is no longer reported in pixels; returns whether it was."""
    was = driver._mouse_pixels
    driver._mouse_pixels = False
    return was
