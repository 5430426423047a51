# SPDX-License-Identifier: Apache-2.0
"""What one expectation YAML file says, as a value that can be cached without the parser that made it."""

from typing import NamedTuple

from core.model import Entry, Finding


class ExpectationFile(NamedTuple):
    """One YAML file as it was read."""

    name: str
    """Path relative to the test_config directory."""
    text: str
    entries: tuple[Entry, ...] = ()
    """In the order of the file, duplicates included; a placeholder file has none."""
    placeholders: tuple[Entry, ...] = ()
    """Models that are planned, with the fields of each, in the order of the file; another file has none."""
    findings: tuple[Finding, ...] = ()

    @property
    def editable(self) -> tuple[Entry, ...]:
        """All that can be edited in the file: its entries, or in a file of placeholders these."""
        return self.placeholders or self.entries

    def entry_text(self, entry: Entry) -> str:
        """The lines of `entry` as they are in the file, without the last line end."""
        lines = self.text.removeprefix("\ufeff").split("\n")[entry.line - 1 : entry.end_line]
        return "\n".join(line.rstrip("\r") for line in lines)
