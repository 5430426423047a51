# SPDX-License-Identifier: Apache-2.0
"""Op cases run as one batch, by the pytest plugin of the payload in another interpreter."""

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from core.errors import TTMatrixError
from core.proc import CommandRunner, run_command

_PAYLOAD = Path(__file__).parents[1] / "payload"
_LAST_LINES = 20
_PASSING = ("pass", "skip", "xfail", "xpass", "dup", "not-an-op")


@dataclass(frozen=True)
class OpResult:
    """What happened to one case."""

    id: str
    status: str
    """One of those in docs/ops.md."""
    seconds: float
    """Of building the inputs, the reference, compiling and running."""
    max_abs: float | None
    max_rel: float | None
    pcc: float | None
    message: str

    @property
    def good(self) -> bool:
        """Whether nothing has to be looked at. A duplicate counts where its case is."""
        return self.status in _PASSING


@dataclass(frozen=True)
class Batch:
    """What to run, and how."""

    python: Path
    """The interpreter that has torch and pytest."""
    places: Sequence[Path]
    """Directories of manifests, or manifests."""
    ids: Sequence[str]
    """Of cases; none: all."""
    models: Sequence[str] = ()
    backend: str = "inductor"
    dedupe: bool = True
    include_template: bool = False
    max_bytes: str = ""
    """Cases that need more memory are skipped; empty: they are errors where the machine has not twice as much."""


def run_batch(batch: Batch, directory: Path, run: CommandRunner = run_command) -> list[OpResult]:
    """Run the cases with `directory` as working directory and wait for all. Raises TTMatrixError where none can run."""
    with TemporaryDirectory(prefix="ttmatrix-ops-") as scratch:
        results = Path(scratch, "results.jsonl")
        path = os.pathsep.join(filter(None, (str(_PAYLOAD), os.environ.get("PYTHONPATH"))))
        done = run(_command(batch, results, Path(scratch)), cwd=directory, env={"PYTHONPATH": path})
        lines = results.read_text(encoding="utf-8").splitlines() if results.is_file() else []
    if not lines:
        text = "\n".join([*done.stdout.splitlines(), *done.stderr.splitlines()][-_LAST_LINES:])
        raise TTMatrixError("No op case was run", text or f"pytest ended with status {done.returncode}.")
    return [_result(json.loads(line)) for line in lines]


def _command(batch: Batch, results: Path, scratch: Path) -> list[str]:
    # The checkout's own configuration and conftest files declare options of the same names.
    command = [str(batch.python), "-m", "pytest", "-p", "ttmatrix_ops.plugin", "-p", "no:cacheprovider", "--noconftest"]
    command += ["-c", os.devnull, f"--rootdir={scratch}", f"--ops-json={results}", f"--compile-backend={batch.backend}"]
    command += [f"--ops-dir={place}" for place in batch.places if place.is_dir()]
    command += [f"--model={model}" for model in batch.models]
    command += [] if batch.dedupe else ["--no-dedupe"]
    command += ["--include-template"] if batch.include_template else []
    command += [f"--max-bytes={batch.max_bytes}"] if batch.max_bytes else []
    # What comes out of manifests is never taken for an option.
    return [*command, "--", *batch.ids, *_files(batch.places)]


def _files(places: Collection[Path]) -> list[str]:
    return [str(place) for place in places if not place.is_dir()]


def _result(line: dict[str, object]) -> OpResult:
    seconds, same = line["seconds"], line.get("dup_of")
    assert isinstance(seconds, dict)
    message = f"the same as {same}: {line['verdict'] or 'not run'}" if same else str(line["message"])
    return OpResult(
        id=str(line["id"]),
        status=str(line["status"]),
        seconds=round(sum(one for one in seconds.values() if one is not None), 6),
        max_abs=_number(line["max_abs"]),
        max_rel=_number(line["max_rel"]),
        pcc=_number(line["pcc"]),
        message=message,
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
