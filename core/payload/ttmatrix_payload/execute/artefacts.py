# SPDX-License-Identifier: Apache-2.0
"""Save the compiler's input and options, and run FileCheck on them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import torch

from ..backend import Backend
from ..settings import FileCheck, Settings
from .filecheck import MISSING, find_filecheck


class Artefacts:
    """The files of one test; saves nothing if the settings name no directory."""

    def __init__(self, settings: Settings, backend: Backend) -> None:
        self.settings, self.backend = settings, backend
        self.directory = settings.serialize_to
        self.kept: set[str] = set()
        if self.directory is not None:
            self.directory.mkdir(parents=True, exist_ok=True)

    def save(self, name: str, results: Iterable[torch.Tensor]) -> None:
        """Write the StableHLO of `results`, which must not be settled yet, once for each name."""
        if self.directory is None or name in self.kept:
            return
        self.kept.add(name)
        for file, program in self.backend.take_graphs():
            (self.directory / f"{name}.{file}").write_text(program, encoding="utf-8")
        text = self.backend.stablehlo(results)
        if text is not None:
            (self.directory / f"{name}.stablehlo.mlir").write_text(text, encoding="utf-8")

    def keep_options(self) -> None:
        """Write the options of the compiler, with the source of each."""
        if self.directory is None:
            return
        told = {
            "backend": self.backend.name,
            "device": self.backend.device_text(),
            "options": self.backend.compile_options(self.settings),
        }
        (self.directory / "compile_options.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")

    def check(self) -> list[FileCheck]:
        """Run every pattern of the settings on the kind of file that its name asks for; a missing file is a failure."""
        self.keep_options()
        return [self._check(pattern) for pattern in self.settings.filechecks]

    def _check(self, pattern: Path) -> FileCheck:
        name = pattern.name.removesuffix(".mlir")
        kind = name.rpartition(".")[2]
        if not pattern.is_file():
            return FileCheck(name, False, f"there is no {pattern}")
        found = sorted(self.directory.glob(f"**/*{kind}*.mlir")) if self.directory else []
        if not found:
            return FileCheck(name, None, f"the backend {self.backend.name} wrote no {kind}")
        program = find_filecheck(os.environ.get("PATH", os.defpath))
        if program is None:
            return FileCheck(name, None, MISSING)
        command = [program, str(pattern), "--input-file", str(found[0])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return FileCheck(name, done.returncode == 0, done.stderr.strip() or None)
