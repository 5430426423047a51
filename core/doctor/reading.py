# SPDX-License-Identifier: Apache-2.0
"""Findings made while a checkout is read, and files of patterns that are missing or unused."""

import difflib
from collections.abc import Collection, Iterator
from pathlib import Path

from core.base.files import read_bytes
from core.ci import Selected
from core.doctor.check import Check, written
from core.domain.model import Finding, Status
from core.matrix import Matrix, status_on, texts

BROKEN_LOADER = Check("broken-loader", "a loader that contributes no tests")
RAISING_LOADER = Check("raising-loader", "a loader that raises when it is asked for its model info, or made")
BROKEN_TEST = Check("broken-test", "a file of hand-written tests that pytest cannot collect")
MISSING_FIXTURE = Check("missing-fixture", "a hand-written test that asks for a fixture that nothing defines")
BROKEN_YAML = Check("broken-yaml", "an expectation file that cannot be read")
BROKEN_SCHEMA = Check("broken-schema", "upstream's lists of archs and fields cannot be read")
BROKEN_PRESET = Check("broken-preset", "a CI preset that cannot be read")
BROKEN_WORKFLOW = Check("broken-workflow", "a CI workflow that cannot be read")
BROKEN_DURATIONS = Check("broken-durations", "the file of test durations cannot be read")


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


def _unused(matrix: Matrix) -> Iterator[Finding]:
    """Leaves out patterns that a hand-written test may name."""
    directory = matrix.checkout.root / _DIRECTORY
    left = {file.name for file in directory.glob("*.mlir")} if directory.is_dir() else set()
    for one in written(matrix):
        left -= {name for at, value in one.fields() if at[-1] == "filechecks" for name in texts(value)}
    for file in sorted((matrix.checkout.root / "tests").glob("**/*.py")) if left else ():
        text = _content(file)
        left = {name for name in left if name.encode() not in text}
    for name in sorted(left):
        message = "No entry and no test in tests/ names this FileCheck pattern"
        yield Finding(UNUSED_FILECHECK.kind, message, (_DIRECTORY / name).as_posix())


def _content(file: Path) -> bytes:
    """What a file says; nothing, if it cannot be read."""
    try:
        return read_bytes(file)
    except OSError:
        return b""


UNUSED_FILECHECK = Check("unused-filecheck", "a FileCheck pattern file that nothing names", _unused)


NO_JOB = Check(
    "no-job", "an entry whose test no scheduled CI job selects, or a hand-written test that asks for one in vain"
)


def no_job_findings(matrix: Matrix, selected: Selected, failing: Collection[str] = ()) -> Iterator[Finding]:
    """One finding for each entry that no job selects; none at all if there are no scheduled jobs.

    Loaders in the directories `failing` have a finding of their own, from which this follows.
    """
    for id, entry in matrix.entries.items() if selected.jobs else ():
        row = matrix.rows[id]
        if selected.of(row) or (failing and matrix.member(row).directory in failing):
            continue
        where = matrix.checkout.relative(matrix.checkout.test_config / entry.file)
        excluded = status_on(entry, None) is Status.EXCLUDE_MODEL
        why = "it is excluded from collection" if excluded else "no mark expression fits its markers"
        yield Finding(NO_JOB.kind, f"No scheduled CI job selects this test: {why}", where, entry.line, 3, id)
