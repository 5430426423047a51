# SPDX-License-Identifier: Apache-2.0
"""The text of a commit message, and the parts of a pull request's that only the changes of entries decide."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.base.text import counted, one_line
from core.domain.ids import TestId
from core.domain.model import Entry, Status
from core.edits.facts import Cited, evidence_lines
from core.edits.impact import EntryChange, change_in_words
from core.matrix import status_on, supported_archs

Evidence = Mapping[str, Sequence[Cited]]
"""What justifies the change of each id: facts of its results, or links and texts, one line each."""

_LINK = re.compile(r"\bgithub\.com/([\w.-]+/[\w.-]+)/issues/(\d+)")
_TITLE_WIDTH = 72
_LEAST_KEY = 12
"""A key shortened to fewer characters than this says nothing, so it is left out."""
_ADDED = "Add {}"
_VERBS = {
    Status.EXPECTED_PASSING: "Expect {} to pass",
    Status.KNOWN_FAILURE_XFAIL: "Expect {} to fail",
    Status.NOT_SUPPORTED_SKIP: "Skip {}",
    Status.EXCLUDE_MODEL: "Exclude {}",
}


def commit_message(
    changes: Sequence[EntryChange], entries: Mapping[str, Entry], *, key: str = "", evidence: Evidence | None = None
) -> str:
    """A title, then the tests grouped by their change, the evidence and the issues.

    `entries` are all entries before the change, `key` distinguishes this commit from the others of the same split.
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
    """A summary of the changes in one line of at most 72 characters; a single test needs no key beside its name.

    Nothing is cut in mid-word: a test without room is named by fewer parts, and a key by its first words.
    """
    pattern = _pattern(changes)
    if len(changes) == 1:
        names = _case_names(changes[0].id) if _are_cases(changes) else _names(changes[0].id)
        return next(line for whom in names if len(line := pattern.format(whom)) <= _TITLE_WIDTH)
    line = pattern.format(counted(len(changes), "op case" if _are_cases(changes) else "test"))
    # What is added is new.
    key = one_line(key).removeprefix("new: ") if pattern == _ADDED else one_line(key)
    key_words = _first_words(key, _TITLE_WIDTH - len(line) - 2)
    return f"{line}: {key_words}" if len(key_words) >= min(_LEAST_KEY, len(key)) > 0 else line


def _names(id: str) -> Iterator[str]:
    """Names for one test, the longest first; the body of the message has its id."""
    yield one_line(id)
    parsed = TestId.parse(one_line(id))
    if parsed is not None:
        loader, variant = parsed.directory.rpartition("/")[0], parsed.variant or ""
        phase = parsed.llm.phase if parsed.llm else ""
        for words in ((loader, variant, phase, parsed.mode), (loader, variant, parsed.mode), (variant, parsed.mode)):
            yield " ".join(filter(None, words))
        yield f"one {loader} test"
    yield "one test"


def _case_names(id: str) -> Iterator[str]:
    """Names for one op case, or for the defaults of a model, the longest first."""
    model, _, name = one_line(id).partition("::")
    if not name:
        yield f"the defaults of {model}"
        yield "the defaults of one model"
    yield from filter(None, (one_line(id), name, f"one op case of {model}", "one op case"))


def _are_cases(changes: Iterable[EntryChange]) -> bool:
    return all(change.noun == "case" for change in changes)


def _first_words(text: str, room: int) -> str:
    """As many whole words of `text` as fit, without punctuation at the end."""
    if len(text) > room:
        text = text[: max(0, room) + 1].rpartition(" ")[0]
    return text.rstrip(" ,;:-–(…")


def justified(
    changes: Sequence[EntryChange], entries: Mapping[str, Entry], evidence: Evidence | None = None
) -> Iterator[str]:
    """The last blocks of the text of a pull request: what justifies the changes, and the issues that they are about."""
    if links := _links(changes, evidence):
        yield "\n".join(("**Evidence**", "", *map(_item, links)))
    settled, other = settled_and_other(changes, entries)
    if settled or other:
        yield "\n".join((*(f"- Fixes {issue}" for issue in settled), *(f"- Refs {issue}" for issue in other)))


def _pattern(changes: Sequence[EntryChange]) -> str:
    """The sentence that fits all of the changes, with a place for the tests."""
    if all(change.before is None for change in changes):
        return _ADDED
    if all(change.after is None for change in changes) and _are_cases(changes):
        return "Remove {}"
    if all(change.after is None for change in changes):
        return "Remove the entry of {}" if len(changes) == 1 else "Remove the entries of {}"
    if all(change.was for change in changes):
        return "Rename {}"
    statuses = {_new_status(change) for change in changes}
    status = statuses.pop() if len(statuses) == 1 else None
    if status is not None and status in _VERBS:
        return _VERBS[status]
    fields = {name for change in changes for name in _fields(change)}
    what = fields.pop() if len(fields) == 1 else "settings" if _are_cases(changes) else "expectations"
    return f"Update {what} of {{}}"


def _new_status(change: EntryChange) -> Status | None:
    """The new status at the entry, if that is the change."""
    old, new = (one.fields.get("status") if one else None for one in (change.before, change.after))
    return Status(str(new)) if old != new and str(new) in Status.__members__ else None


def _fields(change: EntryChange) -> set[str]:
    old, new = (one.fields if one else {} for one in (change.before, change.after))
    return {name for name in {**old, **new} if old.get(name) != new.get(name)}


def _alike(changes: Sequence[EntryChange]) -> dict[tuple[str, ...], list[str]]:
    """The ids grouped by their change."""
    found: dict[tuple[str, ...], list[str]] = {}
    for change in changes:
        found.setdefault(tuple(change_in_words(change)), []).append(change.id)
    return found


def entry_row(change: EntryChange) -> str:
    """The row of an entry in the table of a pull request: its id and its changes."""
    said = "<br>".join(as_code(line) for line in change_in_words(change))
    return f"| {as_code(change.id)} | {said} |"


def as_code(text: str) -> str:
    """Text as Markdown code, so that Markdown leaves it unchanged."""
    plain = one_line(text)
    fence = "`" * (max((len(run) for run in _runs(plain)), default=0) + 1)
    gap = " " if "`" in plain else ""
    return f"{fence}{gap}{plain}{gap}{fence}".replace("|", "\\|")


_WEB = re.compile(r"(https?://\S+)")
_MARKUP = re.compile(r"[`*_<>\[\]@#|\\~&!]")


def _item(line: str) -> str:
    """A line of evidence as an item of a list, inner ones indented. Links stay links; what could be markup is code."""
    text = line.lstrip(" ")
    parts = (part if _WEB.fullmatch(part) else _plain(part) for part in _WEB.split(text))
    return f"{' ' * (len(line) - len(text))}- {''.join(parts)}"


def _plain(text: str) -> str:
    if not _MARKUP.search(text):
        return text
    words = text.strip(" ")
    return text.replace(words, as_code(words), 1)


def _runs(text: str) -> Iterable[str]:
    """The runs of backticks in a text."""
    return filter(None, "".join(character if character == "`" else " " for character in text).split())


def _links(changes: Sequence[EntryChange], evidence: Evidence | None) -> list[str]:
    return evidence_lines(one for change in changes for one in (evidence or {}).get(change.id, ()))


def issues_in(text: str) -> list[str]:
    """The issues that a text links to, as `owner/repository#number`, in order."""
    return list(dict.fromkeys(f"{match[1]}#{match[2]}" for match in _LINK.finditer(text)))


def issue_url(issue: str) -> str:
    """The page of an issue that is given as `owner/repository#number`."""
    repository, _, number = issue.partition("#")
    return f"https://github.com/{repository}/issues/{number}"


def reasons(entry: Entry | None) -> list[str]:
    """The reasons in an entry, its own first, without repetitions."""
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
    """The issues that `changes` settle, and the others that they are about; `entries` are all entries before.

    An issue is settled if every entry that cited it is expected to pass wherever it runs, and none cites it now.
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
