# SPDX-License-Identifier: Apache-2.0
"""The command line, called as a program would call it but in this process."""

import contextlib
import io
import json
import sys
from dataclasses import dataclass
from typing import Any

from core.cli.dispatch import main
from core.cli.parser import AppRequest


@dataclass(frozen=True, slots=True)
class Called:
    """What a command line left behind."""

    code: int
    out: str
    err: str
    opened: tuple[AppRequest, ...] = ()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Terminal(io.StringIO):
    """A person who has typed."""

    def isatty(self) -> bool:
        return True


def call(*argv: object, stdin: str = "", typed: str | None = None) -> Called:
    """Run `ttmatrix` with these arguments; `typed` is what a person at a terminal answers."""
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
