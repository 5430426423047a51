# SPDX-License-Identifier: Apache-2.0
"""FileCheck patterns that are named and not there (spec 2.2)."""

import difflib
from collections.abc import Iterator
from pathlib import Path

from core.matrix.checks.check import Check
from core.matrix.checks.written import written
from core.matrix.effective import texts
from core.matrix.matrix import Matrix
from core.model import Finding

_DIRECTORY = Path("tests/filecheck")


def _missing(matrix: Matrix) -> Iterator[Finding]:
    directory = matrix.checkout.root / _DIRECTORY
    present = sorted(path.name for path in directory.iterdir()) if directory.is_dir() else []
    for one in written(matrix):
        for at, value in one.fields():
            if at[-1] != "filechecks":
                continue
            for index, name in enumerate(texts(value)):
                if not (directory / name).is_file():
                    near = difflib.get_close_matches(name, present, 1)
                    hint = f"; closest: {near[0]}" if near else ""
                    message = f"There is no file {_DIRECTORY.as_posix()}/{name}{hint}"
                    yield one.finding(MISSING_FILECHECK.kind, message, (*at, str(index)))


MISSING_FILECHECK = Check("missing-filecheck", "a FileCheck pattern file that does not exist", _missing)
