# SPDX-License-Identifier: Apache-2.0
"""Run LLVM's FileCheck on programs of runs: which line of a pattern matched what, or failed and why."""

import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import run_command
from core.domain.model import Entry
from core.payload.ttmatrix_payload.execute.filecheck import LLVM, NAME, find_filecheck
from core.runs.ir import FOLDED, fold, folded_lines

PATTERNS = Path("tests/filecheck")
"""The directory of a checkout with the patterns of its entries."""
_PATIENCE = 60.0
_CONTEXT = 20
"""Lines of context before and after a shown line of a program."""
_REMARK = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<kind>remark|error|note): (?P<text>.*)$")
_DIRECTIVE = re.compile(r"^(CHECK[A-Z-]*): (.*)$")
_VALUE = re.compile(r"%[A-Za-z_]?[\w.#-]*")
_MODULE = re.compile(r"^((?:builtin\.)?module )@[\w.$-]+")
_LOCATION = re.compile(r"\s*loc\((?:[^()]|\([^()]*\))*\)")


@dataclass(frozen=True, slots=True)
class Tool:
    """A FileCheck installed on this machine."""

    program: Path
    version: str
    """The version it reports: `19.1.7`; empty: none."""


@dataclass(frozen=True, slots=True)
class CheckedLine:
    """The result of one line of a pattern."""

    line: int
    """Line of the pattern, from 1."""
    directive: str
    """`CHECK`, `CHECK-NOT`, ..."""
    matched: bool
    at: int | None
    """The line of the program, from 1, where it matched or where the search began."""
    why: str
    """FileCheck's own message."""
    intended: int | None = None
    """For a failed line, the line of the program that it may have been meant for."""


@dataclass(frozen=True, slots=True)
class PatternResult:
    """The result of a pattern on a program."""

    passed: bool
    lines: tuple[CheckedLine, ...]
    """In the order of the pattern, up to where FileCheck stopped."""
    message: str
    """Why there are no lines; else empty."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A pattern that was tried on a program, with the context needed to judge it."""

    tool: Tool
    result: PatternResult
    excerpt: Mapping[int, str]
    """The lines of the program around each line in the result, by number from 1, with large constants folded."""

    def around(self, line: CheckedLine | None) -> Sequence[tuple[int, str]]:
        """The context in the program of a line of the pattern, with line numbers."""
        at = None if line is None else line.at if line.matched else line.intended or line.at
        if at is None:
            return ()
        return [(number, self.excerpt[number]) for number in _around(at) if number in self.excerpt]


def find_tool(environ: Mapping[str, str] = os.environ, llvm: Path = LLVM) -> Tool:
    """The installed FileCheck, found by name with or without a version. Raises TTMatrixError if there is none."""
    found = find_filecheck(environ.get("PATH", os.defpath), llvm)
    if found is None:
        where = f"Looked for {NAME} and {NAME}-N on PATH, and for {llvm}/llvm-N/bin/{NAME}."
        raise TTMatrixError(f"LLVM's {NAME} is not installed", where, "Install LLVM's tools: apt install llvm")
    done = run_command([found, "--version"], cwd=Path("/"), timeout=_PATIENCE)
    version = re.search(r"version (\d[\w.]*)", done.stdout)
    return Tool(Path(found), version[1] if version else "")


def check_pattern(tool: Tool, pattern: Path, program: Path) -> PatternResult:
    """Run the pattern on the program. Raises TTMatrixError if one of them cannot be read."""
    for file in (pattern, program):
        if not file.is_file():
            raise TTMatrixError(f"There is no file {file}")
    words = [str(tool.program), str(pattern), "--input-file", str(program), "-vv", "-dump-input=never"]
    done = run_command(words, cwd=Path("/"), timeout=_PATIENCE)
    lines = tuple(sorted(read_remarks(done.stderr, pattern, program), key=lambda one: one.line))
    message = "" if lines else (done.stderr.strip() or f"{NAME} ended with exit code {done.returncode}")
    return PatternResult(done.returncode == 0, lines, message)


def try_pattern(text: str, program: Path) -> Trial:
    """Run the text of a pattern on a program. Raises as `find_tool` and `check_pattern` do."""
    tool = find_tool()
    with tempfile.TemporaryDirectory(prefix="ttmatrix-filecheck-") as scratch:
        pattern = Path(scratch) / "pattern.mlir"
        pattern.write_text(text, encoding="utf-8")
        result = check_pattern(tool, pattern, program)
        result = replace(result, message=result.message.replace(str(pattern), "pattern"))
    about = {at for one in result.lines for at in (one.at, one.intended) if at is not None}
    return Trial(tool, result, _excerpt(program, {number for at in about for number in _around(at)}))


def patterns_of(entry: Entry | None) -> Sequence[str]:
    """The pattern files of an entry and of its overrides, without repetitions (docs/rules.md 2.2)."""
    if entry is None:
        return ()
    found = (values.get("filechecks") for values in (entry.fields, *entry.overrides.values()))
    return list(dict.fromkeys(name for names in found if isinstance(names, list) for name in map(str, names)))


def _around(at: int) -> range:
    return range(max(1, at - _CONTEXT), at + _CONTEXT + 1)


def _excerpt(program: Path, wanted: Collection[int]) -> Mapping[int, str]:
    last = max(wanted, default=0)
    found = {}
    for number, line in enumerate(folded_lines(program), 1):
        if number > last:
            break
        if number in wanted:
            found[number] = line
    return found


def read_remarks(text: str, pattern: Path, program: Path) -> Iterator[CheckedLine]:
    """The results in FileCheck's output with `-vv`, one per line of the pattern."""
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
    """A pattern that matches the chosen lines of a program in order, whatever their value names and locations."""
    written = [stripped for line in lines if (stripped := _LOCATION.sub("", line).strip())]
    found = [f"// {'CHECK' if not at else 'CHECK-NEXT'}: {_generalised(line)}" for at, line in enumerate(written)]
    return "\n".join(found) + "\n" if found else ""


def _generalised(line: str) -> str:
    """A line of MLIR with value names generalised, and FileCheck's own syntax escaped."""
    literal = FOLDED.sub("{{.*}}", fold(line).replace("{{", "{{[{][{]}}").replace("[[", "{{[[][[]}}"))
    named = _MODULE.sub(r"\1@{{[A-Za-z0-9_.$-]+}}", literal)
    return _VALUE.sub("{{%[A-Za-z0-9_.#-]+}}", named)


def _checked(head: re.Match[str], at: int | None, intended: int | None) -> CheckedLine:
    directive = _DIRECTIVE.match(head["text"])
    assert directive is not None
    return CheckedLine(int(head["line"]), directive[1], head["kind"] == "remark", at, directive[2], intended)
