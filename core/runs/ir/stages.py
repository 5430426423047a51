# SPDX-License-Identifier: Apache-2.0
"""The programs of a run by the stage of compilation at which they were written.

Known names: those of ttmatrix's own runner (`forward.fx.0.py`, `forward.stablehlo.mlir`), of the plugin's `export_path`
(`irs/shlo_compiler_MODEL_TIME.mlir`, `graph_0/main.py`), of `--serialize` (`TEST_ttir.mlir`) and of `--dump-irs`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.runs.store import RunRecord, artefacts


class Stage(StrEnum):
    """The stages of compilation, from the framework's trace to the executed code."""

    FX = "fx"
    FX_PASSES = "fx-passes"
    JAXPR = "jaxpr"
    VHLO = "vhlo"
    STABLEHLO = "stablehlo"
    TTIR = "ttir"
    TTNN = "ttnn"
    CODE = "code"
    OTHER = "other"
    """MLIR whose name does not give its stage."""


_ORDER = {stage: number for number, stage in enumerate(Stage)}
_WORDS = {"shlo": Stage.STABLEHLO, **{stage.value: stage for stage in Stage}}
_STEPS = ("shlo_frontend", "shlo_compiler", "shlo_set_mesh_attr", "shlo_compiler_cleaned")
"""The files that the plugin writes at this stage, in order; plain `shlo` comes before them."""
_FX = re.compile(r"\.(fx|fx-passes)\.\d+\.py$")
_CODE = frozenset({".py", ".cpp", ".hpp", ".h"})
_MOMENT = re.compile(r"_?\d{9,}")


@dataclass(frozen=True, slots=True)
class Program:
    """A file with a program."""

    name: str
    """Relative to the directory of the run."""
    file: Path
    stage: Stage
    size: int
    """Bytes."""

    @property
    def key(self) -> str:
        """The name without the time of compilation, which is equal for the same program of another run."""
        return _MOMENT.sub("", self.name)


def stage_of(name: str) -> Stage | None:
    """The stage of the file of that name; None: it is not a program."""
    path = Path(name)
    if match := _FX.search(path.name):
        return Stage(match[1])
    if path.suffix == ".jaxpr":
        return Stage.JAXPR
    if path.suffix in _CODE:
        return Stage.CODE
    if path.suffix != ".mlir":
        return None
    words = re.split(r"[._]", path.stem.lower())
    # The plugin's names begin with the stage; all others end with it.
    named = (word for word in (words[0], *reversed(words)) if word in _WORDS)
    return next((_WORDS[word] for word in named), Stage.OTHER)


def programs(record: RunRecord) -> list[Program]:
    """The programs among the files of a run, in the order of the stages."""
    return _programs(record.directory, artefacts(record))


def programs_in(directory: Path) -> list[Program]:
    """The programs below a directory, such as an IR dump of CI, in the order of the stages."""
    files = (one for one in directory.rglob("*") if one.is_file() and not one.is_symlink())
    return _programs(directory, (one.relative_to(directory).as_posix() for one in files))


def _programs(directory: Path, names: Iterable[str]) -> list[Program]:
    found = []
    for name in names:
        stage = stage_of(name)
        if stage is not None:
            file = directory / name
            found.append(Program(name, file, stage, file.stat().st_size))
    return sorted(found, key=_place)


def _place(program: Program) -> tuple[int, int, str]:
    file = Path(program.name).name
    step = max((number for number, name in enumerate(_STEPS, 1) if file.startswith(name)), default=0)
    return _ORDER[program.stage], step, program.name


def same_program(program: Program, others: list[Program]) -> Program | None:
    """The program of another run that corresponds to this one; None: there is none of this stage.

    The same name, else the only one of its stage, else the one with the same file name.
    """
    of_stage = [one for one in others if one.stage is program.stage]
    named = [one for one in of_stage if one.key == program.key]
    alike = [one for one in of_stage if Path(one.key).name == Path(program.key).name]
    found = named or (of_stage if len(of_stage) == 1 else alike)
    return found[0] if found else None
