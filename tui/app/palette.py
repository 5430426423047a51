# SPDX-License-Identifier: Apache-2.0
"""Commands by their names: what works on the screen in front, run as its key would, and found in the palette."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui.app.navigation import Navigation
from tui.commands import Command, Where, commands, key_text
from tui.keymap import Keymap


class CommandRunner:
    """The commands of the screen in front."""

    def __init__(self, app: App[Any], navigation: Navigation, keymap: Keymap) -> None:
        self._app = app
        self._navigation = navigation
        self._keymap = keymap

    def valid(self) -> Sequence[Command]:
        """What works on the screen in front, its own commands first."""
        screen = self._navigation.in_front()
        return self._keymap.applied([*commands(*screen.places()), *commands(Where.APP)]) if screen else []

    def run(self, command: Command | None) -> None:
        """Do what the command's key would do here."""
        if command is None:
            return
        name = command.action.partition("(")[0]
        for node in (self._app.focused, self._app.screen, self._app):
            if node is not None and hasattr(node, f"action_{name}"):
                self._app.call_later(self._app.run_action, command.action, node)
                return


@runtime_checkable
class HasCommands(Protocol):
    """The app, as the palette knows it."""

    command_runner: CommandRunner


class CommandProvider(Provider):
    """Offers what works on the screen in front."""

    @property
    def _runner(self) -> CommandRunner:
        assert isinstance(self.app, HasCommands)
        return self.app.command_runner

    async def discover(self) -> Hits:
        for command in self._runner.valid():
            yield DiscoveryHit(_title(command), self._run(command))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._runner.valid():
            title = _title(command)
            if (score := matcher.match(title)) > 0:
                yield Hit(score, matcher.highlight(title), self._run(command))

    def _run(self, command: Command) -> partial[None]:
        return partial(self._runner.run, command)


def _title(command: Command) -> str:
    return f"{command.help}  ({key_text(command)})"
