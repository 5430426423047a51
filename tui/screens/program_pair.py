# SPDX-License-Identifier: Apache-2.0
"""Two programs side by side: asked for where there are several, compared in the background."""

from collections.abc import Sequence
from functools import partial

from core.base.text import counted
from core.runs.ir import Program, ProgramDiff, diff_programs, programs, read_ops, same_program
from core.runs.store import RunRecord
from tui.screens.base import SessionScreen
from tui.screens.pick import Option, Pick
from tui.screens.side_by_side import SideBySide
from tui.view_models import ProgramPairs

Both = tuple[Program, Program]


def compare_programs(screen: SessionScreen, one: RunRecord, other: RunRecord, heads: tuple[str, str]) -> None:
    """Show a program of two runs side by side, which a person picks where they have several in common."""

    def found(pairs: Sequence[Both]) -> None:
        if not pairs:
            screen.context.notify.info(
                "These runs wrote no program in common: a profile with dump = true writes programs."
            )
        elif len(pairs) == 1:
            show_pair(screen, pairs[0], heads)
        else:
            options = [Option(pair, pair[0].stage, f"{pair[0].name}, {pair[0].size:,} bytes") for pair in pairs]
            pick = Pick("Compare which program?", options)
            screen.app.push_screen(pick, lambda pair: show_pair(screen, pair, heads) if pair else None)

    screen.context.background.run(
        "programs of two runs", partial(_in_common, one, other), found, supersede=True, asks=True
    )


def show_pair(screen: SessionScreen, both: Both, heads: tuple[str, str]) -> None:
    """Show two programs side by side. Large ones take a while, in which everything else goes on."""
    size = sum(program.size for program in both)
    if size > 2**22:
        screen.context.notify.info(f"Comparing {size / 2**20:.0f} MiB …")

    def show(diff: ProgramDiff) -> None:
        changes = ", ".join(f"{count:,} {change}" for change, count in diff.counts.items() if count)
        stages = " and ".join(dict.fromkeys(one.stage for one in both))
        title = f"{stages}: {changes or counted(0, 'op')}"
        title = "; ".join((title, *diff.broken))
        screen.app.push_screen(SideBySide(title, heads, ProgramPairs(diff)))

    screen.context.background.run("compare programs", partial(_compared, both), show, supersede=True, asks=True)


def _in_common(one: RunRecord, other: RunRecord) -> list[Both]:
    others = programs(other)
    return [(program, same) for program in programs(one) if (same := same_program(program, others))]


def _compared(both: Both) -> ProgramDiff:
    left, right = (read_ops(one.file, one.stage) for one in both)
    found = diff_programs(left, right)
    # Here, and not where the screen would wait for it.
    assert found.counts and found.differences is not None
    return found
