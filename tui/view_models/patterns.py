# SPDX-License-Identifier: Apache-2.0
"""A FileCheck pattern tried on a program: the result beside each of its lines, and the program's lines it concerns."""

import re
from collections.abc import Sequence

from core.base.text import one_line
from core.runs import CheckedLine, Trial
from tui.view_models.style import Cell, Line

_DIRECTIVE = re.compile(r"\bCHECK(?:-[A-Z]+(?:-\d+)?)*:")


def checked_at(trial: Trial, line: int) -> CheckedLine | None:
    """The result of a line of the pattern, from 1: a failure takes precedence over a match; None: no result."""
    found = [one for one in trial.result.lines if one.line == line]
    return next((one for one in found if not one.matched), found[-1] if found else None)


def pattern_lines(trial: Trial | None, pattern: str) -> list[Line]:
    """The lines of the pattern, each with the program's line that it matched, or that it failed or was not reached."""
    lines: list[Line] = []
    for number, text in enumerate(pattern.split("\n"), 1):
        one = checked_at(trial, number) if trial else None
        if one is None:
            asked = trial is not None and trial.result.lines and _DIRECTIVE.search(text)
            lines.append([Cell(" not reached" if asked else "", "dim")])
        elif not one.matched:
            lines.append([Cell(" ✗ ", "error"), Cell(_missed(one), "error")])
        else:
            at = 0 if one.at is None else one.at
            shown = trial.excerpt.get(at, "").strip() if trial else ""
            where = (
                [Cell(f"{at:>6} ", "dim"), Cell(one_line(shown))] if at else [Cell("  nowhere, as it should be", "dim")]
            )
            lines.append([Cell(" ✓", "pass"), *where])
    return lines


def _missed(one: CheckedLine) -> str:
    return one_line(one.why if one.intended is None else f"{one.why}; perhaps line {one.intended} was meant")


def verdict_words(trial: Trial) -> tuple[str, str]:
    """The result of the whole pattern, with a style."""
    tool = f"FileCheck {trial.tool.version}".rstrip()
    if trial.result.passed:
        return f"passed   {tool}", "pass"
    failed = next((one for one in trial.result.lines if not one.matched), None)
    if failed is None:
        return f"failed: {one_line(trial.result.message)}   {tool}", "error"
    return f"failed at line {failed.line}, {failed.directive}: {_missed(failed)}   {tool}", "error"


def program_lines(trial: Trial | None, one: CheckedLine | None) -> tuple[Sequence[Line], int]:
    """The program's lines around the one that a pattern's line concerns, and the index of that one; -1: none."""
    shown = trial.around(one) if trial else ()
    at = None if one is None else one.at if one.matched else one.intended or one.at
    style = "added" if one is not None and one.matched else "removed"
    lines: list[Line] = [
        [Cell(f"{number:>6} ", "dim"), Cell(one_line(text), style if number == at else "")] for number, text in shown
    ]
    return lines, next((row for row, (number, _) in enumerate(shown) if number == at), -1)
