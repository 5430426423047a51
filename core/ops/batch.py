# SPDX-License-Identifier: Apache-2.0
"""Op cases as a batch to run: the request, and the result of each case."""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.base.checked_numbers import finite
from core.base.errors import UsageError
from core.base.settings import Paths, Settings
from core.ops.findings import problem_text
from core.ops.op_tests import OpTests, read_op_tests
from core.ops.tabulation import default_backend
from core.runs import GOOD, CaseDocument, case_seconds
from core.runs.planning import LaunchPlan, OpRequest, as_batch, look_ahead, plan_ops, with_op_estimates
from core.runs.store import RunRecord
from core.sources import Checkout

PHASES = {"build": "build", "eager": "reference", "compile": "compile", "run": "run", "compare": "compare"}
"""The parts of a case as the plugin names them, with the names for people: the reference runs eagerly."""


@dataclass(frozen=True)
class OpResult:
    """What happened to one case."""

    id: str
    status: str
    """One of those in docs/ops.md."""
    seconds: float
    """Of building the inputs, the reference, compiling and running together."""
    max_abs: float | None
    max_rel: float | None
    pcc: float | None
    message: str
    phases: Mapping[str, float | None]
    """Seconds of each part, by PHASES; None: the case did not get there, or the backend has no such part."""

    @property
    def good(self) -> bool:
        """Whether nothing needs attention. A duplicate counts as the case that represents it."""
        return self.status in GOOD


def op_result(document: CaseDocument) -> OpResult:
    """The result in the document that a run has written."""
    same = document.get("dup_of")
    said = f"the same as {same}: {document.get('verdict') or 'not run'}" if same else str(document.get("message") or "")
    return OpResult(
        id=str(document["id"]),
        status=str(document["status"]),
        seconds=case_seconds(document),
        max_abs=finite(document.get("max_abs")),
        max_rel=finite(document.get("max_rel")),
        pcc=finite(document.get("pcc")),
        message=said,
        phases=_phases(document),
    )


def _phases(document: CaseDocument) -> dict[str, float | None]:
    parts = document.get("seconds")
    known = parts if isinstance(parts, Mapping) else {}
    return {said: finite(known.get(name)) for name, said in PHASES.items()}


@dataclass(frozen=True, slots=True)
class OpOptions:
    """What a person may choose for a launch of op cases."""

    backends: tuple[str, ...] = field(default_factory=lambda: (default_backend(),))
    """One run for each."""
    dedupe: bool = True
    """Whether equal cases of several models run once."""
    run_skipped: bool = False
    repeat: int = 1
    timeout: float | None = None
    """Seconds for a batch; None: no limit."""


def plan_op_launch(
    checkout: Checkout,
    ids: Sequence[str],
    settings: Settings,
    options: OpOptions,
    *,
    own: Paths,
    records: Iterable[RunRecord] = (),
) -> LaunchPlan:
    """Exactly what a launch of these op cases would do; `records` are earlier runs, newest first.

    Reads the manifests and asks git: not for the UI thread. Raises UsageError for an id that is not there.
    """
    root, directories = checkout.root, settings.ops_dirs
    request = op_request(read_op_tests(root, directories), ids, root, [root / one for one in directories])
    request = replace(request, run_skipped=options.run_skipped, timeout=options.timeout or 0.0, dedupe=options.dedupe)
    specs = [
        plan_ops(request, backend, settings, runs=own.runs, cache=own.cache)
        for backend in dict.fromkeys(options.backends)
        for _ in range(options.repeat)
    ]
    return look_ahead(as_batch(with_op_estimates(specs, records)), settings, runs=own.runs)


def op_request(
    tests: OpTests, ids: Sequence[str], root: Path, places: Sequence[Path], models: Collection[str] = ()
) -> OpRequest:
    """The request for a run of these cases: `ids`; without ids the cases of `models`; without models all cases.

    `places` are the directories or files that `tests` was read from, `root` is the checkout. Raises UsageError for an
    id that is not there.
    """
    by_id = {row.id: row for row in tests.rows}
    wrong = {one.id: one.message for one in invalid_cases(tests)}
    for id in ids:
        if id in wrong:
            raise UsageError(f"Op case {id} has a mistake and cannot run", wrong[id])
        if id not in by_id:
            near = difflib.get_close_matches(id, by_id, n=1)
            raise UsageError(f"No op case {id}", f"Closest: {near[0]}" if near else "`ttmatrix ops list` has them all.")
    chosen = [by_id[id] for id in dict.fromkeys(ids)] if ids else list(tests.of_models(models))
    return OpRequest(
        root=root,
        places=[place for place in places if place.exists()],
        ids=[row.id for row in chosen],
        manifests=list(dict.fromkeys(_named(row.manifest.path, root) for row in chosen)),
    )


INVALID = "invalid"
"""The status of a case that its mistakes keep from running."""


def invalid_cases(tests: OpTests, models: Collection[str] = ()) -> list[OpResult]:
    """The cases of `models`, or of all, that have a mistake and do not run, each with its file and line.

    A mistake of a whole file is listed once, under the name of the file.
    """
    found: dict[str, OpResult] = {}
    for manifest in tests.manifests:
        for problem in manifest.problems:
            if problem.warning or (models and manifest.model not in models):
                continue
            id = f"{manifest.model}::{problem.case}" if problem.case else manifest.path
            where = f"{manifest.path}:{problem.line}" if problem.line else manifest.path
            text = f"{where}: {problem_text(problem)}"
            earlier = f"{found[id].message}; " if id in found else ""
            found[id] = OpResult(id, INVALID, 0.0, None, None, None, f"{earlier}{text}", {})
    return list(found.values())


def _named(path: str, root: Path) -> str:
    """The path of a manifest for runs: relative to the checkout if it is inside."""
    return path if (root / path).is_file() else str(Path(path).absolute())
