# SPDX-License-Identifier: Apache-2.0
"""Programs that runs have left."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from core.base.files import As, Record
from core.runs.ir import Stage


class PatternLine(Record):
    """A line of a FileCheck pattern that holds a directive."""

    line: int
    """In the pattern, from 1."""
    directive: str
    matched: bool
    at: int | None
    """The line of the program where it matched, or where the search began."""
    why: str
    """In FileCheck's words."""
    intended: int | None
    """The line of the program that a failed one may have been meant for."""


class PatternChecked(Record):
    """A FileCheck pattern tried on a program."""

    tool: str
    version: str
    pattern: str
    program: str
    passed: bool
    message: str
    """Why there are no lines; empty where there are."""
    lines: Sequence[PatternLine]


class PatternWritten(Record):
    """A FileCheck pattern made of lines of a program."""

    pattern: str
    text: str


class Program(Record):
    """A program that a run has left."""

    stage: Stage
    name: str
    """Relative to the directory of the run."""
    file: str
    bytes: int


class ProgramOps(Record):
    """The ops of a program, counted."""

    stage: Stage
    name: str
    total: int
    ops: Mapping[str, int]
    """The most first."""
    broken: str | None
    """What is wrong with the program, and where."""


class OpInProgram(Record):
    """An op of a program."""

    program: str
    line: int
    """From 1."""
    op: str
    source: str | None
    """FILE:LINE, where the program says so."""
    text: str
    """Without its location and with large constants folded."""


class ProgramName(Record):
    """A program, by name and stage."""

    name: str
    stage: Stage


class ProgramCounts(Record):
    """How many ops of two programs are the same."""

    same: int
    changed: int
    """The same op with another type, shape or attribute."""
    operands: int
    """The same op on results of other ops."""
    removed: int
    added: int


class ComparedOp(Record):
    """An op of one of two programs."""

    line: int
    op: str
    text: str
    source: str | None


class OpDifference(Record):
    """An op that two programs do not share."""

    change: Annotated[str, As(Literal["changed", "operands", "removed", "added"])]
    before: ComparedOp | None
    after: ComparedOp | None


class ProgramsCompared(Record):
    """Two programs, op by op."""

    before: ProgramName
    after: ProgramName
    counts: ProgramCounts
    ops: Mapping[str, tuple[int, int]]
    """How many before and after, of names whose number differs."""
    differences: Sequence[OpDifference]
    broken: Sequence[str]
    """What is wrong with either program, and where."""


class CodeRun(Record):
    """Code that an export has generated, executed."""

    directory: str
    """Where it is."""
    command: Sequence[str]
    exit_code: int
