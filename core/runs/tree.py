# SPDX-License-Identifier: Apache-2.0
"""The state of a checkout: its commits and loader code, the runs that belong to it, and the age of their results."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import bytes_if_any, read_loosely
from core.base.text import counted
from core.domain.ids import TestId
from core.domain.model import Entry
from core.runs.spec import RunSpec, entry_digest
from core.runs.store import RunRecord, TreeState
from core.sources import Checkout, Code, Git, LoaderFiles, git_blob, same_place

_PATIENCE_SECONDS = 10.0
_UNKNOWN = "tree not recorded"
_MIXED = "loader edited while it ran"


class Heads(NamedTuple):
    """The present commits of a checkout. Empty texts: git does not know them."""

    repository: str
    commit: str
    models: str


class Distance(NamedTuple):
    """The number of commits that only one of two commits has in its history."""

    ahead: int
    """Commits that only the first one has."""
    behind: int
    """Commits that only the second one has."""


_NOWHERE = Distance(0, 0)


class Age(NamedTuple):
    """The difference between the tree of a run and the present one."""

    text: str
    """For people: "3 commits ago, loader edited since"."""
    mark: str
    """The same in two or three characters, in git's form: `~3`; `~`: older, but not by commits."""


def branch_in(head: Path) -> str:
    """The branch that the file `HEAD` names, or the beginning of its commit; empty: it cannot be read.

    For what is asked every moment: it starts no git.
    """
    try:
        text = read_loosely(head).strip()
    except OSError:
        return ""
    return text.removeprefix("ref: refs/heads/") if text.startswith("ref: ") else text[:10]


class TreeReader:
    """Reads the state of one checkout on request; unchanged parts are not read again."""

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self._files = LoaderFiles(checkout.models)
        self._repositories: dict[str, str] = {}
        self._distances: dict[tuple[Path, str, str], Distance | None] = {}

    def heads(self) -> Heads:
        """The commits that are checked out."""
        commit = self._head(self.checkout.root)
        if commit and commit not in self._repositories:
            self._repositories[commit] = self._first_commit(commit)
        return Heads(self._repositories.get(commit, ""), commit, self._head(self.checkout.models))

    def head_files(self) -> tuple[Path, ...]:
        """Files that change whenever `heads` does."""
        places = (self.checkout.root, self.checkout.models)
        found = [self._git(one, "rev-parse", "--path-format=absolute", "--git-path", "HEAD") for one in places]
        # Every work tree has its log beside its HEAD, also one that is linked.
        return tuple(file for line in found if line for file in (Path(line), Path(line).parent / "logs/HEAD"))

    def state(self, test_id: str) -> TreeState:
        """The state that a run of a test which starts now would have."""
        heads, code = self.heads(), self.code(test_id)
        return TreeState(*heads, code.loader, code.imports, self._committed(heads, code))

    def state_of(self, spec: RunSpec) -> TreeState:
        """The same for a run that may be one of op cases: its manifests count as its code."""
        if not spec.cases:
            return self.state(spec.test_id)
        heads, code = self.heads(), self.code_of(spec)
        committed = bool(heads.commit and code.blobs)
        committed = committed and self._holds(self.checkout.root, heads.commit, dict(code.blobs))
        return TreeState(*heads, code.loader, code.imports, committed)

    def code(self, test_id: str) -> Code:
        """The present code of the loader of a test."""
        return self.codes([test_id])[test_id]

    def code_of(self, spec: RunSpec) -> Code:
        """The present code of the loader of a run's test; for op cases, their manifests."""
        return _manifests(spec) if spec.cases else self.code(spec.test_id)

    def codes(self, test_ids: Iterable[str]) -> dict[str, Code]:
        """The code of many tests, by id; ids without a loader are left out."""
        parsed = {id: TestId.parse(id) for id in test_ids}
        found = self._files.codes({test.directory for test in parsed.values() if test})
        return {id: found[test.directory] if test else Code("", "", ()) for id, test in parsed.items()}

    def distance(self, commit: str, head: str, *, models: bool = False) -> Distance | None:
        """The distance between two commits of the checkout, or of its models; None: one of them is not here."""
        key = self.checkout.models if models else self.checkout.root, commit, head
        if key not in self._distances:
            counts = self._git(key[0], "rev-list", "--left-right", "--count", f"{commit}...{head}", "--").split()
            self._distances[key] = Distance(*map(int, counts)) if len(counts) == 2 else None
        return self._distances[key]

    def _committed(self, heads: Heads, code: Code) -> bool:
        checkout = self.checkout
        place, commit = (checkout.models, heads.models) if heads.models else (checkout.root, heads.commit)
        if not commit or not code.blobs:
            return False
        below = "" if heads.models else f"{checkout.relative(checkout.models)}/"
        return self._holds(place, commit, {f"{below}{path}": blob for path, blob in code.blobs})

    def _holds(self, place: Path, commit: str, paths: Mapping[str, str]) -> bool:
        try:
            return _git(place).holds(commit, paths)
        except TTMatrixError:
            return False

    def _first_commit(self, commit: str) -> str:
        """The oldest ancestor; empty for a shallow clone, whose history is incomplete."""
        if self._git(self.checkout.root, "rev-parse", "--is-shallow-repository") != "false":
            return ""
        return self._git(self.checkout.root, "rev-list", "--first-parent", "--max-parents=0", commit)

    def _head(self, directory: Path) -> str:
        try:
            return _git(directory).own_head()
        except TTMatrixError:
            return ""

    def _git(self, directory: Path, *words: str) -> str:
        """The output of git; empty if git fails, does not answer or is missing."""
        try:
            return _git(directory).text(*words).strip("\n")
        except TTMatrixError:
            return ""


def of_checkout(records: Iterable[RunRecord], root: Path, repository: str = "") -> list[RunRecord]:
    """Those of `records` that belong to the checkout at `root`, whose first commit is `repository`.

    If the first commit of either is unknown, the path decides.
    """
    return [
        record
        for record in records
        if same_place(record.spec.cwd, root)
        and (record.tree is None or not repository or record.tree.repository in ("", repository))
    ]


def own_runs(records: Sequence[RunRecord], reader: TreeReader) -> list[RunRecord]:
    """Those of `records` that belong to the checkout of `reader`."""
    root = reader.checkout.root
    here = of_checkout(records, root)
    # Git is only called if the answer could matter.
    return of_checkout(here, root, reader.heads().repository) if any(record.tree for record in here) else here


def newest_by_test(records: Iterable[RunRecord], kind: str) -> dict[str, RunRecord]:
    """The newest run of a kind of each test, by id; `records` are newest first."""
    found: dict[str, RunRecord] = {}
    for record in records:
        if record.spec.kind == kind:
            found.setdefault(record.spec.test_id, record)
    return found


def ages(records: Iterable[RunRecord], entries: Mapping[str, Entry], reader: TreeReader) -> dict[str, Age]:
    """The age of each run of a checkout with these `entries`, by run id. Runs of the present tree have none.

    Calls git: not for the UI thread.
    """
    ended = [record for record in records if not record.active]
    heads = reader.heads()
    codes = reader.codes({record.spec.test_id for record in ended if not record.spec.cases})
    digests = {id: entry_digest(entries.get(id)) for id in codes}
    found: dict[str, Age] = {}
    for record in ended:
        id = record.spec.test_id
        code = _manifests(record.spec) if record.spec.cases else codes[id]
        if age := _age(record, heads, code, digests.get(id, ""), reader):
            found[record.spec.run_id] = age
    return found


def changed_since(records: Iterable[RunRecord], reader: TreeReader) -> frozenset[str]:
    """The tests whose loader, or its imports, differ from the code of their newest run. `records` are newest first."""
    newest: dict[str, TreeState] = {}
    for record in records:
        if record.tree is not None and not record.spec.cases:
            newest.setdefault(record.spec.test_id, record.tree)
    codes = reader.codes(newest)
    return frozenset(id for id, tree in newest.items() if not _same_code(tree, codes[id]))


def is_of_lost_code(record: RunRecord, reader: TreeReader) -> bool:
    """Whether a run is the result of code that is neither in a commit nor in the work tree any more."""
    tree = record.tree
    if record.edited or tree is None:
        return record.edited
    return not tree.committed and not _same_code(tree, reader.code_of(record.spec))


def _age(record: RunRecord, heads: Heads, code: Code, entry: str, reader: TreeReader) -> Age | None:
    tree = record.tree
    if tree is None or record.edited:
        return Age(_MIXED if record.edited else _UNKNOWN, "~")
    away = _distance(reader, tree.commit, heads.commit)
    words = [_commits(away)] if away != _NOWHERE else []
    words += _edits(tree, heads, code, reader, cases=bool(record.spec.cases))
    if record.spec.entry not in ("", entry):
        words.append("entry edited since")
    mark = f"~{away.behind}" if away and away.behind and not away.ahead else "~"
    return Age(", ".join(words), mark) if words else None


def _edits(tree: TreeState, heads: Heads, code: Code, reader: TreeReader, *, cases: bool) -> Iterator[str]:
    if tree.loader != code.loader:
        yield "manifest edited since" if cases else "loader edited since"
    elif tree.imports != code.imports:
        yield "its imports edited since"
    elif not cases and (away := _distance(reader, tree.models, heads.models, models=True)) != _NOWHERE:
        yield f"models {_commits(away)}"


def _manifests(spec: RunSpec) -> Code:
    """The present manifests of a run of op cases."""
    texts = {name: bytes_if_any(spec.cwd / name) for name in spec.manifests}
    digest = hashlib.sha256(repr(sorted(texts.items())).encode()).hexdigest()[:16]
    own = [(name, git_blob(text)) for name, text in texts.items() if text is not None and not Path(name).is_absolute()]
    return Code(digest, "", tuple(own) if len(own) == len(texts) else ())


def _same_code(tree: TreeState, code: Code) -> bool:
    return (tree.loader, tree.imports) == (code.loader, code.imports)


def _distance(reader: TreeReader, commit: str, head: str, *, models: bool = False) -> Distance | None:
    return _NOWHERE if commit == head or not (commit and head) else reader.distance(commit, head, models=models)


def _commits(away: Distance | None) -> str:
    if away is None:
        return "of a commit that is not here"
    if away.ahead and away.behind:
        return "of another branch"
    number = away.ahead + away.behind
    commits = counted(number, "commit")
    return f"{commits} ahead" if away.ahead else f"{commits} ago"


def _git(directory: Path) -> Git:
    return Git(directory, seconds=_PATIENCE_SECONDS)
