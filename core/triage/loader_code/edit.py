# SPDX-License-Identifier: Apache-2.0
"""One change of one Python file, as data."""

from dataclasses import dataclass
from enum import StrEnum

from core.edits.diff import unified_diff


class EditKind(StrEnum):
    """What the edit does; nothing else is ever done to a loader."""

    CONSTRUCTOR = "constructor"
    """`dtype=dtype_override` on one tensor constructor."""
    CAST = "cast"
    """One `.to(dtype_override)`, guarded for None."""
    OVERRIDE = "override"
    """A method `unpack_forward_output`, and the import it needs."""
    REGISTER = "register"
    """One line more in the registry of output classes."""
    UNREGISTER = "unregister"
    """One line less there."""
    DECODER_INPUTS = "decoder-inputs"
    TARGETS = "targets"
    BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Edit:
    """The text of one file before and after, which differ in one statement and the import that it needs."""

    kind: EditKind
    line: int
    """Where it is in the text after; the first is 1."""
    summary: str
    """One line for people: what is done to what."""
    before: str
    after: str

    def diff(self, path: str) -> str:
        """As `git diff` shows it, for the file at `path`."""
        return unified_diff(path, self.before, self.after)


@dataclass(frozen=True, slots=True)
class NoSite:
    """There is no allowed edit, or not exactly one that follows from the code."""

    reason: str
    """One line for people, with lines of the file where that helps."""
