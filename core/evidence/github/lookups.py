# SPDX-License-Identifier: Apache-2.0
"""What GitHub says of commits that no clone here has: each question is asked once, and its answer stored with its date.

Commits do not change, so that an answer is valid for ever; what GitHub did not know is asked again after a day.
"""

import base64
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from core.base.checked_numbers import day_of
from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, plain, read_text
from core.base.locks import LockHeld, locked
from core.evidence.analysis import Between, OneCommit
from core.evidence.github.actions import unexpected
from core.evidence.github.transport import Expired, NotFound, Transport
from core.runs import clean

T = TypeVar("T")
S = TypeVar("S", "Compared", "Said")
MOST_QUESTIONS = 60
"""Of one call; each is a request, a comparison up to three."""
_PAGES, _PAGE = 3, 100
_MOST_ANSWERS = 2_000
_DAY = 86_400.0
_PATIENCE = 5.0
_VERSION = re.compile(r"[\w][\w.+-]{0,99}", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{40,64}")
_FILE_BYTES = 256 * 1024
_SUBJECT = 300


@dataclass(frozen=True)
class Compared:
    """The commits between two versions of a repository."""

    at: float
    """When it was asked, in seconds since the epoch."""
    commits: tuple[tuple[str, str, str, str], ...] = ()
    """Newest first: id, day, author, subject."""
    total: int = 0
    older: bool = False
    """The later version is one of the history of the earlier one."""
    unknown: str = ""


@dataclass(frozen=True)
class Said:
    """The text of a file at a commit, or the commit of a submodule."""

    at: float
    text: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class _Answers:
    compared: Mapping[str, Compared] = field(default_factory=dict)
    files: Mapping[str, Said] = field(default_factory=dict)


class Lookups:
    """The answers that are known. With a transport, what is not known is asked."""

    def __init__(
        self,
        file: Path,
        transport: Transport | None = None,
        say: Callable[[str], None] = lambda text: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._file, self._transport, self._say, self._now = file, transport, say, now
        self._left = MOST_QUESTIONS
        self._answers = _read(file)
        self.oldest: float | None = None
        """When the oldest answer was asked that was of use; None: none was."""

    def compared(self, repository: str, before: str, after: str) -> Between | None:
        """The commits that `after` has and `before` has not; None: not known here."""
        if not (repository and _is_version(before) and _is_version(after)):
            return None
        key, known = f"{repository} {before}...{after}", self._answers.compared
        if (new := self._new(known.get(key), lambda github: _compare(github, repository, before, after))) is not None:
            found = new if isinstance(new, Compared) else Compared(self._now(), unknown=new)
            known = {**known, key: replace(found, at=self._now())}
            self._store(_Answers(known, self._answers.files))
        if (answer := known.get(key)) is None:
            return None
        self._used(answer.at)
        if answer.unknown:
            return Between(before, after, unknown=f"{answer.unknown} (asked on {day_of(answer.at)})")
        commits = tuple(OneCommit(*one) for one in answer.commits)
        return Between(before, after, commits, more=max(0, answer.total - len(commits)))

    def is_older(self, repository: str, before: str, after: str) -> bool:
        """Whether `after` is in the history of `before`, as far as it was asked."""
        known = self._answers.compared.get(f"{repository} {before}...{after}")
        return known is not None and known.older

    def file(self, repository: str, path: str, version: str) -> str | None:
        """The text of a file at a version, or the commit of a submodule; None: not known here."""
        if not (repository and _is_version(version)):
            return None
        key, known = f"{repository} {version}:{path}", self._answers.files
        if (new := self._new(known.get(key), lambda github: _content(github, repository, path, version))) is not None:
            found = new if isinstance(new, Said) else Said(self._now(), unknown=new)
            known = {**known, key: replace(found, at=self._now())}
            self._store(_Answers(self._answers.compared, known))
        answer = known.get(key)
        if answer is None or answer.unknown:
            return None
        self._used(answer.at)
        return answer.text

    def _used(self, at: float) -> None:
        self.oldest = at if self.oldest is None else min(self.oldest, at)

    def _new(self, known: Compared | Said | None, ask: Callable[[Transport], T]) -> T | str | None:
        """A new answer, or why GitHub has none; None: the known one is good, or nobody is to be asked, or answers."""
        good = known is not None and not (known.unknown and self._now() - known.at > _DAY)
        if good or self._transport is None or self._left <= 0:
            return None
        self._left -= 1
        try:
            return ask(self._transport)
        except (NotFound, Expired):
            return "GitHub does not know it"
        except TTMatrixError as error:
            self._say(f"{error.title}: versions and commits are those that are known. {error.detail}".strip())
            self._transport = None
            return None

    def _store(self, answers: _Answers) -> None:
        """Another process may have stored others meanwhile: both stay, the newest ones of too many."""
        try:
            with locked(self._file.with_suffix(".lock"), "storing what GitHub says", wait=_PATIENCE):
                other = _read(self._file)
                answers = _Answers(
                    _newest({**other.compared, **answers.compared}), _newest({**other.files, **answers.files})
                )
                atomic_write(self._file, json.dumps(plain(answers)))
        except LockHeld:
            # It is asked again another time.
            pass
        self._answers = answers


def _is_version(text: str) -> bool:
    return _VERSION.fullmatch(text) is not None and ".." not in text


def _read(file: Path) -> _Answers:
    try:
        return decoded(read_text(file), _Answers) if file.exists() else _Answers()
    except (TTMatrixError, Malformed):
        # All of it can be asked again.
        return _Answers()


def _newest(some: Mapping[str, S]) -> dict[str, S]:
    return dict(sorted(some.items(), key=lambda item: item[1].at)[-_MOST_ANSWERS:])


def _compare(github: Transport, repository: str, before: str, after: str) -> Compared:
    """The first 300 commits between two versions, newest first."""
    place = f"repos/{repository}/compare/{quote(before)}...{quote(after)}?per_page={_PAGE}"
    found: list[tuple[str, str, str, str]] = []
    total, status = 0, ""
    for _ in range(_PAGES):
        answer, place = github.json(place)
        try:
            total, status = answer["total_commits"], answer.get("status")
            some = answer["commits"]
            if type(total) is not int or not isinstance(some, list):
                raise TypeError("no list of commits")
            found += map(_commit, some[:_PAGE])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise unexpected(error) from error
        if not place or not some:
            break
    return Compared(0.0, tuple(found[::-1]), total, older=status == "behind")


def _commit(fields: Any) -> tuple[str, str, str, str]:
    id, commit = str(fields["sha"]), fields["commit"]
    if not _SHA.fullmatch(id):
        raise ValueError("a commit has no id")
    by = commit["committer"] or {}
    subject = clean(str(commit["message"]).strip().partition("\n")[0])[:_SUBJECT]
    author = clean(str((commit["author"] or {}).get("name") or ""))[:_SUBJECT]
    return id, clean(str(by.get("date") or ""))[:10], author, subject


def _content(github: Transport, repository: str, path: str, version: str) -> Said:
    answer, _ = github.json(f"repos/{repository}/contents/{quote(path)}?ref={quote(version)}")
    try:
        if answer["type"] == "submodule":
            if not _SHA.fullmatch(str(answer["sha"])):
                raise ValueError("a submodule has no commit")
            return Said(0.0, answer["sha"])
        data = base64.b64decode(answer["content"] or "", validate=False)
    except (KeyError, TypeError, ValueError) as error:
        raise unexpected(error) from error
    return Said(0.0, data[:_FILE_BYTES].decode("utf-8", "replace"))
