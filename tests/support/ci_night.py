# SPDX-License-Identifier: Apache-2.0
"""Synthetic nights of "On nightly" on a server that plays GitHub: jobs with reports, logs and reports of performance."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from xml.sax.saxutils import escape, quoteattr

from core.sources import Checkout
from tests.support.cli import Called, call
from tests.support.github_server import GitHub

MARK = "{} and nightly and inference and expected_passing"
STEPS = ("Set up job", "Collect Tests", "Run tests", "Upload Test Report")


def ingest(checkout: Checkout, *words: str, damaged: bool = False) -> Called:
    """Read what the server has; `damaged`: some of it cannot be read."""
    done = call("ingest", "--from-github", "--repository", "team/tt-xla", *words, "--repo", checkout.root)
    assert done.code == int(damaged), done.err
    return done


def nightly(checkout: Checkout, *words: str) -> Called:
    """What `nightly` says once all that the server has is read."""
    ingest(checkout)
    return call("nightly", *words, "--repo", checkout.root)


@dataclass
class Night:
    """One run; its jobs are numbered from RUN * 1000."""

    server: GitHub
    number: int
    commit: str = "c" * 40
    workflow: int = 1
    day: str = ""
    """`2026-11-24`; empty: that day of November 2026 whose number the run has."""
    output: str = ""
    """What each test has printed."""
    _next: int = field(init=False)

    def __post_init__(self) -> None:
        self.run = self.number
        self.day = self.day or f"2026-11-{self.number % 100:02}"
        self._next = self.run * 1000
        self.server.add_run(self.run, self.number, workflow=self.workflow, commit=self.commit)
        self.server.runs[0] |= {
            "event": "schedule",
            "status": "completed",
            "conclusion": "failure",
            "created_at": f"{self.day}T00:00:00Z",
            "updated_at": f"{self.day}T09:00:00Z",
        }

    def job(
        self,
        name: str,
        conclusion: str = "success",
        *,
        failed_step: str = "",
        log: str | None = None,
        attempt: int = 1,
        machine: str = "runner-1",
    ) -> int:
        """A job without anything that it leaves; its id."""
        self._next += 1
        ends = ["success"] * len(STEPS)
        if failed_step:
            ends[STEPS.index(failed_step)] = "failure"
        self.server.jobs[self.run].append(
            {
                "id": self._next,
                "run_attempt": attempt,
                "name": name,
                "status": "completed",
                "conclusion": conclusion,
                "runner_name": machine,
                "started_at": f"{self.day}T0{attempt}:00:00Z" if machine else None,
                "completed_at": f"{self.day}T0{attempt + 1}:00:00Z",
                "steps": [
                    {"number": at, "name": step, "conclusion": end}
                    for at, (step, end) in enumerate(zip(STEPS, ends, strict=True), 1)
                ]
                if machine
                else [],
            }
        )
        if log is not None:
            lines = (f"2026-11-24T01:00:00.0000000Z {line}\n" for line in log.splitlines())
            self.server.logs[self._next] = "".join(lines).encode()
        return self._next

    def models(
        self,
        arch: str,
        endings: Mapping[str, str],
        *,
        index: int = 0,
        conclusion: str = "",
        cut: bool = False,
        log: str | None = None,
        attempt: int = 1,
        machine: str = "runner-1",
        host: str = "",
        report: bool = True,
        status: str = "EXPECTED_PASSING",
    ) -> int:
        """A job with model tests: by id, `pass`, `pass 0.97` with that PCC, or the reason of a failure."""
        mark = MARK.format(arch)
        bad = any(not ending.startswith("pass") for ending in endings.values()) or cut or not report
        job = self.job(
            f"test_forge_models_passing / test {mark} ({arch}, run_forge_models, {index})",
            conclusion or ("failure" if bad else "success"),
            failed_step="Run tests" if bad else "",
            log=log,
            attempt=attempt,
            machine=machine,
        )
        if report:
            when = f"{self.day}T0{attempt}:00:00+00:00"
            data = junit(arch, endings, when, host or machine, status, self.output).encode()
            name = f"test-reports-a1b2c3-{attempt}.{index}-{arch}-{mark.replace(' ', '_')}-{job}"
            self.server.add_artefact(
                self.run, job * 10, name, {f"report_{job}.xml": data[: len(data) * 3 // 4] if cut else data}
            )
        return job

    def benchmark(
        self,
        name: str,
        runner: str,
        samples: float,
        conclusion: str = "success",
        more: Mapping[str, float] = MappingProxyType({}),
    ) -> int:
        """A job with one benchmark; `more` are further measurements by name."""
        job = self.job(f"perf-benchmark / run-perf-benchmarks / perf {name} ({runner})", conclusion)
        rows = {"total_samples": 128.0, "total_time": 128.0 / samples, "ttft": 80.0} | dict(more)
        report = {
            "model": name,
            "batch_size": 8,
            "config": {"display_name": name, "model_info": name},
            "measurements": [{"measurement_name": key, "value": value} for key, value in rows.items()],
            "device_info": {"arch": "wormhole", "device_type": runner},
        }
        data = json.dumps(report).encode()
        self.server.add_artefact(self.run, job * 10, f"perf-reports-{job}", {f"perf_report_{job}.json": data})
        return job


def junit(
    arch: str, endings: Mapping[str, str], when: str, host: str, status: str = "EXPECTED_PASSING", output: str = ""
) -> str:
    """A report of model tests."""
    cases = "".join(_case(id, ending, arch, status, output) for id, ending in endings.items())
    return f'<testsuites><testsuite name="pytest" timestamp="{when}" hostname="{host}">{cases}</testsuite></testsuites>'


def _case(id: str, ending: str, arch: str, status: str, output: str = "") -> str:
    tags: dict[str, object] = {"arch": arch, "model_test_status": f"ModelTestStatus.{status}"}
    child = ""
    if ending.startswith("pass"):
        pcc = float(ending.partition(" ")[2] or 0.9987)
        threshold = 0.99 if ending == "pass" else 0.95
        tags |= {"bringup_status": "PASSED", "pcc": pcc, "pcc_threshold": threshold, "pcc_assertion_enabled": True}
    else:
        tags |= {"bringup_status": "FAILED_RUNTIME"}
        # As pytest-forked reports what it takes for a crash.
        kind = "error" if "CRASHED with signal" in ending else "failure"
        child = f"<{kind} message={quoteattr(ending)}>{escape(ending)}</{kind}>"
    properties = f'<properties><property name="tags" value={quoteattr(str(tags))}/></properties>'
    child += f"<system-out>{output}</system-out>" if output else ""
    return f'<testcase classname="t" name="test_all_models_torch[{id}]" time="1.5">{properties}{child}</testcase>'


def log_of(ids: Sequence[str], end: str, ran: str = "PASSED") -> str:
    """A log with -vv: every test with its outcome but the last one, then `end`."""
    function = "tests/runner/test_models.py::test_all_models_torch"
    *before, last = ids
    return "\n".join([*(f"{function}[{id}] {ran} [ 10%]" for id in before), f"{function}[{last}]", end])
