# SPDX-License-Identifier: Apache-2.0
"""Code that an export has generated, and the command that executes it."""

import os
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import UsageError
from core.base.processes import inherited
from core.runs.environment import child_environment
from core.runs.ir.stages import Stage, programs
from core.runs.store import RunRecord

_SCRIPT, _PYTHON, _CPP = "run", "main.py", "main.cpp"


@dataclass(frozen=True, slots=True)
class Generated:
    """The code of one graph."""

    directory: Path
    """It is executed here: it reads its tensors by relative paths."""
    command: tuple[str, ...]
    environment: dict[str, str]

    @property
    def is_python(self) -> bool:
        return (self.directory / _PYTHON).is_file()


def generated(record: RunRecord, part: str) -> Generated:
    """The code of the graph of a run whose name contains `part`, and how to execute it.

    The script `run` of the export if there is one, else the interpreter of the run on `main.py`, in the environment of
    the run. Raises UsageError if there is none, several, or only C++ that is not built.
    """
    every = [one for one in programs(record) if one.stage is Stage.CODE and one.file.name in (_PYTHON, _CPP)]
    found = sorted({one.file.parent for one in every if part in one.name})
    if not found:
        hint = "ttmatrix run TEST --kind codegen_py (or codegen_cpp) generates some."
        raise UsageError(f"Run {record.spec.run_id} has no generated code", hint=hint)
    if len(found) > 1:
        names = ", ".join(one.relative_to(record.directory).as_posix() for one in found)
        raise UsageError(f"Run {record.spec.run_id} has the code of several graphs", names, "Name one: RUN:graph_0")
    directory = found[0]
    environment = child_environment(inherited(os.environ), record.spec.env, record.spec.paths)
    if os.access(directory / _SCRIPT, os.X_OK) and (directory / _SCRIPT).is_file():
        return Generated(directory, (f"./{_SCRIPT}",), environment)
    if (directory / _PYTHON).is_file():
        return Generated(directory, (record.spec.argv[0], _PYTHON), environment)
    raise UsageError(f"{directory} has C++ that is not built", hint="Build it with TT-NN's libraries.")
