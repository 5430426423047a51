# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ingest --from-github` as a process of its own: for an app whose keys must not wait while it parses."""

import os
import sys
from pathlib import Path
from signal import SIGTERM

from core.base.files import read_loosely
from core.base.processes import own_environment, send_signal, spawn_detached

_LAST_LINES, _MOST_WORDS = 3, 500


class FetchProcess:
    """One round for the checkout at `root`. Raises TTMatrixError if it cannot be started."""

    def __init__(self, root: Path, output: Path) -> None:
        """What it says is written to `output`."""
        self._output = output
        output.parent.mkdir(parents=True, exist_ok=True)
        output.unlink(missing_ok=True)
        argv = [sys.executable, "-P", "-m", "tui", "ingest", "--from-github", "--repo", str(root)]
        self._child = spawn_detached(argv, cwd=Path("/"), env=own_environment(os.environ), output=output)

    def wait(self, seconds: float = 0.0) -> int | None:
        """Its exit code; None: it has not ended within so many seconds."""
        return self._child.wait(seconds)

    def end(self) -> None:
        """End it. What it has read is stored."""
        send_signal(self._child.identity, SIGTERM)

    @property
    def words(self) -> str:
        """The last that it has said."""
        try:
            lines = read_loosely(self._output).strip().splitlines()
        except OSError:
            return ""
        return " ".join(lines[-_LAST_LINES:])[-_MOST_WORDS:]
