# SPDX-License-Identifier: Apache-2.0
"""The text of a pull request from commits or a branch: everything that it changes, what does the most harm first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from core.base.errors import TTMatrixError, UsageError
from core.base.text import capital, counted, elide_middle, one_line
from core.edits import EntryChange, Operation, change_in_words, in_checkout
from core.edits.commit import (
    CommittedChange,
    Composition,
    Evidence,
    as_code,
    compose_commits,
    entry_row,
    justified,
    read_committed,
    title,
)
from core.matrix import Matrix
from core.sources import INDEX, WORK_TREE, Checkout, Git, web_address
from core.states.differing import Difference, difference
from core.states.ranges import of_changes, paths_between
from core.states.state import State, States, edited
from core.states.telling import Item, Section, files_of_every_test, other_files, sections

MOST_LINES = 60
"""So many lines a reader sees before unfolding anything."""
MOST_CHARACTERS = 65_000
"""GitHub takes a few more."""
_NAMED = 3
"""So many tests of one line are named."""
_MOST_EVIDENCE = 12
_SHORT = 10
_HEAD, _PENDING = "HEAD", "pending"
_FOLDED = ("<details>", "<summary>All changes, one by one</summary>", "")


@dataclass(frozen=True, slots=True)
class PullRequest:
    """The text, and what it is of."""

    base: str
    """The commit before; empty: there is none."""
    tip: str
    note: str
    """How the base was found, for people; empty: it was named, or is the parent."""
    tests: tuple[str, ...]
    """The ids whose entries changed; of a renamed one the new id."""
    markdown: str


def pull_request_of(states: States, matrix: Matrix, revision: str = _HEAD) -> PullRequest:
    """The text for a commit, a range, or a branch since it left upstream's. `matrix` is that of the work tree.

    What is not committed is `worktree` or `index`. Raises UsageError if git knows no such commit or nothing of the
    matrix is changed, and TTMatrixError if git fails.
    """
    git = Git(matrix.checkout.root)
    asked = of_changes(git, revision)
    loose = asked.after if asked.after in (WORK_TREE, INDEX) else ""
    base, tip = (git.named(name) if name else "" for name in (asked.before, _HEAD if loose else asked.after))
    texts = _expectations(states.at(loose)) if loose else None
    entries = read_committed(matrix.checkout, matrix.schema, base, tip, texts)
    found, lacking = _found(states, base, loose or tip)
    paths = found.files if found else paths_between(git, base, loose or tip) if base else ()
    if not entries.changes and (found is None or found.is_empty) and not any(map(_concerns_tests, paths)):
        raise _nothing(states, revision, lacking)
    note = one_line(asked.note or lacking)
    text = _Text(matrix.checkout, revision, entries, found, note, loose, paths=paths)
    return PullRequest(base, loose or tip, asked.note, tuple(one.id for one in entries.changes), text.markdown())


def _found(states: States, base: str, tip: str) -> tuple[Difference | None, str]:
    """What differs, or why that is not known: the entries are known all the same."""
    try:
        return (difference(states.at(base), states.at(tip)) if base else None), ""
    except TTMatrixError as error:
        return None, f"Only entries are compared. {error.title}: {error.detail} {error.hint}"


def _expectations(state: State) -> dict[str, str]:
    """The texts of the files with entries, by their names."""
    place = state.matrix.checkout.relative(state.matrix.checkout.test_config)
    texts = state.texts([f"{place}/{file.name}" for file in state.matrix.files])
    return {path.removeprefix(f"{place}/"): text for path, text in texts.items()}


def _nothing(states: States, revision: str, lacking: str) -> UsageError:
    """Nothing of the matrix is changed; or that is not known."""
    if lacking:
        return UsageError(f"What {revision} changes is not known, beside its entries, which are the same", lacking)
    hint = "Name a commit that does, or a range: A..B."
    if revision == _HEAD and not difference(states.at(_HEAD), states.at(WORK_TREE)).is_empty:
        hint = "What is not committed does: ttmatrix pr worktree"
    return UsageError(f"{revision} changes nothing of the matrix", "", hint)


def pending_pull_request(
    states: States, matrix: Matrix, operations: Sequence[Operation], evidence: Evidence
) -> PullRequest:
    """The text for a commit of `operations` on the last commit, whether or not the files have them already.

    Raises TTMatrixError where git fails or the last commit does not take them, and UsageError if they change nothing.
    """
    composed = compose_commits(matrix, operations, evidence=evidence)
    if not composed.changes:
        raise UsageError("Nothing would be committed", "The last commit already says all of this.")
    return composed_pull_request(states, matrix.checkout, composed)


def composed_pull_request(states: States, checkout: Checkout, composed: Composition) -> PullRequest:
    """The text for changes that are composed on the last commit. Raises TTMatrixError where git fails."""
    texts = {in_checkout(edit.file): edit.after for edit in composed.plan.files}
    found, lacking = None, ""
    try:
        found = difference(states.at(_HEAD), edited(states, _HEAD, texts))
    except TTMatrixError as error:
        lacking = f"Only entries are compared. {error.title}: {error.detail} {error.hint}"
    base = Git(checkout.root).named(_HEAD)
    entries = CommittedChange(base, base, composed.plan, composed.entries, ())
    text = _Text(checkout, _PENDING, entries, found, one_line(lacking), _PENDING, composed.evidence)
    return PullRequest(base, _PENDING, "", tuple(one.id for one in entries.changes), text.markdown())


_OF_TESTS = ("tests/", ".github/workflows/", "pytest.ini", "conftest.py")


def _concerns_tests(path: str) -> bool:
    return path.startswith(_OF_TESTS)


@dataclass(frozen=True, slots=True)
class _Text:
    checkout: Checkout
    revision: str
    entries: CommittedChange
    found: Difference | None
    note: str
    loose: str = ""
    """What is on top of the last commit; empty: nothing."""
    evidence: Evidence = field(default_factory=dict)
    """What results show, beside what messages of commits say."""
    paths: Sequence[str] = ()
    """The files of the checkout that differ, where nothing else is known."""

    def markdown(self) -> str:
        known = sections(self.found) if self.found else (*files_of_every_test(self.paths), *other_files(self.paths))
        told = [*_cases(self.entries.changes), *known]
        head = [f"# {self._title(told)}", "", *self._head()]
        foot = list(self._foot())
        room = MOST_LINES - len(head) - len(foot) - len(_FOLDED)
        lines = [*head, *_told(told, room), *foot]
        rest = self._folded(told, MOST_CHARACTERS - sum(len(line) + 1 for line in lines))
        return "\n".join((*lines, *rest)) + "\n"

    def _title(self, told: Sequence[Section]) -> str:
        if self.entries.changes:
            return title(self.entries.changes)
        commits = self._commits()
        if len(commits) == 1 and not self.loose:
            return one_line(self._git.text("log", "-1", "--format=%s", commits[0]).strip())
        return one_line(f"{self.revision}: {told[0].title}")

    def _commits(self) -> list[str]:
        base, tip = self.entries.base, self.entries.tip
        return self._git.text("rev-list", "--max-count=1000", f"{base}..{tip}" if base else tip, "--").split()

    def _head(self) -> Iterator[str]:
        """How much there is, and pages that compare the code."""
        if self.note:
            yield from (as_code(self.note), "")
        base, tip, commits = self.entries.base, self.entries.tip, self._commits()
        loose = f"what is not committed ({self.loose})" if self.loose else ""
        if commits or not loose:
            said = " and ".join(filter(None, (counted(len(commits), "commit"), loose)))
            yield f"{said}{_compared(self._git, base, tip)}"
        else:
            yield f"{capital(loose)}, on {base[:_SHORT]}"
        before, after = self._models()
        if before != after:
            pages = _compared(Git(self.checkout.models), before, after)
            yield f"\nModels {before[:_SHORT]}..{after[:_SHORT]}{pages}"
        yield ""

    def _models(self) -> tuple[str, str]:
        """The commits of the models on both sides; of the work tree the one that is checked out there."""
        found = self.found
        if found is None or not found.before.models:
            return "", ""
        here = found.after.models == WORK_TREE
        return found.before.models, Git(self.checkout.models).head_commit() if here else found.after.models

    def _foot(self) -> Iterator[str]:
        """Evidence and issues."""
        changes, said = self.entries.changes, self.entries.evidence[:_MOST_EVIDENCE]
        cited = self.evidence or ({changes[0].id: said} if changes else {})
        for block in justified(changes, self.entries.entries, cited):
            yield from (*block.splitlines(), "")

    def _folded(self, told: Sequence[Section], room: int) -> Iterator[str]:
        """The tables of everything, as far as GitHub takes it: the entries field by field, then the rest."""
        yield from _FOLDED
        entries, left = _fitting(list(map(entry_row, self.entries.changes)), room // 2)
        rows, more = _fitting(list(_rows(told)), room - sum(map(len, entries)) - _FRAME_CHARACTERS)
        for head, body in (("| test | change |", entries), ("| change | tests |", rows)):
            if body:
                yield from (head, "|---|---|", *body, "")
        if left or more:
            span = f"{self.entries.base[:_SHORT]}..{self.loose or self.entries.tip[:_SHORT]}"
            yield from (f"The rest is too long for GitHub: `ttmatrix diff --all {span}` lists it.", "")
        yield "</details>"

    @property
    def _git(self) -> Git:
        return Git(self.checkout.root)


def _compared(git: Git, before: str, after: str) -> str:
    """The page that compares two commits of a repository; empty if it has none."""
    page = web_address(git)
    return f": {page}/compare/{before}...{after}" if page and before and after else ""


def _told(told: Sequence[Section], room: int) -> list[str]:
    """The sections in at most `room` lines: a heading each, then their items, those of the first sections first.

    The room goes round: each section gets one more item in turn, so that no long list hides another. What is left goes
    to the names of the items, the most harmful first: a line each, if all of an item fit.
    """
    shown = [0] * len(told)
    room = max(0, room - _FRAME * len(told))
    turn = [at for at, section in enumerate(told) for _ in range(len(section.items))]
    rounds = sorted(range(len(turn)), key=lambda at: (at - turn.index(turn[at]), turn[at]))
    for at in rounds[:room]:
        shown[turn[at]] += 1
    room += sum(len(section.items) == count for section, count in zip(told, shown, strict=True)) - sum(shown)
    lines: list[str] = []
    for section, count in zip(told, shown, strict=True):
        items: list[str] = []
        for item in section.items[:count]:
            whole = _NAMED < len(item.names) <= room
            room -= len(item.names) if whole else 0
            items += _whole(item) if whole else [f"- {_item(item)}"]
        if more := len(section.items) - count:
            items.append(f"- {more:,} more below" if count else f"- {more:,} below")
        lines += [f"**{one_line(section.title)}**", "", *items, ""]
    return lines


_FRAME_CHARACTERS = 400
_FRAME = 4
"""Lines of a section beside its items: its title, empty lines below both, and what is left out."""


def _whole(item: Item) -> list[str]:
    """A line for each name."""
    indent = "  " if item.text else ""
    head = [f"- {as_code(item.text)}"] if item.text else []
    return [*head, *(f"{indent}- {as_code(name)}" for name in item.names)]


def _item(item: Item) -> str:
    names = ", ".join(map(as_code, item.names[:_NAMED]))
    more = len(item.names) - _NAMED
    said = f"{names} and {more:,} more" if more > 0 else names
    text = as_code(item.text) if item.text else ""
    return ": ".join(filter(None, (text, said))) + (f" {item.link}" if item.link else "")


def _cases(changes: Sequence[EntryChange]) -> Iterator[Section]:
    """Op cases that change, which are no rows of the matrix."""
    cases = [one for one in changes if one.noun == "case"]
    if cases:
        alike: dict[str, list[str]] = {}
        for one in cases:
            alike.setdefault(", ".join(change_in_words(one)), []).append(one.id)
        items = tuple(Item(said, tuple(ids)) for said, ids in alike.items())
        yield Section(f"{counted(len(cases), 'op case')} changed", items)


def _rows(told: Sequence[Section]) -> Iterator[str]:
    """A row for each combination of changes, with the names to which exactly these happened."""
    whats: dict[str, dict[str, None]] = {}
    for section in told:
        for item in section.items:
            for name in item.names or ("",):
                sign, id = (name[:2], name[2:]) if name.startswith(_SIGNS) else ("", name)
                said = f"{sign}{item.text.partition(' (')[0]}" if sign else item.text
                what = ": ".join(filter(None, (_kind(section), as_code(elide_middle(said, _WIDEST)) if said else "")))
                whats.setdefault(id, {})[what] = None
    rows: dict[tuple[str, ...], list[str]] = {}
    for id, happened in whats.items():
        rows.setdefault(tuple(happened), []).append(id)
    for alike, ids in rows.items():
        for some in (ids[at : at + _NAMES_OF_ROW] for at in range(0, len(ids), _NAMES_OF_ROW)):
            yield f"| {'<br>'.join(alike)} | {'<br>'.join(as_code(id) for id in some if id)} |"


_NAMES_OF_ROW = 100


_SIGNS = ("- ", "+ ")
"""Before a test in the list of a job: lost and gained."""
_WIDEST = 100


def _kind(section: Section) -> str:
    """The title of a section without the number."""
    return one_line(section.title).partition(" ")[2]


def _fitting(rows: Sequence[str], room: int) -> tuple[list[str], int]:
    """The first rows that fit into so many characters, and how many do not."""
    ends = accumulate(len(row) + 1 for row in rows)
    count = sum(end <= room for end in ends)
    return list(rows[:count]), len(rows) - count
