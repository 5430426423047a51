# SPDX-License-Identifier: Apache-2.0
"""A workflow on disk: its case and the answers so far, so that it can be resumed after a stop or a kill."""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.base.errors import TTMatrixError
from core.base.files import parsed, plain, read_bytes, read_text, typed
from core.workflows.case import Case
from core.workflows.engine import State, begin, replay, step
from core.workflows.procedures import workflow
from core.workflows.requests import Answer, Effect, RunDevice, identity

VERSION = 1
_JOURNAL = "journal.jsonl"
_EDITS = "edits"


class WorkflowSession:
    """One workflow on one entry. Every answer is on disk before the next effect is performed."""

    def __init__(
        self,
        directory: Path,
        name: str,
        state: State,
        began: Sequence[str] = (),
        *,
        closed: bool = False,
        applied: bool = False,
    ) -> None:
        self.directory = directory
        self.name = name
        """The requested workflow: a name from the table, or auto."""
        self.state = state
        self.began = tuple(began)
        """Ids of the runs that were started for the waiting effect."""
        self.closed = closed
        """Its proposal was accepted or dropped."""
        self.applied = applied
        """Closed because its proposal was written."""

    @property
    def edits(self) -> Path:
        """Where the original bytes of edited files are stored: one place for all sessions of a checkout."""
        return edits_directory(self.directory.parent)

    @property
    def waiting(self) -> Effect | None:
        return self.state.waiting

    def begin_runs(self, run_ids: Sequence[str]) -> None:
        """Record which runs are about to be started, so that they are found again."""
        self._append({"began": list(run_ids)})
        self.began = tuple(run_ids)

    def answer(self, answer: Answer) -> None:
        """Record the answer to the waiting effect, and take the step."""
        asked = self.state.waiting
        self._append({"answer": answer, "asked": identity(asked) if asked else None})
        self.state, _ = step(self.state, answer)
        self.began = ()

    def forget_device(self) -> bool:
        """Go back to the device effect, so that it can be answered again; False if there was none."""
        answered = self.state.asked[: len(self.state.answers)]
        asked = [number for number, effect in enumerate(answered) if isinstance(effect, RunDevice)]
        if not asked:
            return False
        count = asked[-1]
        self._append({"kept": count})
        self.state = replay(self.state.case, self.state.workflow, self.state.answers[:count])
        self.began = ()
        return True

    def close(self, *, applied: bool = False) -> None:
        """End the session; edits that are in place stay."""
        self._append({"closed": True, "applied": applied})
        self.closed, self.applied = True, applied

    def _append(self, line: dict[str, Any]) -> None:
        _append(self.directory / _JOURNAL, line)


def start(root: Path, name: str, case: Case) -> WorkflowSession:
    """A new session below `root`; an earlier one on the same entry is put aside."""
    directory = _directory(root, case.id)
    directory.mkdir(parents=True, exist_ok=True)
    journal = directory / _JOURNAL
    if journal.exists():
        journal.replace(journal.with_suffix(".before"))
    _append(journal, {"version": VERSION, "workflow": name, "at": time.time(), "case": plain(case)})
    state, _ = begin(case, workflow(name))
    return WorkflowSession(directory, name, state)


def resume(root: Path, id: str) -> WorkflowSession | None:
    """The session on the entry `id` as it was left, also a closed one; None where there is none.

    Raises TTMatrixError where its journal cannot be understood.
    """
    journal = _directory(root, id) / _JOURNAL
    if not journal.is_file():
        return None
    try:
        return _replayed(journal, list(_lines(journal)))
    except (IndexError, KeyError, TypeError, ValueError) as error:
        why = f"{journal}: {type(error).__name__}: {error}"
        raise TTMatrixError(f"Cannot resume {id}", why, "Start over without --resume.") from error


def sessions_directory(state: Path, root: Path) -> Path:
    """Where the workflow sessions of the checkout at `root` are stored, below the state directory."""
    return state / "triage" / hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]


def left_open(root: Path) -> list[WorkflowSession]:
    """The open sessions below `root`, oldest first; unreadable ones are skipped."""
    found: list[tuple[float, WorkflowSession]] = []
    for journal in root.glob(f"*/{_JOURNAL}"):
        try:
            session = _replayed(journal, list(_lines(journal)))
            found.append((journal.stat().st_mtime, session))
        except (OSError, TTMatrixError, LookupError, TypeError, ValueError):
            continue
    return [session for _, session in sorted(found, key=lambda one: one[0]) if not session.closed]


def edits_directory(root: Path) -> Path:
    """Where the original bytes of files that the sessions below `root` edit are stored."""
    return root / _EDITS


def _replayed(journal: Path, lines: Sequence[dict[str, Any]]) -> WorkflowSession:
    head = lines[0]
    if head["version"] != VERSION:
        raise ValueError(f"it is of version {head['version']}")
    answered = _answered(lines)
    case, run = typed(head["case"], Case), workflow(head["workflow"])
    state = replay(case, run, [line["answer"] for line in answered])
    if not all(map(_was_asked, state.asked, answered)):
        raise ValueError("the workflow has changed since it began")
    last = max(number for number, line in enumerate(lines) if number == 0 or "answer" in line or "kept" in line)
    began = [run for line in lines[last:] for run in line.get("began", ())]
    closed = any("closed" in line for line in lines)
    applied = any(line.get("applied") for line in lines)
    return WorkflowSession(journal.parent, head["workflow"], state, began, closed=closed, applied=applied)


def _was_asked(effect: Effect, line: Mapping[str, Any]) -> bool:
    """Whether `line` answers `effect`. Older journals have the effect's title instead."""
    asked: object = line.get("asked")
    return effect.title == line["to"] if asked is None else identity(effect) == asked


def _answered(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The valid answers: a line with `kept` says how many of those before it remain valid."""
    found: list[dict[str, Any]] = []
    for line in lines:
        if "kept" in line:
            del found[int(line["kept"]) :]
        elif "answer" in line:
            found.append(line)
    return found


def _directory(root: Path, id: str) -> Path:
    return root / hashlib.sha256(id.encode()).hexdigest()[:16]


def _lines(journal: Path) -> Iterator[dict[str, Any]]:
    # A last line without a line end was cut off while it was written: it does not count.
    for line in read_text(journal, None).split("\n")[:-1]:
        yield parsed(line)


def _append(journal: Path, line: dict[str, Any]) -> None:
    text = json.dumps(line, default=str)
    try:
        _repair(journal)
        with journal.open("a", encoding="utf-8") as handle:
            handle.write(text + "\n")
            handle.flush()
            os.fsync(handle.fileno())
    except OSError as error:
        raise TTMatrixError(f"Cannot write {journal}", error.strerror or str(error)) from error


def _repair(journal: Path) -> None:
    """Remove a last line without a line end, so that the next one is not appended to it."""
    if not journal.is_file():
        return
    data = read_bytes(journal, None)
    if data and not data.endswith(b"\n"):
        with journal.open("r+b") as handle:
            handle.truncate(data.rfind(b"\n") + 1)
