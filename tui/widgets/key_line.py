# SPDX-License-Identifier: Apache-2.0
"""The keys that work now, on one line: those that fit, in the order of the commands; a click presses one."""

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.screen import Screen

from tui.commands import refusal
from tui.key_names import key_name
from tui.textual_private import CachedLines

_MORE = "…"


class _Key(NamedTuple):
    """A key as the line shows it."""

    key: str
    """Empty: it is the sign for keys without room."""
    shown: str
    label: str
    help: str
    last: bool
    """Whether it is the app's own, to be seen even where others have no room."""

    @property
    def width(self) -> int:
        return len(self.shown) + len(self.label) + 3 if self.key else len(_MORE)


class KeyLine(CachedLines):
    """One widget, where the stock footer makes one for each key whenever the focus moves."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-line--key"}
    DEFAULT_CSS = """
    KeyLine { height: 1; dock: bottom; background: $footer-background; color: $footer-foreground; }
    KeyLine > .key-line--key { color: $footer-key-foreground; text-style: bold; }
    """

    def __init__(self, *, read_only: bool = False) -> None:
        """With `read_only`, keys that would change something are not on the line."""
        super().__init__()
        self._read_only = read_only
        self._left_out: frozenset[str] = frozenset()

    def leave_out(self, ids: Iterable[str]) -> None:
        """Show all keys but those of these commands: they would only say why they do nothing."""
        ids = frozenset(ids)
        if ids != self._left_out:
            self._left_out = ids
            self.refresh()

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def _bindings_changed(self, screen: "Screen[object]") -> None:
        if screen is self.screen and self.app.app_focus:
            self.refresh()

    def render(self) -> RenderResult:
        style = self.get_component_rich_style("key-line--key", partial=True)
        line = Text(no_wrap=True, end="")
        for key in self._keys():
            if key.key:
                line.append(f" {key.shown}", style).append(f" {key.label} ")
            else:
                line.append(_MORE)
        return line

    def on_mouse_move(self, event: events.MouseMove) -> None:
        key = self._key_at(event.x)
        self.tooltip = (key.help or None) if key else None

    def on_click(self, event: events.Click) -> None:
        key = self._key_at(event.x)
        if key and key.key:
            self.app.simulate_key(key.key)

    def _key_at(self, x: int) -> _Key | None:
        for key in self._keys():
            if 0 <= x < key.width:
                return key
            x -= key.width
        return None

    def _keys(self) -> list[_Key]:
        """The keys that have room."""
        shown: dict[str, _Key] = {}
        for node, binding, enabled, tooltip in self.screen.active_bindings.values():
            refused = binding.id in self._left_out or refusal(binding.id or "", read_only=self._read_only)
            if binding.show and enabled and not refused and binding.action not in shown:
                own = node is self.app
                shown[binding.action] = _Key(binding.key, key_name(binding.key), binding.description, tooltip, own)
        keys = list(shown.values())
        room, count = self.size.width + 1, len(keys)
        while keys and sum(key.width for key in keys) + len(_MORE) * (len(keys) < count) > room:
            keys.remove(next((key for key in reversed(keys) if not key.last), keys[-1]))
        if not 0 < len(keys) < count:
            return keys
        first = [key for key in keys if not key.last]
        return [*first, _Key("", "", "", "", False), *keys[len(first) :]]
