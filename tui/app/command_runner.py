# SPDX-License-Identifier: Apache-2.0
"""Commands by name: those that work on the current screen, run as their key would run them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.actions import ActionParseResult
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode

from tui.app.navigation import Navigation
from tui.commands import Command, Where, commands, needs_of, refusal, screen_commands
from tui.keymap import Keymap, need_words
from tui.screens import SessionScreen


class CommandRunner:
    """The commands of the screen in front."""

    def __init__(self, app: App[Any], navigation: Navigation, keymap: Keymap, *, read_only: bool) -> None:
        self._read_only = read_only
        self._app = app
        self._navigation = navigation
        self._keymap = keymap

    def valid(self) -> Sequence[Command]:
        """Commands that work on the current screen with the current focus.

        First those on the line of keys, then the screen's others, then those of the pane, then those that work
        everywhere. Unavailable ones come last, with the reason in place of their help.
        """
        screen = self._navigation.in_front()
        if screen is None:
            return []
        active = {one.binding.id for one in screen.active_bindings.values() if one.enabled}
        places = screen.places()
        order = [*commands(*places), *commands(*(one for one in Where if one not in (*places, Where.APP)))]
        found = self._keymap.applied([one for one in (*order, *commands(Where.APP)) if one.id in active])
        lacking = {one.id: words for one in found if (words := self._why_not(screen, one.id))}
        able = sorted((one for one in found if one.id not in lacking), key=_importance)
        return [*able, *(one._replace(help=lacking[one.id], off=True) for one in found if one.id in lacking)]

    def elsewhere(self, valid: Sequence[Command]) -> Sequence[Command]:
        """Commands that are not among the `valid` ones, each with the place where it works before its help."""
        names = {place: f"on {one.keys} {one.label}" for place, one in screen_commands()}
        here = {one.id for one in valid}
        found = []
        others = [one for one in commands(*Where) if one.id not in here and one.where is not Where.APP]
        for one in self._keymap.applied(others):
            where = str(one.where) if one.where.is_part else names.get(one.where, f"on {one.where}")
            found.append(one._replace(help=f"{where}: {one.help}", off=True))
        return found

    def _why_not(self, screen: SessionScreen | None, id: str) -> str:
        refused = refusal(id, read_only=self._read_only)
        if refused or screen is None:
            return refused
        lacking = next((need for need in needs_of(id) if screen.lacks(need)), None)
        return need_words(lacking, self._keymap, read_only=self._read_only) if lacking is not None else ""

    def able(self, id: str) -> bool:
        """Whether a command has all that it needs on the screen in front, which may still be in the making."""
        screen = self._navigation.in_front()
        return screen is not None and screen.is_mounted and not self._why_not(screen, id)

    def refusal(self, action: str | ActionParseResult, node: DOMNode) -> str:
        """Why an action of a screen, a widget or the app is not done now: what it lacks; empty if it is done."""
        screen = self._app.screen if isinstance(self._app.screen, SessionScreen) else None
        return next((why for id in self.ids(action, node) if (why := self._why_not(screen, id))), "")

    def ids(self, action: str | ActionParseResult, node: DOMNode) -> list[str]:
        """The ids of the commands for an action of a screen, a widget or the app."""
        own = (one for kind in type(node).__mro__ for one in vars(kind).get("BINDINGS", ()))
        return [one.id for one in own if isinstance(one, Binding) and one.action == action and one.id]

    def run(self, command: Command | None) -> None:
        """Do what the command's key would do now."""
        if command is None:
            return
        name = command.action.partition("(")[0]
        for node in (self._app.focused, self._app.screen, self._app):
            if node is not None and hasattr(node, f"action_{name}"):
                self._app.call_later(self._app.run_action, command.action, node)
                return


def _importance(command: Command) -> int:
    """The place in help: what one does most on a screen first."""
    if command.where is Where.APP:
        return 3
    return 0 if command.footer else 2 if command.where.is_part else 1
