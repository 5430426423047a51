# SPDX-License-Identifier: Apache-2.0
"""Errors a person can act on. Anything else that is raised is a bug."""

from collections.abc import Sequence
from typing import ClassVar

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_INFRASTRUCTURE = 2
EXIT_USAGE = 64


class TTMatrixError(Exception):
    """What went wrong (`title`), where (`detail`) and what to do about it (`hint`)."""

    exit_code: ClassVar[int] = EXIT_INFRASTRUCTURE

    def __init__(self, title: str, detail: str = "", hint: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(part for part in (self.title, self.detail, self.hint) if part)


def together(problems: Sequence[TTMatrixError], what: str) -> TTMatrixError:
    """One error that says all of several, a line each; `what` counts them, as in `settings are wrong`."""
    if len(problems) == 1:
        return problems[0]
    lines = (" ".join(part for part in (one.title, one.detail, one.hint) if part) for one in problems)
    return TTMatrixError(f"{len(problems)} {what}", "\n".join(lines))


class UsageError(TTMatrixError):
    """An error in the request itself, such as an unknown id or a malformed query."""

    exit_code: ClassVar[int] = EXIT_USAGE


class QueryError(UsageError):
    """A query that cannot be understood, with the place of the error in its text."""

    def __init__(
        self, title: str, column: int, token: str = "", *, suggestion: str = "", hint: str = "", empty_field: str = ""
    ) -> None:
        """`column` is 0-based; `token` is the wrong text there; `suggestion` is what may have been meant.

        `empty_field` is the name, as typed, of a field without a value.
        """
        hint = f"Did you mean {suggestion}?" if suggestion else hint
        super().__init__(title, f"at column {column + 1} of the query", hint)
        self.column = column
        self.token = token
        self.suggestion = suggestion
        self.empty_field = empty_field
