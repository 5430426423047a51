# SPDX-License-Identifier: Apache-2.0
"""The issues that reasons cite, and which of them a change settles."""

import re
from collections.abc import Iterable, Mapping, Sequence

from core.edits.changes import EntryChange
from core.matrix.effective import status_on, supported_archs
from core.model import Entry, Status

_LINK = re.compile(r"\bgithub\.com/([\w.-]+/[\w.-]+)/issues/(\d+)")


def issues_in(text: str) -> list[str]:
    """The issues a text links to, as `owner/repository#number`, in their order."""
    return list(dict.fromkeys(f"{match[1]}#{match[2]}" for match in _LINK.finditer(text)))


def reasons(entry: Entry | None) -> list[str]:
    """The reasons an entry gives, its own first, each once."""
    if entry is None:
        return []
    fields: Iterable[Mapping[str, object]] = (entry.fields, *entry.overrides.values())
    return list(dict.fromkeys(str(reason) for values in fields if (reason := values.get("reason"))))


def cited(entry: Entry | None) -> list[str]:
    """The issues in the reasons of an entry."""
    return list(dict.fromkeys(issue for reason in reasons(entry) for issue in issues_in(reason)))


def settled_and_other(
    changes: Sequence[EntryChange], entries: Mapping[str, Entry]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of the issues that `changes` are about, those they settle, and the others; `entries` are all entries before.

    An issue is settled where every entry that cited it is expected to pass wherever it runs, and none cites it now.
    """
    about = dict.fromkeys(issue for change in changes for one in (change.before, change.after) for issue in cited(one))
    gone = {name for change in changes for name in (change.id, change.was)}
    still = {issue for id, entry in entries.items() if id not in gone for issue in cited(entry)}
    still |= {issue for change in changes for issue in cited(change.after)}
    for change in changes:
        if not _passes(change.after):
            still |= set(cited(change.before))
    return tuple(one for one in about if one not in still), tuple(one for one in about if one in still)


def _passes(entry: Entry | None) -> bool:
    if entry is None:
        return False
    return all(status_on(entry, arch) is Status.EXPECTED_PASSING for arch in supported_archs(entry))
