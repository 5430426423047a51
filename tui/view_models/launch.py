# SPDX-License-Identifier: Apache-2.0
"""The effect of a launch: obstacles, what is left out, then the exact commands."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from core.base.text import counted, one_line
from core.payload.ttmatrix_payload.models.compile_options import LEVELS, read_words
from core.runs import RunSpec, shell_command
from core.runs.planning import KINDS, LaunchPlan, Level, Obstacle, download_lines
from tui.view_models.style import seconds_text

_SHOWN_COMMANDS = 20
_STYLES = {Level.BLOCKER: "bold red", Level.WARNING: "yellow", Level.NOTE: ""}


def launch_text(plan: LaunchPlan) -> Text:
    """The text of the dialog before a launch."""
    in_the_way = [one for one in plan.obstacles if one.level is not Level.NOTE]
    notes = [one for one in plan.obstacles if one.level is Level.NOTE]
    # What a person agrees to by starting must be visible without scrolling.
    told = [*_obstacles(in_the_way), *_downloads(plan), *_refused(plan), *_obstacles(notes), *_levels(plan)]
    if plan.survey and not in_the_way:
        told.append(Text(f"ready to run: {one_line(_versions(plan))}", "green"))
    return Text("\n").join([*told, Text(launch_summary(plan), "bold"), *_commands(plan)])


def _downloads(plan: LaunchPlan) -> Iterator[Text]:
    for line in download_lines(plan.downloads):
        yield Text(f"download: {one_line(line)}", "yellow")


def _levels(plan: LaunchPlan) -> Iterator[Text]:
    """The effect of each optimization level of the profiles."""
    for level in sorted({level for spec in plan.specs if (level := read_words(spec.argv).level) is not None}):
        yield Text(f"optimization_level {level}: {LEVELS.get(level, 'not known')}", "dim")


def _obstacles(obstacles: Iterable[Obstacle]) -> Iterator[Text]:
    for obstacle in obstacles:
        yield Text(f"{obstacle.level}: {one_line(obstacle.what)}", _STYLES[obstacle.level])
        yield Text(f"  {one_line(obstacle.remedy)}")


def _versions(plan: LaunchPlan) -> str:
    assert plan.survey is not None
    known = [f"{name} {version}" for name, version in (plan.survey.versions or {}).items() if version]
    return ", ".join([plan.survey.interpreter, *known])


def _refused(plan: LaunchPlan) -> Iterator[Text]:
    """Each reason once, the most frequent first."""
    for (why, hint), count in Counter(
        (_why(error.detail, error.title), error.hint) for error in plan.refused
    ).most_common():
        yield Text(f"left out {counted(count, 'test')}: {one_line(why)} {one_line(hint)}".rstrip(), "yellow")


def _why(detail: str, title: str) -> str:
    return detail or title


def launch_summary(plan: LaunchPlan) -> str:
    """One line: how many runs of which kind, how many at a time, and the duration, if known."""
    specs = plan.specs
    if not specs:
        return "Nothing can be run."
    known = [spec.estimate for spec in specs if spec.estimate is not None]
    parts = [f"{counted(len(specs), 'run')}: {_how(specs)}", _places(specs)]
    if known:
        missing = len(specs) - len(known)
        parts.append(f"about {seconds_text(sum(known))} of work{f', {missing:,} not known' if missing else ''}")
    return " · ".join(parts)


def _how(specs: Sequence[RunSpec]) -> str:
    """The program that executes the runs."""
    if not specs[0].cases:
        return KINDS[specs[0].kind].help
    backends = ", ".join(dict.fromkeys(spec.arch or "" for spec in specs))
    return f"{counted(len(specs[0].case_ids), 'op case')} on {backends}, each compared with the CPU"


def _places(specs: Sequence[RunSpec]) -> str:
    """The number of runs that execute at a time, and their machines."""
    away = Counter(spec.needs for spec in specs if spec.needs)
    here = next((spec for spec in specs if not spec.needs), None)
    parts = [f"{count:,} where {label} is up" for label, count in away.items()]
    return ", ".join([*parts, *([_width(here)] if here else [])])


def _width(spec: RunSpec) -> str:
    if spec.devices:
        return f"one at a time on {'all devices' if '*' in spec.devices else ', '.join(spec.devices)}"
    return f"{spec.slot_count} at a time"


def _commands(plan: LaunchPlan) -> Iterator[Text]:
    for spec in plan.specs[:_SHOWN_COMMANDS]:
        yield Text(one_line(shell_command(spec)), "dim")
    if (more := len(plan.specs) - _SHOWN_COMMANDS) > 0:
        yield Text(f"… and {more:,} more; y copies all of them")
