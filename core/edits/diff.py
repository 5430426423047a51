# SPDX-License-Identifier: Apache-2.0
"""The unified diff of one file, in the form that `git apply` takes."""

import difflib

_NO_NEWLINE = "\\ No newline at end of file\n"


def unified_diff(path: str, before: str, after: str) -> str:
    """The diff of the file at `path` (relative, with forward slashes); empty where nothing changed.

    Only line feeds end a line, as git has it: a carriage return is part of the line it stands on.
    """
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
