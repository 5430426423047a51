# SPDX-License-Identifier: Apache-2.0
"""Write results as they arrive, from this process or from pytest-xdist workers, and sum them up."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import IO, Any

from .results import DUP, SKIP, STATUSES


class Results:
    """The results of a session."""

    def __init__(self, path: Path | None) -> None:
        """With a `path`, each result is written there as a line of JSON as soon as it is known."""
        self._file: IO[str] | None = path.open("w", encoding="utf-8") if path else None
        self._verdicts: dict[str, str] = {}
        self._waiting: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.skipped: list[tuple[str, str]] = []

    def add(self, document: dict[str, Any]) -> None:
        """Add one result. A duplicate takes the verdict of the case that represents it, which may arrive later."""
        status = document["status"]
        self.counts[status] += 1
        if status == DUP:
            self._waiting.append(document)
        else:
            self._verdicts[document["id"]] = status
            self._write({**document, "verdict": status})
        if status == SKIP:
            self.skipped.append((document["id"], document["message"]))
        for one in [one for one in self._waiting if one["dup_of"] in self._verdicts]:
            self._waiting.remove(one)
            self._write({**one, "verdict": self._verdicts[one["dup_of"]]})

    def close(self) -> None:
        """Write the remaining results: duplicates of cases that did not run."""
        for one in self._waiting:
            self._write({**one, "verdict": None})
        self._waiting.clear()
        if self._file:
            self._file.close()

    def summary(self) -> str:
        """The count of each status, in the order of the statuses."""
        return ", ".join(f"{self.counts[status]} {status}" for status in STATUSES if self.counts[status])

    def _write(self, document: dict[str, Any]) -> None:
        if self._file:
            self._file.write(json.dumps(document, allow_nan=False) + "\n")
            self._file.flush()
