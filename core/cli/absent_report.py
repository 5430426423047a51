# SPDX-License-Identifier: Apache-2.0
"""What commands say of a work tree that is not what git records: files that are not here, other models.

What is in a file that is not here is unknown, and not nothing.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.base.text import counted, one_line
from core.cli import records
from core.cli.context import Context
from core.sources import Absent, absent_configuration, absent_loaders, other_models

if TYPE_CHECKING:
    from core.sources import Lacking


def note_absent(context: Context) -> None:
    """Say on standard error what the answer leaves out."""
    for line in _lines(absent_configuration(context.checkout)):
        context.console.note(line)


def note_other_models(context: Context) -> None:
    """Say on standard error that the answer is about other models than the checkout records."""
    if other := other_models(context.checkout):
        context.console.note(f"{other.text}: {other.remedy}")


def entry_lines(id: str, lacking: "Lacking") -> list[str]:
    """Instead of the entry that a test has not got here."""
    if id in lacking.entries:
        one = lacking.entries[id]
        return [f"Its entry cannot be read here: {one_line(one.path)}, the file that has it, {one_line(one.reason)}"]
    others = lacking.expectations
    return ["No entry in the files that are here:", *_lines(others)] if others else ["No entry."]


def loader_line(directory: str, context: Context) -> str:
    """Instead of the loader of a test whose directory is `directory`: why it is not here; empty: there is none."""
    found = (one for one in absent_loaders(context.checkout) if one.path.endswith(f"/{directory}/loader.py"))
    return next((f"not known here: {_sentence(one)}" for one in found), "")


def jobs_lines(count: int, id: str, lacking: "Lacking") -> list[str]:
    """How many jobs select a test, as far as that is known: without its entry, nothing is."""
    if id in lacking.entries:
        return ["Scheduled CI jobs: not known, because its entry is not"]
    where = " in the presets and workflows that are here:" if lacking.of_ci else ""
    return [f"Scheduled CI jobs: {count or 'none'}{where}", *_lines(lacking.of_ci)]


def absent_document(id: str, lacking: "Lacking") -> "list[records.AbsentFile]":
    own = lacking.entries.get(id)
    return [records.AbsentFile(file=one.path, why=one.why, has_entry=one is own) for one in lacking.files]


_SHOWN = 8


def _lines(absent: Sequence[Absent]) -> list[str]:
    more = len(absent) - _SHOWN
    said = [_sentence(one) for one in absent[:_SHOWN]]
    return [*said, f"and {counted(more, 'other file')}; ttmatrix doctor lists them"] if more > 0 else said


def _sentence(one: Absent) -> str:
    return f"{one_line(one.path)} {one_line(one.reason)}"
