# SPDX-License-Identifier: Apache-2.0
"""Which runs belong to a checkout, and how old what they show is, told in changes since."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from core.matrix import Matrix
from core.runs.store import RunRecord
from core.runs.tree_reader import Distance, Heads, TreeReader
from core.runs.tree_state import TreeState, entry_digest, same_place
from core.sources import Code

_UNKNOWN = "tree not recorded"
_MIXED = "loader edited while it ran"
_NOWHERE = Distance(0, 0)


class Age(NamedTuple):
    """How the tree of a run differs from the present one."""

    text: str
    """For people: "3 commits ago, loader edited since"."""
    mark: str
    """The same in two or three characters, as git writes it: `~3`; `~`: older by something else than commits."""


def of_checkout(records: Iterable[RunRecord], root: Path, repository: str = "") -> list[RunRecord]:
    """Those of `records` that belong to the checkout at `root`, whose first commit is `repository`.

    Where the first commit of either is not known, the place decides.
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
    # Git is asked only where the answer could matter.
    return of_checkout(here, root, reader.heads().repository) if any(record.tree for record in here) else here


def newest_by_test(records: Iterable[RunRecord], kind: str) -> dict[str, RunRecord]:
    """The newest run of a kind of each test, by id; `records` are newest first."""
    found: dict[str, RunRecord] = {}
    for record in records:
        if record.spec.kind == kind:
            found.setdefault(record.spec.test_id, record)
    return found


def ages(records: Iterable[RunRecord], matrix: Matrix, reader: TreeReader) -> dict[str, Age]:
    """The age of each run of the checkout of `matrix`, by run id. What shows the present tree has none.

    Asks git: not for a thread that somebody waits for.
    """
    ended = [record for record in records if not record.active]
    heads = reader.heads()
    codes = reader.codes({record.spec.test_id for record in ended})
    entries = {id: entry_digest(matrix.entries.get(id)) for id in codes}
    found: dict[str, Age] = {}
    for record in ended:
        id = record.spec.test_id
        if age := _age(record, heads, codes[id], entries[id], reader):
            found[record.spec.run_id] = age
    return found


def is_of_lost_code(record: RunRecord, reader: TreeReader) -> bool:
    """Whether a run is the result of code that is neither in a commit nor in the work tree any more."""
    tree = record.tree
    if record.edited or tree is None:
        return record.edited
    return not tree.committed and not _same_code(tree, reader.code(record.spec.test_id))


def _age(record: RunRecord, heads: Heads, code: Code, entry: str, reader: TreeReader) -> Age | None:
    tree = record.tree
    if tree is None or record.edited:
        return Age(_MIXED if record.edited else _UNKNOWN, "~")
    away = _distance(reader, tree.commit, heads.commit)
    words = [_commits(away)] if away != _NOWHERE else []
    words += _edits(tree, heads, code, reader)
    if record.spec.entry not in ("", entry):
        words.append("entry edited since")
    mark = f"~{away.behind}" if away and away.behind and not away.ahead else "~"
    return Age(", ".join(words), mark) if words else None


def _edits(tree: TreeState, heads: Heads, code: Code, reader: TreeReader) -> Iterator[str]:
    if tree.loader != code.loader:
        yield "loader edited since"
    elif tree.imports != code.imports:
        yield "its imports edited since"
    elif (away := _distance(reader, tree.models, heads.models, models=True)) != _NOWHERE:
        yield f"models {_commits(away)}"


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
    commits = "1 commit" if number == 1 else f"{number:,} commits"
    return f"{commits} ahead" if away.ahead else f"{commits} ago"
