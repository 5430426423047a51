# SPDX-License-Identifier: Apache-2.0
"""The content of one expectation YAML file, as a value that can be cached without the parser that made it."""

from typing import NamedTuple

from core.domain.model import Entry, Finding


class ExpectationFile(NamedTuple):
    """One YAML file after parsing."""

    name: str
    """Path relative to the test_config directory."""
    text: str
    entries: tuple[Entry, ...] = ()
    """In the order of the file, duplicates included; empty in a file of placeholders."""
    placeholders: tuple[Entry, ...] = ()
    """Planned models with their fields, in the order of the file; empty in other files."""
    findings: tuple[Finding, ...] = ()

    @property
    def editable(self) -> tuple[Entry, ...]:
        """All entries that can be edited: in a file of placeholders, the placeholders."""
        return self.placeholders or self.entries

    def entry_text(self, entry: Entry) -> str:
        """The lines of `entry` in the file, without the last line end."""
        lines = self.text.removeprefix("\ufeff").split("\n")[entry.line - 1 : entry.end_line]
        return "\n".join(line.rstrip("\r") for line in lines)
