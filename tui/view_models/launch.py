# SPDX-License-Identifier: Apache-2.0
"""What a launch would start: what prevents it, what is left out, then the exact commands."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from core.runs import RunSpec, shell_command
from core.runs.planning import KINDS, LaunchPlan, Level
from core.text import counted, one_line
from tui.view_models.style import seconds_text

_SHOWN_COMMANDS = 20
_STYLES = {Level.BLOCKER: "bold red", Level.WARNING: "yellow"}


def launch_text(plan: LaunchPlan) -> Text:
    """The text of the dialog before a launch."""
    return Text("\n").join([*_obstacles(plan), *_refused(plan), Text(launch_summary(plan), "bold"), *_commands(plan)])


def _obstacles(plan: LaunchPlan) -> Iterator[Text]:
    for obstacle in plan.obstacles:
        yield Text(f"{obstacle.level}: {one_line(obstacle.what)}", _STYLES[obstacle.level])
        yield Text(f"  {one_line(obstacle.remedy)}")
    if plan.survey and not plan.obstacles:
        yield Text(f"ready to run: {one_line(_versions(plan))}", "green")


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
    """One line: how many runs of which kind, how many at a time, and how long they take where that is known."""
    specs = plan.specs
    if not specs:
        return "Nothing can be run."
    known = [spec.estimate for spec in specs if spec.estimate is not None]
    parts = [f"{counted(len(specs), 'run')}: {_how(specs)}", _width(specs[0])]
    if known:
        missing = len(specs) - len(known)
        parts.append(f"about {seconds_text(sum(known))} of work{f', {missing:,} not known' if missing else ''}")
    return " · ".join(parts)


def _how(specs: Sequence[RunSpec]) -> str:
    """What executes the runs."""
    if not specs[0].cases:
        return KINDS[specs[0].kind].help
    backends = ", ".join(dict.fromkeys(spec.arch or "" for spec in specs))
    return f"{counted(len(specs[0].case_ids), 'op case')} on {backends}, each compared with the CPU"


def _width(spec: RunSpec) -> str:
    if spec.devices:
        return f"one at a time on {'all devices' if '*' in spec.devices else ', '.join(spec.devices)}"
    return f"{spec.slot_count} at a time"


def _commands(plan: LaunchPlan) -> Iterator[Text]:
    for spec in plan.specs[:_SHOWN_COMMANDS]:
        yield Text(one_line(shell_command(spec)), "dim")
    if (more := len(plan.specs) - _SHOWN_COMMANDS) > 0:
        yield Text(f"… and {more:,} more; y copies all of them")
