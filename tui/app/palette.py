# SPDX-License-Identifier: Apache-2.0
"""The command palette: the same table as keys and help, found by name."""

from functools import partial
from typing import cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui.commands import Command, key_text
from tui.protocol import Host


class CommandProvider(Provider):
    """Offers what works on the screen in front."""

    @property
    def _host(self) -> Host:
        return cast(Host, self.app)

    async def discover(self) -> Hits:
        for command in self._host.valid_commands():
            yield DiscoveryHit(_title(command), self._run(command), help=command.where)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._host.valid_commands():
            title = _title(command)
            if (score := matcher.match(title)) > 0:
                yield Hit(score, matcher.highlight(title), self._run(command), help=command.where)

    def _run(self, command: Command) -> partial[None]:
        return partial(self._host.run_command, command)


def _title(command: Command) -> str:
    return f"{command.help}  ({key_text(command)})"
