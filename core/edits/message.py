# SPDX-License-Identifier: Apache-2.0
"""The words of a commit and of a pull request, from what is changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.edits.changes import EntryChange, words
from core.edits.effect import CellChange
from core.edits.issues import settled_and_other
from core.ids import TestId
from core.matrix.selected import job_name
from core.model import Entry, Status
from core.sources.presets import Job
from core.text import one_line

Evidence = Mapping[str, Sequence[str]]
"""By id, what justifies its change: links, or a line each."""

_TITLE_WIDTH = 72
_LEAST_KEY = 12
"""Less of a key than this many characters says nothing."""
_VERBS = {
    Status.EXPECTED_PASSING: "Expect {} to pass",
    Status.KNOWN_FAILURE_XFAIL: "Expect {} to fail",
    Status.NOT_SUPPORTED_SKIP: "Skip {}",
    Status.EXCLUDE_MODEL: "Exclude {}",
}


def commit_message(
    changes: Sequence[EntryChange], entries: Mapping[str, Entry], *, key: str = "", evidence: Evidence | None = None
) -> str:
    """A title, then the tests under what happens to them, the evidence and the issues.

    `entries` are all entries before the change, `key` is what sets this commit apart from its neighbours.
    """
    blocks = [title(changes, key)]
    for said, ids in _alike(changes).items():
        blocks.append("\n".join((*said, *(f"  {one_line(id)}" for id in ids))))
    if links := _links(changes, evidence):
        blocks.append("\n".join(("Evidence:", *(f"  {link}" for link in links))))
    settled, other = settled_and_other(changes, entries)
    if settled or other:
        blocks.append("\n".join((*(f"Fixes {issue}" for issue in settled), *(f"Refs {issue}" for issue in other))))
    return "\n\n".join(blocks) + "\n"


def title(changes: Sequence[EntryChange], key: str = "") -> str:
    """What the changes come to in one line of at most 72 characters; one test needs no key beside its name.

    Nothing in it is cut: who finds no room is named by less, and a key by its first words.
    """
    pattern = _pattern(changes)
    if len(changes) == 1:
        return next(line for whom in _names(changes[0].id) if len(line := pattern.format(whom)) <= _TITLE_WIDTH)
    line = pattern.format(f"{len(changes):,} tests")
    told = _first_words(one_line(key), _TITLE_WIDTH - len(line) - 2)
    return f"{line}: {told}" if len(told) >= min(_LEAST_KEY, len(key)) > 0 else line


def _names(id: str) -> Iterator[str]:
    """What one test can be called, the longest first; the body of the message has its id."""
    yield one_line(id)
    parsed = TestId.parse(one_line(id))
    if parsed is not None:
        loader, variant = parsed.directory.rpartition("/")[0], parsed.variant or ""
        phase = parsed.llm.phase if parsed.llm else ""
        for words in ((loader, variant, phase, parsed.mode), (loader, variant, parsed.mode), (variant, parsed.mode)):
            yield " ".join(filter(None, words))
        yield f"one {loader} test"
    yield "one test"


def _first_words(text: str, room: int) -> str:
    """As many whole words of `text` as there is room for, without what would hang at their end."""
    if len(text) > room:
        text = text[: max(0, room) + 1].rpartition(" ")[0]
    return text.rstrip(" ,;:-–(…")


def pull_request(
    changes: Sequence[EntryChange],
    entries: Mapping[str, Entry],
    cells: Sequence[CellChange] = (),
    evidence: Evidence | None = None,
) -> str:
    """The same for a pull request, as Markdown, with the CI jobs that tests gain and lose."""
    blocks = [f"# {title(changes)}", "\n".join(("| test | change |", "|---|---|", *map(_row, changes)))]
    lost = _jobs("loses", ((cell.id, cell.jobs_lost) for cell in cells))
    gained = _jobs("gains", ((cell.id, cell.jobs_gained) for cell in cells))
    if lost or gained:
        blocks.append("\n".join(("**CI jobs**", "", *lost, *gained)))
    if links := _links(changes, evidence):
        blocks.append("\n".join(("**Evidence**", "", *(f"- {link}" for link in links))))
    settled, other = settled_and_other(changes, entries)
    if settled or other:
        blocks.append("\n".join((*(f"- Fixes {issue}" for issue in settled), *(f"- Refs {issue}" for issue in other))))
    return "\n\n".join(blocks) + "\n"


def _pattern(changes: Sequence[EntryChange]) -> str:
    """The sentence that fits all of the changes, with room for whom it is about."""
    if all(change.before is None for change in changes):
        return "Add {}"
    if all(change.after is None for change in changes):
        return "Remove the entry of {}" if len(changes) == 1 else "Remove the entries of {}"
    if all(change.was for change in changes):
        return "Rename {}"
    statuses = {_new_status(change) for change in changes}
    status = statuses.pop() if len(statuses) == 1 else None
    if status is not None and status in _VERBS:
        return _VERBS[status]
    fields = {name for change in changes for name in _fields(change)}
    return f"Update {fields.pop()} of {{}}" if len(fields) == 1 else "Update expectations of {}"


def _new_status(change: EntryChange) -> Status | None:
    """The status at the entry, where that is what changes."""
    old, new = (one.fields.get("status") if one else None for one in (change.before, change.after))
    return Status(str(new)) if old != new and str(new) in Status.__members__ else None


def _fields(change: EntryChange) -> set[str]:
    old, new = (one.fields if one else {} for one in (change.before, change.after))
    return {name for name in {**old, **new} if old.get(name) != new.get(name)}


def _alike(changes: Sequence[EntryChange]) -> dict[tuple[str, ...], list[str]]:
    """The ids by what happens to them."""
    found: dict[tuple[str, ...], list[str]] = {}
    for change in changes:
        found.setdefault(tuple(words(change)), []).append(change.id)
    return found


def _row(change: EntryChange) -> str:
    said = "<br>".join(_code(line) for line in words(change))
    return f"| {_code(change.id)} | {said} |"


def _code(text: str) -> str:
    """Text as it stands, whatever Markdown would make of it."""
    plain = one_line(text)
    fence = "`" * (max((len(run) for run in _runs(plain)), default=0) + 1)
    gap = " " if "`" in plain else ""
    return f"{fence}{gap}{plain}{gap}{fence}".replace("|", "\\|")


def _runs(text: str) -> Iterable[str]:
    """The runs of backticks in a text."""
    return filter(None, "".join(character if character == "`" else " " for character in text).split())


def _jobs(verb: str, pairs: Iterable[tuple[str, Sequence[Job]]]) -> list[str]:
    lines = (f"- {_code(id)} {verb} {_code(job_name(job))}" for id, jobs in pairs for job in jobs)
    return list(dict.fromkeys(lines))


def _links(changes: Sequence[EntryChange], evidence: Evidence | None) -> list[str]:
    found = (link for change in changes for link in (evidence or {}).get(change.id, ()))
    return list(dict.fromkeys(one_line(link) for link in found))
