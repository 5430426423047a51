# SPDX-License-Identifier: Apache-2.0
"""Call the command line as a program would, but in this process."""

import contextlib
import io
import json
import sys
from dataclasses import dataclass
from typing import Any

from core.cli import AppRequest, main


@dataclass(frozen=True, slots=True)
class Called:
    """The result of a command line."""

    code: int
    out: str
    err: str
    opened: tuple[AppRequest, ...] = ()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Terminal(io.StringIO):
    """Standard input that is a terminal, with what a person typed."""

    def isatty(self) -> bool:
        return True


def call(*argv: object, stdin: str = "", typed: str | None = None) -> Called:
    """Run `ttmatrix` with these arguments; `typed` is a person's input at a terminal."""
    opened: list[AppRequest] = []

    def open_app(request: AppRequest) -> int:
        opened.append(request)
        return 0

    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(stdin) if typed is None else Terminal(typed)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main([str(word) for word in argv], open_app)
            except SystemExit as leaving:  # --help and --version
                code = int(leaving.code or 0)
    finally:
        sys.stdin = before
    return Called(code, out.getvalue(), err.getvalue(), tuple(opened))
