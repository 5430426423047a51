# SPDX-License-Identifier: Apache-2.0
"""All that is used here of Textual and not public: the reason why its minor version is pinned.

`PRIVATE` says why each name is used. When Textual is updated, read the new source of each, and run `tests/tui`: a test
holds that no other module uses a private name, that each of these still exists, and that none is without use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any, Protocol, TypeVar, cast

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual._callback import invoke
from textual._compositor import (
    ChopsUpdate as ChopsUpdate,
    CompositorUpdate as CompositorUpdate,
    LayoutUpdate as LayoutUpdate,
)
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import ScreenResume
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Label
from textual.worker import WorkerFailed

T = TypeVar("T")

CHECKED = "8.2"
"""The version of Textual whose source was read for all of these."""

PRIVATE: Mapping[str, str] = {
    "textual._callback": "`invoke`: to call a callback as Textual does, whether it waits or not",
    "textual._compositor": "the updates of a frame: to send less than Textual, over ssh 4 to 18 KB a line of a log",
    "textual._xterm_parser": "esc and a key within 100 ms are alt and that key, which nothing here has: esc was lost",
    "App._display": "writes the updates of a frame",
    "App._driver": "signals and other threads must reach the terminal when the app does not run",
    "App._exception": "a test that drives the app fails with the first exception",
    "App._handle_exception": "Textual ends the app with the first exception, whatever work waits in it",
    "App._refresh_truecolor_filter": "the filter for colours follows a theme only where assigning one is watched",
    "App._start_widget": "the scroll bar of a view, made when it is first asked for",
    "Compositor._dirty_regions": "whether a screen is to be painted whole anyway",
    "Compositor._get_renders": "the name in a traceback that tells which widget was being painted",
    "Input._suggestion": "a Suggester works in a task and comes a frame after the letter",
    "LinuxDriver._mouse_pixels": "the stock driver switches off all modes of the mouse except this one",
    "Message._prevent": "what a message or callback prevents",
    "MessagePump._dispatch_message": "after an exception in a handler a widget would handle no message any more",
    "MessagePump._flush_next_callbacks": "after an exception in a callback those behind it would be lost",
    "MessagePump._next_callbacks": "the callbacks of `_flush_next_callbacks`",
    "Screen._compositor": "what is on a screen, to paint a dialog over it",
    "Screen._compositor_refresh": "a dialog is painted five times before all in it has its size",
    "Screen._layout_required": "whether a screen is to be laid out again, and is then painted whole",
    "Screen._on_timer_update": "a screen that is laid out again is painted twice",
    "Screen._repaint_required": "whether it is to be painted before that",
    "Screen._screen_resized": "a screen is laid out anew for the size that it has",
    "ScrollView._scroll_update": "what assigning `virtual_size` does, without laying out the whole screen",
    "ScrollView._vertical_scrollbar": "no public way gives a view another class of bar",
    "Stylesheet._parse_rules": "the styles of dialogs, read in a thread: 26 ms of the first dialog",
    "Widget._get_default_css": "the styles of a class, before there is a widget of it",
    "Widget._set_dirty": "what makes a line dirty, only this method tells",
    "XTermParser._timeout_time": "until when esc may begin a sequence",
}
"""Each private module or name, with the reason for its use."""


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


def parse_keys_in(module: ModuleType) -> None:
    """Have the driver of a module of Textual, which creates its parser itself, read keys as `KeyParser` does."""
    setattr(module, "XTermParser", KeyParser)  # noqa: B010 - not exported, so mypy knows no such name


parse_keys_in(linux_driver)


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


class CachedLines(Widget):
    """A widget that paints a line once, and again only when it was made dirty.

    The compositor asks every widget on the screen for all its lines with each frame. For one line of text that costs
    10 µs of processor time here and 37 µs in the stock widget, and a screen has ten of them beside its tables. What
    makes a line dirty, only the private method tells.

    It comes after a stock class among the bases: Textual takes the styles of the first one.
    """

    _cached_at = Region()
    _cached_over: object = None
    _cached: Sequence[Strip | None] = ()

    def _set_dirty(self, *regions: Region) -> None:
        super()._set_dirty(*regions)
        if not regions:
            self._cached = ()
        for region in regions:
            first, last = (max(0, y - self._cached_at.y) for y in (region.y, region.bottom))
            self._cached = [None if first <= at < last else strip for at, strip in enumerate(self._cached)]

    def render_lines(self, crop: Region) -> list[Strip]:
        # What shines through from behind is changed by another widget.
        over = None if self.styles.background.a == 1 else self.background_colors
        same = self._cached and (crop, over) == (self._cached_at, self._cached_over)
        lines = self._cached if same else [None] * crop.height
        missing = [at for at, strip in enumerate(lines) if strip is None]
        if missing:
            first, last = missing[0], missing[-1] + 1
            painted = self.paint_lines(Region(crop.x, crop.y + first, crop.width, last - first))
            lines = [*lines[:first], *painted, *lines[last:]]
        self._cached_at, self._cached_over, self._cached = crop, over, lines
        return [strip for strip in lines if strip is not None]

    def paint_lines(self, crop: Region) -> list[Strip]:
        """Paint a region of the widget."""
        return super().render_lines(crop)


@lru_cache(1024)
def _tinted(style: Style | None, tint: Color, own: Style) -> Style:
    """`style` in the tint, over the dialog's own."""
    (segment,) = BackgroundScreen.process_segments([Segment(" ", style)], tint)
    return own + segment.style


class SteadyScreen(Screen[T]):
    """A screen that is laid out anew only for another size, and painted once after that.

    Textual lays it out for the same size too: twice when it appears, and once more with each dialog in front of it.
    Where all of it is to be painted, it does so twice. Together that is a third of the first frame of a form.
    """

    def _screen_resized(self, size: Size) -> None:
        if size != self._compositor.size:
            super()._screen_resized(size)

    def _on_timer_update(self) -> None:
        if self._layout_required and self.size.region in self._compositor._dirty_regions:
            # To be laid out again, and then all of it is painted: Textual would paint it a second time.
            self._repaint_required = False
        super()._on_timer_update()


class LatePainted(ModalScreen[T], SteadyScreen[T], CachedLines):
    """A dialog that is painted first when all in it has its size.

    Textual paints a new screen five times, with what is behind it: a third of what `?` costs.
    """

    _has_sizes = False

    def once_painted(self) -> None:
        """The dialog is seen for the first time: what takes longer begins here."""

    def on_screen_resume(self, event: ScreenResume) -> None:
        if not self._has_sizes:
            # The widgets got their styles when they were made. To do that once more is a seventh of the first frame.
            event.refresh_styles = False
        # Behind the message of the first size, which follows this one.
        self.call_later(self.call_later, self._paint)

    def _paint(self) -> None:
        first, self._has_sizes = not self._has_sizes, True
        self.refresh()
        if first:
            self.call_after_refresh(self.once_painted)

    def _compositor_refresh(self) -> None:
        if self._has_sizes:
            super()._compositor_refresh()

    def paint_lines(self, crop: Region) -> list[Strip]:
        """Paint the screen behind the box with half of the work of the stock screen: each style is tinted once."""
        behind = self.render()
        if not isinstance(behind, BackgroundScreen):
            return super().paint_lines(crop)
        own, background = self.visual_style.rich_style, self.background_colors[1]
        strips = []
        for line in behind.screen._compositor.render_strips()[crop.y : crop.bottom]:
            tinted = [Segment(text, _tinted(look, behind.color, own)) for text, look, _ in line]
            strip = Strip(tinted, line.cell_length).crop(*crop.column_span)
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, background)
            strips.append(strip)
        return strips


StyleSources = Mapping[CSSLocation, tuple[str, int, str]]
"""Text, order among other defaults, and scope of style sheets, by their places."""


def parse_styles(sheet: Stylesheet) -> StyleSources:
    """Parse the styles of our widgets and of their bases, in any thread; their modules must be loaded.

    Only `add_styles` makes them count.

    Textual parses them when the first widget of a class appears, and those of its bases again: a quarter of what the
    first dialog costs, 26 ms.
    """
    found: dict[CSSLocation, tuple[str, int, str]] = {}
    kinds: list[type[Widget]] = [Label, *_ours_below(Widget)]
    for kind in kinds:
        # A method of instances that needs the class only.
        for place, css, order, scope in object.__new__(kind)._get_default_css():
            if place not in found or order < found[place][1]:
                found[place] = css, order, scope
    for place, (css, order, scope) in found.items():
        sheet._parse_rules(css, place, is_default_rules=True, tie_breaker=order, scope=scope)
    return found


def add_styles(sheet: Stylesheet, sources: StyleSources) -> None:
    """Take in what `parse_styles` has parsed."""
    for place, (css, order, scope) in sources.items():
        sheet.add_source(css, place, is_default_css=True, tie_breaker=order, scope=scope)
    sheet.parse()


def _ours_below(kind: type[Widget]) -> Iterator[type[Widget]]:
    for one in kind.__subclasses__():
        if one.__module__.startswith("tui."):
            yield one
        yield from _ours_below(one)


def install_scrollbar(view: ScrollView, make: Callable[..., ScrollBar]) -> ScrollBar:
    """The vertical scroll bar of `view`, made by `make` when it is first asked for.

    The class of the bars has no public door; the stock bar is most of what a scroll costs (see `CellBar`).
    """
    bar = view._vertical_scrollbar
    if bar is None:
        bar = view._vertical_scrollbar = make(name="vertical", thickness=view.scrollbar_size_vertical)
        bar.display = False
        view.app._start_widget(view, bar)
    return bar


def set_virtual_size(view: ScrollView, size: Size) -> None:
    """Say how large the scrolled area is, where the bars are always there.

    To assign `virtual_size` has the whole screen laid out again, in case a bar comes or goes: with each line that a
    log grows by.
    """
    view.set_reactive(ScrollView.virtual_size, size)
    view._scroll_update(size)


def suggestion(line: Input) -> str:
    """The completion that is shown behind what is typed."""
    return line._suggestion


def show_suggestion(line: Input, text: str) -> None:
    """Show a completion in the same frame as the letter. A Suggester works in a task and comes a frame later."""
    line._suggestion = text
