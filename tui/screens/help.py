# SPDX-License-Identifier: Apache-2.0
"""The keys that work where help was asked for: filter them, run one with enter."""

from collections.abc import Sequence
from typing import ClassVar

from tui.commands import Command, key_text
from tui.screens.pick import Option, Pick


class HelpScreen(Pick[Command]):
    """Dismissed with the command to run."""

    TITLES: ClassVar[Sequence[str]] = ("key", "what it does", "where")
    VERB: ClassVar[str] = "run it"

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__(
            "Keys that work here", [Option(one, key_text(one), f"{one.help}", one.where) for one in commands]
        )
