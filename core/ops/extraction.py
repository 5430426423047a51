# SPDX-License-Identifier: Apache-2.0
"""The ops of a model: one run of it in the interpreter of the models, and its manifest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from core import payload
from core.base import files
from core.base.errors import TTMatrixError, UsageError
from core.base.files import atomic_write
from core.base.processes import run_command
from core.domain.ids import TestId
from core.payload.ttmatrix_payload.ops import NotWritable, added, read_text
from core.runs.planning import why_no_ops

SCRIPT = Path(payload.__file__).parent / "ops_extract.py"
LEVELS = ("torch", "aten")
_MARK = "TTMATRIX-OPS "
_LAST_LINES = 20
_NOT_HERE = 2
"""The exit code of the child if this machine cannot run the model; its report has the details."""
_NO_SEQ_LEN = 1
_PATIENCE = 600.0
"""Seconds that loading the model may take."""


@dataclass(frozen=True)
class _Report:
    """What the child says."""

    cases: int = 0
    calls: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
    problem: str = ""
    """Why there is no manifest; empty: there is one."""


class Extracted(NamedTuple):
    """A manifest and how its extraction went."""

    text: str
    cases: int
    calls: int
    """Calls of ops; equal calls are one case."""
    left_out: Mapping[str, int]
    """Calls that no case can express, with their count: `torch.rand: random or uninitialised values`."""
    failure: str
    """The failure of the model, or that it took too long; ops recorded until then count. Empty: it ended well."""


def extract(python: Path, checkout: Path, test: TestId, *, level: str, timeout: float) -> Extracted:
    """Run the model of `test` once on the CPU with `python`, and record its ops. Nothing of `checkout` is written.

    After `timeout` seconds the model is stopped. Raises UsageError for a test that is no PyTorch model, and
    TTMatrixError with the last lines of its output where the model fails before its first op.
    """
    if reason := why_no_ops(test):
        raise UsageError(f"{test} has no ops of torch", reason)
    with TemporaryDirectory(prefix="ttmatrix-ops-") as directory:
        output = Path(directory) / "ops.yaml"
        argv = [str(python), str(SCRIPT), *model_arguments(checkout, test)]
        argv += [f"--level={level}", f"--output={output}", f"--seconds={timeout}"]
        # A fixed hash seed orders sets of strings the same each time, so that the file has the same bytes.
        done = run_command(argv, cwd=checkout, env={"PYTHONHASHSEED": "0"}, timeout=timeout + _PATIENCE)
        line = done.said(_MARK)
        report = _report(line)
        if done.returncode or not line or report.problem:
            lines = (done.stdout + done.stderr).splitlines()
            last = "\n".join([line for line in lines if not line.startswith(_MARK)][-_LAST_LINES:])
            problem = report.problem or f"the process ended with {done.returncode}"
            more = "" if done.returncode == _NOT_HERE and line else last
            raise TTMatrixError(f"No ops of {test}", f"{problem}\n{more}".strip())
        text = files.read_bytes(output, None).decode("utf-8")
        return Extracted(text, report.cases, report.calls, report.left_out, report.failure)


def save_extracted(file: Path, extracted: Extracted, *, merge: bool) -> int:
    """Write the manifest to `file`, or add the cases it lacks to an existing one; returns the number of new cases.

    Nothing that is there changes. Raises UsageError where the file exists and `merge` was not asked for.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, extracted.text)
        return extracted.cases
    if not merge:
        raise UsageError(f"{file} exists", "Add its missing cases with --merge, or write to another file.")
    text, new = merged(files.read_text(file), str(file), extracted)
    if new:
        atomic_write(file, text)
    return new


def merged(text: str, name: str, extracted: Extracted) -> tuple[str, int]:
    """The manifest `text` with the missing cases appended, and their number.

    No byte of `text` changes. `name` is its file's name, for errors. Raises TTMatrixError if nothing can be added.
    """
    try:
        return added(text, name, read_text(extracted.text, name).cases)
    except NotWritable as error:
        raise TTMatrixError(f"Nothing can be added to {name}", str(error)) from error


def model_arguments(checkout: Path, test: TestId) -> list[str]:
    """The options that name the model of `test` to the scripts of the payload."""
    # `--name=value` keeps a variant that starts with a dash from being taken for an option.
    arguments = [f"--checkout={checkout}", f"--loader={test.directory}"]
    if test.variant is not None:
        arguments.append(f"--variant={test.variant}")
    if test.llm is not None:
        arguments.append(f"--phase={test.llm.phase}")
        if test.llm.batch_size is not None:
            arguments.append(f"--batch-size={test.llm.batch_size}")
        if test.llm.seq_len not in (None, _NO_SEQ_LEN):
            arguments.append(f"--seq-len={test.llm.seq_len}")
    return arguments


def _report(line: str) -> _Report:
    try:
        return files.decoded(line or "{}", _Report)
    except files.Malformed as error:
        return _Report(problem=f"its report cannot be read: {error}")
