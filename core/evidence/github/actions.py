# SPDX-License-Identifier: Apache-2.0
"""Runs of GitHub Actions and their artefacts, as the API lists them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.evidence.ci_runs import RUNNING, CiJob, CiRun, Step
from core.evidence.github.transport import Transport
from core.runs import clean

_REPORTS = re.compile(r"test-reports-|junit", re.IGNORECASE)
"""Matches names of artefacts that hold JUnit files (docs/rules.md 3.4)."""
_PERFORMANCE = re.compile(r"perf-reports-", re.IGNORECASE)
_PROGRAMS = re.compile(r"^ir-dumps-|-mlir-", re.IGNORECASE)
_OF_JOB = re.compile(r"-(\d{1,18})$", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MOST_CHARACTERS = 220
"""Of a name: with a number and a suffix it is that of a file."""
_SHA = re.compile("[0-9a-f]{40,64}")
_PAGE = 100
_MOST_PAGES = 100
"""GitHub gives at most 1,000 runs, and no run of CI has 10,000 artefacts."""
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs to read."""

    workflow: str = ""
    """The file name of the workflow, or its id; empty: all scheduled runs."""
    branch: str = ""
    days: float = 14.0
    """The greatest age of runs."""
    latest: bool = False
    """Only the newest run of each workflow."""


@dataclass(frozen=True, slots=True)
class Artefact:
    """An archive that a run has uploaded."""

    id: int
    name: str
    bytes: int
    expired: bool
    address: str

    @property
    def holds_programs(self) -> bool:
        """Whether its name is one of dumped programs."""
        return _PROGRAMS.search(self.name) is not None

    @property
    def holds_reports(self) -> bool:
        """Whether its name is one of JUnit files."""
        return _REPORTS.search(self.name) is not None

    @property
    def holds_performance(self) -> bool:
        """Whether its name is one of reports of performance."""
        return _PERFORMANCE.match(self.name) is not None

    @property
    def job(self) -> int | None:
        """The job that has left it; None: its name does not say."""
        found = _OF_JOB.search(self.name)
        return int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class Actions:
    """The Actions of one repository, `owner/name`."""

    transport: Transport
    repository: str

    def runs(self, wanted: Wanted, now: datetime | None = None) -> Iterator[CiRun]:
        """The runs, also those that have not ended yet, the newest first. Raises TTMatrixError."""
        since = (now or datetime.now(UTC)) - timedelta(days=wanted.days)
        asked = {"per_page": str(_PAGE), "created": f">={since:%Y-%m-%dT%H:%M:%SZ}"}
        if wanted.branch:
            asked["branch"] = wanted.branch
        place = "actions/runs"
        if wanted.workflow:
            place = f"actions/workflows/{quote(wanted.workflow, safe='')}/runs"
        else:
            asked["event"] = "schedule"
        seen: set[int] = set()
        for fields in self._all(f"{place}?{urlencode(asked)}", "workflow_runs"):
            run = _run(fields)
            if not wanted.latest or run.workflow not in seen:
                yield run
            if run.is_running:
                continue
            seen.add(run.workflow)
            if wanted.latest and wanted.workflow:
                return

    def jobs(self, run: CiRun) -> Iterator[CiJob]:
        """The jobs of a run, of all its attempts."""
        for fields in self._all(f"actions/runs/{run.id}/jobs?filter=all&per_page={_PAGE}", "jobs"):
            yield _job(fields, self.repository, run.id)

    def artefacts(self, run: CiRun) -> Iterator[Artefact]:
        """The artefacts of a run, from all its attempts."""
        for fields in self._all(f"actions/runs/{run.id}/artifacts?per_page={_PAGE}", "artifacts"):
            try:
                yield Artefact(
                    _number(fields["id"]),
                    _name(str(fields["name"])),
                    _number(fields["size_in_bytes"]),
                    bool(fields["expired"]),
                    str(fields["archive_download_url"]),
                )
            except (KeyError, TypeError, ValueError) as error:
                raise unexpected(error) from error

    def _all(self, path: str, name: str) -> Iterator[Any]:
        """The items of every page. An item that moves to the next page meanwhile is only yielded once."""
        seen: set[int] = set()
        place = f"repos/{self.repository}/{path}"
        for _ in range(_MOST_PAGES):
            answer, place = self.transport.json(place)
            try:
                new = {id: item for item in answer[name] if (id := _number(item["id"])) not in seen}
            except (KeyError, TypeError, ValueError) as error:
                raise unexpected(error) from error
            seen |= new.keys()
            yield from new.values()
            if not place:
                return
            if not new:
                raise TTMatrixError(
                    "GitHub lists the same again", f"{path.partition('?')[0]}: no page after it is read"
                )
        raise TTMatrixError("GitHub lists without an end", f"{path.partition('?')[0]}: over {_MOST_PAGES} pages")


def _run(fields: Any) -> CiRun:
    try:
        stem = str(fields.get("path") or fields["name"]).rpartition("/")[2].removesuffix(".yml").removesuffix(".yaml")
        number = _number(fields["run_number"])
        # git takes other words for options.
        commit = sha if _SHA.fullmatch(sha := str(fields["head_sha"])) else ""
        return CiRun(
            _number(fields["id"]),
            f"{_name(stem)}-{number}",
            _number(fields["workflow_id"]),
            commit,
            number,
            _number(fields.get("run_attempt") or 1),
            clean(str(fields.get("name") or "")),
            clean(str(fields.get("event") or "")),
            clean(str(fields.get("head_branch") or "")),
            clean(str(fields.get("conclusion") or "")) if fields.get("status") in ("completed", None) else RUNNING,
            _moment(fields.get("created_at")),
            clean(str(fields.get("updated_at") or "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected(error) from error


def _job(fields: Any, repository: str, run: int) -> CiJob:
    try:
        id = _number(fields["id"])
        steps = fields.get("steps") or ()
        return CiJob(
            id,
            run,
            _number(fields.get("run_attempt") or 1),
            clean(str(fields["name"])),
            clean(str(fields.get("status") or "")),
            clean(str(fields.get("conclusion") or "")),
            clean(str(fields.get("runner_name") or "")),
            tuple(clean(str(one)) for one in fields.get("labels") or ()),
            _moment(fields.get("started_at")),
            _moment(fields.get("completed_at")),
            # Made here: a page that is opened with a key is not one that a server names.
            f"https://github.com/{repository}/actions/runs/{run}/job/{id}",
            tuple(
                Step(_number(one["number"]), clean(str(one["name"])), clean(str(one.get("conclusion") or "")))
                for one in steps
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected(error) from error


def _moment(text: object) -> float:
    """A time as the API writes it, in seconds since the epoch; 0: there is none that can be meant."""
    try:
        return max(0.0, datetime.fromisoformat(str(text)).astimezone(UTC).timestamp()) if text else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0


def _name(text: str) -> str:
    return _UNSAFE.sub("_", text)[:_MOST_CHARACTERS]


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**_MOST_DIGITS:
        raise ValueError("a number is none that GitHub uses")
    return value


def unexpected(error: Exception) -> TTMatrixError:
    """The error for an answer in another form."""
    return TTMatrixError(
        "GitHub answers something else than expected", f"{type(error).__name__}: {one_line(str(error))}"
    )
