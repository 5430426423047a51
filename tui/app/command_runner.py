# SPDX-License-Identifier: Apache-2.0
"""Commands by their names: what works on the screen in front, run as its key would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.actions import ActionParseResult
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode

from tui.app.navigation import Navigation
from tui.commands import Command, Where, commands
from tui.effects import refusal
from tui.keymap import Keymap


class CommandRunner:
    """The commands of the screen in front."""

    def __init__(self, app: App[Any], navigation: Navigation, keymap: Keymap, *, read_only: bool) -> None:
        self._read_only = read_only
        self._app = app
        self._navigation = navigation
        self._keymap = keymap

    def valid(self) -> Sequence[Command]:
        """What works on the screen in front with the focus where it is, its own commands first."""
        screen = self._navigation.in_front()
        if screen is None:
            return []
        active = {one.binding.id for one in screen.active_bindings.values() if one.enabled}
        places = screen.places()
        order = [*commands(*places), *commands(*(one for one in Where if one not in (*places, Where.APP)))]
        return self._keymap.applied([one for one in (*order, *commands(Where.APP)) if one.id in active])

    def refusal(self, action: str | ActionParseResult, node: DOMNode) -> str:
        """Why an action of a screen, a widget or the app is not done now; empty: it is."""
        if not self._read_only or not isinstance(action, str):
            return ""
        known = (one.id for one in type(node).BINDINGS if isinstance(one, Binding) and one.action == action)
        return next((why for id in known if id and (why := refusal(id, read_only=True))), "")

    def run(self, command: Command | None) -> None:
        """Do what the command's key would do here."""
        if command is None:
            return
        name = command.action.partition("(")[0]
        for node in (self._app.focused, self._app.screen, self._app):
            if node is not None and hasattr(node, f"action_{name}"):
                self._app.call_later(self._app.run_action, command.action, node)
                return
