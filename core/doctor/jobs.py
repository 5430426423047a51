# SPDX-License-Identifier: Apache-2.0
"""Jobs of CI that select nothing or what another one selects, and presets that are not there or that nobody names."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.base.errors import TTMatrixError
from core.base.files import is_there, read_text
from core.base.text import counted
from core.ci import Selector, covers_models, job_problem, names_in, placeholder_jobs
from core.doctor.check import Check
from core.doctor.marks import only_models
from core.doctor.presets import Presets
from core.domain.model import Finding
from core.handwritten import jobs_by_id
from core.matrix import supports
from core.sources import Checkout
from core.sources.ci import LB_BLACKHOLE, UPLIFTS, Job, Preset, Workflow, presets_of_uplifts
from core.sources.handwritten import ROOTS, Suite

EMPTY_JOB = Check("empty-job", "a job of CI that selects no test")
SAME_JOB = Check("same-job", "two jobs of one preset that run the same tests on the same machine")
WRONG_MACHINE = Check("wrong-machine", "a job of CI that runs tests which are marked for other machines")
UNUSED_PRESET = Check("unused-preset", "a CI preset that no workflow and no other preset names")
MISSING_PRESET = Check("missing-preset", "a preset or workflow that something names, and that does not exist")

_MACHINES: Mapping[str, tuple[str, ...]] = {
    "single_device": ("n150", "p150", "wormhole_b0", LB_BLACKHOLE),
    "dual_chip": ("n300",),
    "llmbox": ("n300-llmbox",),
    "galaxy": ("galaxy-wh-6u",),
}
"""The machines that markers of hand-written tests ask for, beside those with the name of an arch."""


@dataclass(frozen=True)
class JobTests:
    """What every job of the presets selects: tests of models, placeholders, and those written by hand."""

    presets: Presets
    expanded: Sequence[Preset]
    """The preset files with the jobs of what they include."""
    selector: Selector
    suite: Suite

    def findings(self) -> Iterator[Finding]:
        """Jobs without tests, and jobs with those of another one."""
        for job in self._jobs if self.presets.is_whole else ():
            if not self._tests[job] and self._is_known(job):
                message = (
                    "Selects no test, so that pytest ends with an error. Correct its mark or path, or remove the job"
                )
                yield self._finding(EMPTY_JOB.kind, job, message)
        yield from self._same()
        yield from self._elsewhere()
        yield from self._unasked()

    def _elsewhere(self) -> Iterator[Finding]:
        """Jobs that select tests which ask for other machines."""
        archs = self.presets.matrix.schema.archs
        machines = {**_MACHINES, **{name: (one,) for one in archs for name in (one, one.replace("-", "_"))}}
        known = {one for some in machines.values() for one in some}
        marked = {test.node_id: wanted for test in self.suite.tests if (wanted := test.markers & machines.keys())}
        for job in (one for one in self._jobs if one.runs_on in known):
            wrong = {
                min(marked[id])
                for id in self._tests[job] & marked.keys()
                if not any(job.runs_on in machines[mark] for mark in marked[id])
            }
            for mark in sorted(wrong):
                message = (
                    f"Selects tests marked {mark}, though it runs on {job.runs_on}. Leave them out with: and not {mark}"
                )
                yield self._finding(WRONG_MACHINE.kind, job, message)

    def _unasked(self) -> Iterator[Finding]:
        """Jobs with tests of models that do not ask for their machine, and that run tests of others."""
        matrix = self.selector.collection.matrix
        for job in (one for one in self._jobs if only_models(one.dir) and one.runs_on in matrix.schema.archs):
            asked = names_in(job.test_mark)
            if job.runs_on == LB_BLACKHOLE or asked & {job.runs_on, job.runs_on.replace("-", "_"), "placeholder"}:
                continue
            ids = (matrix.ids[item.row] for item in self.selector.items(job))
            others = sum(not supports(matrix.entries.get(id), job.runs_on) for id in ids)
            # Without any entry it is not known which tests the job has, but it is how it chooses them.
            if others or not matrix.entries:
                what = counted(others, "test") if others else "tests"
                message = (
                    f"Does not ask for {job.runs_on}: it runs {what} of other machines too, and reports for this one."
                    f" Write: {job.runs_on} and ..."
                )
                yield self._finding(WRONG_MACHINE.kind, job, message)

    def _same(self) -> Iterator[Finding]:
        """The later of two jobs in one run whose tests are the same."""
        told: set[Job] = set()
        # Those without includes first: where both have the jobs, the message is about the file itself.
        for preset in sorted(self.expanded, key=lambda one: any(job.file != one.file for job in one.jobs)):
            alike: dict[object, list[Job]] = defaultdict(list)
            for job in preset.jobs:
                if self._tests.get(job) and job.extra_wheel == "":
                    alike[job.runs_on, job.args, job.require, job.topology].append(job)
            for jobs in alike.values():
                for at, job in enumerate(jobs):
                    tests = self._tests[job]
                    first = next((one for one in jobs[:at] if tests <= (its := self._tests[one]) or its <= tests), None)
                    if first is not None and first != job and job not in told:
                        told.add(job)
                        yield self._finding(SAME_JOB.kind, job, self._shared(preset, first, job))

    def _shared(self, preset: Preset, first: Job, job: Job) -> str:
        other = f"{first.file}:{self._line(first)}"
        within = "" if preset.file == first.file == job.file else f" in {preset.file}"
        same = self._tests[first] >= self._tests[job]
        what = f"{other} runs all of its tests" if same else f"It runs all tests of {other}"
        return f"{what} on {job.runs_on} as well{within}. Tell the two apart by their marks, or remove one"

    @cached_property
    def _jobs(self) -> list[Job]:
        """Those whose expressions pytest accepts and that can start."""
        known = {job for preset in self.expanded for job in preset.jobs}
        return sorted((job for job in known if not job_problem(job)), key=lambda job: (job.file, job.index))

    @cached_property
    def _tests(self) -> Mapping[Job, frozenset[str]]:
        """The tests of each job, each with its function."""
        found: dict[Job, set[str]] = {job: set() for job in self._jobs}
        ids = self.selector.collection.matrix.ids
        for job in self._jobs:
            found[job].update(f"{item.function}[{ids[item.row]}]" for item in self.selector.items(job))
        by_hand: dict[tuple[Job, ...], list[str]] = defaultdict(list)
        for id, jobs in jobs_by_id(self._jobs, self.suite.tests).items():
            by_hand[jobs].append(id)
        for jobs, tests in by_hand.items():
            for job in jobs:
                found[job].update(tests)
        for name in (one.id for file in self.selector.collection.matrix.files for one in file.placeholders):
            for job in placeholder_jobs(self._jobs, name):
                found[job].add(name)
        return {job: frozenset(tests) for job, tests in found.items()}

    def _is_known(self, job: Job) -> bool:
        """Whether all tests of its paths are known here, so that none found means that there is none."""
        paths = [path.partition("::")[0].removeprefix("./") for path in job.dir.split()]
        unknown = [test.path for test in self.suite.tests if test.unknown]
        for path in paths:
            by_hand = any(f"{path}/".startswith(f"{root}/") for root in ROOTS)
            if not by_hand and not covers_models(path):
                return False
            if any(f"{one}/".startswith(f"{path.rstrip('/')}/") for one in unknown):
                return False
        return bool(paths)

    def _line(self, job: Job) -> int:
        return next((one.line for one in self.presets.objects if (one.file, one.number) == (job.file, job.index)), 0)

    def _finding(self, kind: str, job: Job, message: str) -> Finding:
        one = next((one for one in self.presets.objects if (one.file, one.number) == (job.file, job.index)), None)
        if one is None:
            return Finding(kind, message, job.file)
        return self.presets.finding(kind, one, "test-mark", message)


@dataclass(frozen=True)
class NamedPresets:
    """Which presets workflows, other presets and the table of uplifts name."""

    checkout: Checkout
    presets: Presets
    workflows: Mapping[str, Workflow]

    def findings(self) -> Iterator[Finding]:
        """Presets that are named and missing, and those that are there and not named."""
        if not self.workflows:
            return
        present = {path.name for path in self.checkout.presets.glob("*.json")}
        for name, workflow in sorted(self.workflows.items()):
            for reference in workflow.references:
                yield from self._lost(reference.name, f".github/workflows/{name}", reference.line, present)
        for name, line in self._uplifts:
            yield from self._lost(name, str(UPLIFTS), line, present)
        for file in sorted(present - self._named):
            path = self.checkout.relative(self.checkout.presets / file)
            message = (
                "No workflow and no other preset names it, so that none of its jobs ever runs. Name it or remove it"
            )
            yield Finding(UNUSED_PRESET.kind, message, path, 1)

    def _lost(self, name: str, path: str, line: int, present: set[str]) -> Iterator[Finding]:
        if name.endswith(".json") and name not in present:
            message = f"There is no preset {name}: a run with it ends before any test. Create or rename it"
            yield Finding(MISSING_PRESET.kind, message, path, line)
        elif not name.endswith(".json") and name not in self.workflows:
            yield Finding(MISSING_PRESET.kind, f"There is no workflow {name}: GitHub refuses this one", path, line)

    @cached_property
    def _named(self) -> set[str]:
        named = {name for workflow in self.workflows.values() for name in workflow.mentions}
        named |= {name for name, _ in self._uplifts}
        for one in self.presets.objects:
            included = one.get("include")
            named |= {name for name in included if isinstance(name, str)} if isinstance(included, list) else set()
        return named

    @cached_property
    def _uplifts(self) -> list[tuple[str, int]]:
        """Presets in the table of uplifts, with their lines."""
        path = self.checkout.root / UPLIFTS
        if not is_there(path):
            return []
        try:
            text = read_text(path)
            names = presets_of_uplifts(text)
        except (TTMatrixError, ValueError, RecursionError):
            return []
        lines = text.splitlines()
        return [(name, next((at for at, line in enumerate(lines, 1) if f'"{name}"' in line), 0)) for name in names]
