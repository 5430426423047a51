# SPDX-License-Identifier: Apache-2.0
"""Commits as a stream that `git fast-import` reads: no index, no hooks, no signing, no user identity."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time

from core.demo.replay import ReplayedCommit

BRANCH = "main"

_AUTHOR = "ttmatrix sample <sample@ttmatrix.invalid>"
_TIME_OF_DAY = time(9, tzinfo=UTC)


def fast_import_stream(history: Iterable[tuple[ReplayedCommit, Mapping[str, str]]]) -> str:
    """One commit on `BRANCH` for each pair of a commit and the files after it, oldest first.

    A file that is the same as before is left out. Files are never deleted: every path stays once it is there.
    """
    parts: list[str] = []
    known: dict[str, str] = {}
    for commit, files in history:
        parts.append(_header(commit))
        parts += [_file(path, text) for path, text in files.items() if known.get(path) != text]
        known |= files
    return "".join((*parts, "done\n"))


def _header(commit: ReplayedCommit) -> str:
    when = int(datetime.combine(date.fromisoformat(commit.date), _TIME_OF_DAY).timestamp())
    who = f"{_AUTHOR} {when} +0000"
    return f"commit refs/heads/{BRANCH}\nauthor {who}\ncommitter {who}\n{_data(commit.message + chr(10))}"


def _file(path: str, text: str) -> str:
    return f"M 100644 inline {path}\n{_data(text)}"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
