# SPDX-License-Identifier: Apache-2.0
"""Replay of all commits to the expectation files: python -m tests.bench.replay CHECKOUT

Each commit becomes operations, derived from what its files say before and after; done to the text before, they must
give what the text after says, touch nothing else, and change no more lines than the person did (how lines are
counted: tests/support/edit_laws.py). Exit code 1 where that is not so.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.edits import Operation, OpKind
from tests.support.derive import derive
from tests.support.edit_laws import Parsed, Unreadable, changed_lines, parsed, said, violations
from tests.support.edit_texts import edit_texts

_CONFIG = "tests/runner/test_config"
_WITHIN = 0.95
"""Minimum share of file changes that must not take more lines than the person's."""


@dataclass(frozen=True)
class FileChange:
    """One file in one commit."""

    commit: str
    file: str
    before: str
    after: str


@dataclass(frozen=True)
class Outcome:
    """The result of the operations of one file change."""

    change: FileChange
    operations: int
    entries: int
    theirs: int
    ours: int
    broken: tuple[str, ...] = ()


@dataclass
class Tally:
    """All outcomes, and the file changes that have no meaning to replay."""

    outcomes: list[Outcome] = field(default_factory=list)
    unreadable: list[tuple[FileChange, str]] = field(default_factory=list)
    silent: int = 0
    """Changes only of comments, order or layout."""


class Repository:
    """Commits and their files, read through one git process each."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        self._objects = subprocess.Popen(
            ["git", "-C", str(checkout), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def commits(self) -> Iterator[list[FileChange]]:
        """The modified and renamed files of each non-merge commit, the oldest first."""
        log = ["log", "--reverse", "--no-merges", "--diff-filter=MR", "--raw", "--no-abbrev", "--format=%x00%H", "-M"]
        done = subprocess.run(
            ["git", "-C", str(self._checkout), *log, "--", _CONFIG], capture_output=True, text=True, check=True
        )
        for commit in done.stdout.split("\0")[1:]:
            name, *rows = commit.split("\n")
            yield [change for row in rows if (change := self._change(name[:9], row))]

    def _change(self, commit: str, row: str) -> FileChange | None:
        if not row.endswith(".yaml"):
            return None
        columns, *names = row.split("\t")
        _, _, old, new, _ = columns.split(" ")
        if old == new:
            return None
        return FileChange(commit, names[-1].removeprefix(f"{_CONFIG}/"), self._text(old), self._text(new))

    def _text(self, blob: str) -> str:
        assert self._objects.stdin is not None
        assert self._objects.stdout is not None
        self._objects.stdin.write(f"{blob}\n".encode())
        self._objects.stdin.flush()
        size = int(self._objects.stdout.readline().split()[2])
        return self._objects.stdout.read(size + 1)[:-1].decode()


def replay(changes: list[FileChange], tally: Tally) -> None:
    """Add the result of the operations of one commit to `tally`."""
    before: dict[str, Parsed] = {}
    after: dict[str, Parsed] = {}
    readable: list[FileChange] = []
    for change in changes:
        try:
            found = parsed(change.before), parsed(change.after)
        except Unreadable as error:
            tally.unreadable.append((change, str(error)))
            continue
        before[change.file], after[change.file] = found
        readable.append(change)
    operations = derive(_fields(before), _fields(after))
    texts, rejected = edit_texts({change.file: change.before for change in readable}, operations)
    refused = tuple(f"rejected: {one.op.op} {one.op.id} {'.'.join(one.op.path)}: {one.why}" for one in rejected)
    for change in readable:
        mine = [one for one in operations if change.file in (one.file, one.to)]
        if not mine:
            tally.silent += 1
            continue
        wanted = after[change.file]
        tally.outcomes.append(_judge(change, mine, before[change.file], wanted, texts[change.file], refused))


def _judge(
    change: FileChange, operations: list[Operation], before: Parsed, wanted: Parsed, text: str, refused: tuple[str, ...]
) -> Outcome:
    result = parsed(text)
    broken = list(refused) or list(violations(before, result, operations))
    if not refused and said(result.fields) != said(wanted.fields):
        broken.append("the result does not mean what the commit means")
    renamed = {one.id: str(one.to) for one in operations if one.op is OpKind.RENAME and one.is_entry}
    return Outcome(
        change,
        len(operations),
        len({one.id for one in operations}),
        changed_lines(before, wanted, renamed),
        changed_lines(before, result, renamed),
        tuple(broken),
    )


def _fields(files: Mapping[str, Parsed]) -> dict[str, dict[str, Mapping[str, object]]]:
    return {name: file.fields for name, file in files.items()}


def report(tally: Tally, worst: int) -> bool:
    """Print the table; returns whether every law holds."""
    outcomes = tally.outcomes
    within = sum(one.ours <= one.theirs for one in outcomes) / max(len(outcomes), 1)
    ours, theirs = sum(one.ours for one in outcomes), sum(one.theirs for one in outcomes)
    broken = [one for one in outcomes if one.broken]
    rows: list[tuple[str, object]] = [
        ("file changes", len(outcomes) + tally.silent + len(tally.unreadable)),
        ("  that no parser or no rule of the runner lets through", len(tally.unreadable)),
        ("  of comments, order or layout alone", tally.silent),
        ("  replayed", len(outcomes)),
        ("entry edits", sum(one.entries for one in outcomes)),
        ("operations", sum(one.operations for one in outcomes)),
        ("lines changed by people", theirs),
        ("lines changed by us", f"{ours} ({ours / max(theirs, 1):.4f}x)"),
        ("file changes with no more lines than the person's", f"{within:.2%}"),
        ("file changes where a law is broken", len(broken)),
    ]
    for name, value in rows:
        print(f"{name:56} {value}")
    over = sorted((one for one in outcomes if one.ours > one.theirs), key=lambda one: one.theirs - one.ours)
    _list("most lines over the person's", [f"{_name(one.change)}: {one.ours} for {one.theirs}" for one in over[:worst]])
    _list("broken", [f"{_name(one.change)}: {why}" for one in broken for why in one.broken[:3]])
    _list("not replayed", [f"{_name(change)}: {why}" for change, why in tally.unreadable])
    return not broken and within >= _WITHIN and ours <= theirs and bool(outcomes)


def _name(change: FileChange) -> str:
    return f"{change.commit} {change.file}"


def _list(title: str, lines: list[str]) -> None:
    if lines:
        print(f"\n{title}:", *lines, sep="\n  ")


def main() -> None:
    """Replay every commit and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a tt-xla clone with its history")
    parser.add_argument("--worst", type=int, default=15, help="how many of the most expensive file changes to list")
    options = parser.parse_args()
    tally = Tally()
    for changes in Repository(options.checkout).commits():
        replay(changes, tally)
    sys.exit(0 if report(tally, options.worst) else 1)


if __name__ == "__main__":
    main()
