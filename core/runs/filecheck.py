# SPDX-License-Identifier: Apache-2.0
"""LLVM's FileCheck on programs that runs have left: which line of a pattern matched what, or failed and why."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import TTMatrixError
from core.payload.ttmatrix_filecheck import LLVM, NAME, find_filecheck
from core.proc import run_command

_PATIENCE = 60.0
_REMARK = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<kind>remark|error|note): (?P<text>.*)$")
_DIRECTIVE = re.compile(r"^(CHECK[A-Z-]*): (.*)$")
_VALUE = re.compile(r"%[A-Za-z_]?[\w.#-]*")
_LOCATION = re.compile(r"\s*loc\((?:[^()]|\([^()]*\))*\)")


@dataclass(frozen=True, slots=True)
class Tool:
    """A FileCheck of this machine."""

    program: Path
    version: str
    """As it says itself: `19.1.7`; empty: it does not say."""


@dataclass(frozen=True, slots=True)
class CheckedLine:
    """The result of one line of a pattern."""

    line: int
    """In the pattern, from 1."""
    directive: str
    """`CHECK`, `CHECK-NOT`, ..."""
    matched: bool
    at: int | None
    """The line of the program, from 1: where it matched, or where the search began."""
    why: str
    """In FileCheck's words."""
    intended: int | None = None
    """Of a line that failed, the line of the program that it may have been meant for."""


@dataclass(frozen=True, slots=True)
class PatternResult:
    """A pattern on a program."""

    passed: bool
    lines: tuple[CheckedLine, ...]
    """In the order of the pattern, as far as FileCheck came."""
    message: str
    """Why there are no lines; empty where there are."""


def find_tool(environ: Mapping[str, str] = os.environ, llvm: Path = LLVM) -> Tool:
    """The FileCheck that is installed, by name or by version. Raises TTMatrixError where there is none."""
    found = find_filecheck(environ.get("PATH", os.defpath), llvm)
    if found is None:
        where = f"Looked for {NAME} and {NAME}-N on PATH, and for {llvm}/llvm-N/bin/{NAME}."
        raise TTMatrixError(f"LLVM's {NAME} is not installed", where, "Install LLVM's tools: apt install llvm")
    done = run_command([found, "--version"], cwd=Path("/"), timeout=_PATIENCE)
    version = re.search(r"version (\d[\w.]*)", done.stdout)
    return Tool(Path(found), version[1] if version else "")


def check_pattern(tool: Tool, pattern: Path, program: Path) -> PatternResult:
    """Try the pattern on the program. Raises TTMatrixError where one of them cannot be read."""
    for file in (pattern, program):
        if not file.is_file():
            raise TTMatrixError(f"There is no file {file}")
    words = [str(tool.program), str(pattern), "--input-file", str(program), "-vv", "-dump-input=never"]
    done = run_command(words, cwd=Path("/"), timeout=_PATIENCE)
    lines = tuple(sorted(read_remarks(done.stderr, pattern, program), key=lambda one: one.line))
    message = "" if lines else (done.stderr.strip() or f"{NAME} ended with exit code {done.returncode}")
    return PatternResult(done.returncode == 0, lines, message)


def read_remarks(text: str, pattern: Path, program: Path) -> Iterator[CheckedLine]:
    """What FileCheck prints with `-vv`, a line of the pattern each."""
    head: re.Match[str] | None = None
    at: int | None = None
    intended: int | None = None
    for match in filter(None, map(_REMARK.match, text.splitlines())):
        if match["kind"] != "note":
            if head is not None:
                yield _checked(head, at, intended)
            head, at, intended = (match if _DIRECTIVE.match(match["text"]) else None), None, None
        elif match["file"] == str(program):
            if "intended" in match["text"]:
                intended = int(match["line"])
            elif at is None:
                at = int(match["line"])
    if head is not None:
        yield _checked(head, at, intended)


def first_pattern(lines: Iterable[str]) -> str:
    """A pattern of chosen lines of a program: in this order, whatever their values are called and their locations."""
    written = [stripped for line in lines if (stripped := _LOCATION.sub("", line).strip())]
    found = [f"// {'CHECK' if not at else 'CHECK-NEXT'}: {_generalised(line)}" for at, line in enumerate(written)]
    return "\n".join(found) + "\n" if found else ""


def _generalised(line: str) -> str:
    """A line of MLIR with any name in the place of each value; what FileCheck would read as its own stays text."""
    literal = line.replace("{{", "{{[{][{]}}").replace("[[", "{{[[][[]}}")
    return _VALUE.sub("{{%[A-Za-z0-9_.#-]+}}", literal)


def _checked(head: re.Match[str], at: int | None, intended: int | None) -> CheckedLine:
    directive = _DIRECTIVE.match(head["text"])
    assert directive is not None
    return CheckedLine(int(head["line"]), directive[1], head["kind"] == "remark", at, directive[2], intended)
