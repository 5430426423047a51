# SPDX-License-Identifier: Apache-2.0
"""Texts about runs: the details of one, what a launch would start, and what is said when runs or the app end."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from rich.text import Text

from core.runs import Age, RunSpec, shell_command
from core.runs.planning import KINDS, LaunchPlan, Level
from core.runs.store import RunRecord, RunState
from core.text import counted, one_line
from tui.view_models.runs import run_look
from tui.view_models.style import seconds_text

_STYLES = {"pass": "green", "fail": "bold red", "running": "bold"}
_LABEL = 12


def run_text(record: RunRecord, provenance: Mapping[str, object], age: Age | None = None) -> Text:
    """`provenance` is what was written down beside the run when it was asked for, `age` how old its tree is now."""
    look = run_look(record)
    head = Text.assemble((look.word, _STYLES.get(look.style, "dim")), "  ", (one_line(record.spec.test_id), "bold"))
    facts = [*_course(record), *_tree(record, age), *_provenance(provenance), *_files(record)]
    return Text("\n").join([head, *_phases(record), *(_fact(name, value) for name, value in facts if value)])


def _fact(name: str, value: str) -> Text:
    return Text.assemble((name.ljust(_LABEL), "dim"), one_line(value))


def _course(record: RunRecord) -> Iterator[tuple[str, str]]:
    spec = record.spec
    yield "why", record.summary
    yield "run", spec.run_id
    yield "batch", f"{spec.batch}{f', a rerun of {spec.parent}' if spec.parent else ''}"
    yield "kind", " ".join(filter(None, (spec.kind, spec.arch, ",".join(spec.devices))))
    yield "started", _moment(record.started)
    yield "took", seconds_text(record.seconds)
    yield "estimate", seconds_text(spec.estimate)
    yield "exit code", "" if record.exit_code is None else str(record.exit_code)
    yield "stage", record.stage
    yield "limits", f"{spec.timeout:g} s, {spec.hang_timeout:g} s without output (0: none)"


def _phases(record: RunRecord) -> Iterator[Text]:
    result = dict(record.result or {})
    phases = result.pop("phases", None)
    for phase in phases if isinstance(phases, list) else []:
        if isinstance(phase, Mapping):
            ok = phase.get("ok") is True
            how = "ok" if ok else f"{phase.get('step')}: {phase.get('error_type')}: {phase.get('error')}"
            dtype = phase.get("dtype")
            yield Text(f"  {one_line(f'{dtype} {how}')}", "green" if ok else "red")
    for name, value in result.items():
        if value is not None and name not in ("version", "nonce"):
            yield _fact(name, value if isinstance(value, str) else json.dumps(value))


def _tree(record: RunRecord, age: Age | None) -> Iterator[tuple[str, str]]:
    yield "ran in", str(record.spec.cwd)
    yield "age", age.text if age else ""
    if record.tree is not None and record.tree.commit and not record.tree.committed:
        yield "loader", "with uncommitted changes"


def _provenance(known: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    changed = " with changes" if known.get("changed") else ""
    yield "checkout", f"{known.get('checkout') or ''}{changed}"
    pinned = known.get("models_pinned")
    differs = f", the checkout asks for {pinned}" if pinned and pinned != known.get("models") else ""
    yield "models", f"{known.get('models') or ''}{differs}"
    yield "python", str(known.get("interpreter") or "")
    versions = known.get("versions")
    if isinstance(versions, Mapping):
        yield "versions", ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    yield "host", str(known.get("host") or "")


def _files(record: RunRecord) -> Iterator[tuple[str, str]]:
    yield "files", str(record.directory)
    yield "command", shell_command(record.spec)


def _moment(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M:%S}"


_SHOWN_COMMANDS = 20
_LAUNCH_STYLES = {Level.BLOCKER: "bold red", Level.WARNING: "yellow"}


def launch_text(plan: LaunchPlan) -> Text:
    """The text of the dialog before a launch."""
    return Text("\n").join([*_obstacles(plan), *_refused(plan), Text(launch_summary(plan), "bold"), *_commands(plan)])


def _obstacles(plan: LaunchPlan) -> Iterator[Text]:
    for obstacle in plan.obstacles:
        yield Text(f"{obstacle.level}: {one_line(obstacle.what)}", _LAUNCH_STYLES[obstacle.level])
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
    parts = [f"{counted(len(specs), 'run')}: {KINDS[specs[0].kind].help}", _width(specs[0])]
    if known:
        missing = len(specs) - len(known)
        parts.append(f"about {seconds_text(sum(known))} of work{f', {missing:,} not known' if missing else ''}")
    return " · ".join(parts)


def _width(spec: RunSpec) -> str:
    if spec.devices:
        return f"one at a time on {'all devices' if '*' in spec.devices else ', '.join(spec.devices)}"
    return f"{spec.slot_count} at a time"


def _commands(plan: LaunchPlan) -> Iterator[Text]:
    for spec in plan.specs[:_SHOWN_COMMANDS]:
        yield Text(one_line(shell_command(spec)), "dim")
    if (more := len(plan.specs) - _SHOWN_COMMANDS) > 0:
        yield Text(f"… and {more:,} more; y copies all of them")


def exit_words(pending: int, records: Iterable[RunRecord]) -> str:
    """Lines for the terminal when the app ends; empty where there is nothing to say."""
    lines = [f"{counted(pending, 'pending change')} saved for the next start."] if pending else []
    if going := going_words(records):
        lines.append(f"Runs continue: {going}. List them: ttmatrix runs --active")
    return "\n".join(lines)


def going_words(records: Iterable[RunRecord]) -> str:
    """`2 running, 5 waiting`; empty where all have ended."""
    states = [record.state for record in records if record.active]
    running = states.count(RunState.RUNNING)
    counts = ((running, "running"), (len(states) - running, "waiting"))
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


def ended_words(records: Sequence[RunRecord]) -> str:
    """The outcomes of runs that have all ended: `3 runs have ended: 2 pass, 1 CRASH`."""
    counts = Counter(run_look(record).word for record in records)
    outcomes = ", ".join(f"{count:,} {word}" for word, count in counts.most_common())
    return f"{counted(len(records), 'run')} {'has' if len(records) == 1 else 'have'} ended: {outcomes}"
