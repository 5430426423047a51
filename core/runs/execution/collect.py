# SPDX-License-Identifier: Apache-2.0
"""Programs that a run wrote into the checkout instead of its own directory, copied before the next run replaces them.

Upstream writes to `output_artifact/` (`--serialize`), `collected_irs/` (`--dump-irs`) and where `export_path` points.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from core.domain.model import item_name
from core.runs.ir import stage_of
from core.runs.spec import RunSpec

PROGRAMS = "ir"
"""The directory of a run that holds programs."""
_NAMED_BY_TEST = "output_artifact"
_ANY = ("collected_irs", "codegen_result", "modules")
_EXPORT = re.compile(r"--compile-option=export_path=(.+)")
_NOT_IN_NAMES = re.compile(r"[\[\](),\-\s/:]+")


def collect_programs(spec: RunSpec, directory: Path, since: float) -> int:
    """Copy the files written since a moment, in seconds since the epoch; returns their number.

    A file that cannot be read, or that does not fit on the disk, is skipped: the result of the run matters more.
    """
    copied = 0
    for file in _written(spec):
        with suppress(OSError):
            if file.stat().st_mtime < since or stage_of(file.name) is None or directory in file.parents:
                continue
            target = directory / PROGRAMS / _relative(file, spec.cwd)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
            copied += 1
    return copied


def _test_file_name(spec: RunSpec) -> str:
    """The beginning of the file names that upstream's `--serialize` gives (`sanitize_test_name`)."""
    return _NOT_IN_NAMES.sub("_", item_name(spec.function, spec.test_id)).rstrip("_")


def _written(spec: RunSpec) -> Iterator[Path]:
    own = _test_file_name(spec)
    yield from (file for file in _files(spec.cwd / _NAMED_BY_TEST) if file.name.startswith(own))
    exported = [match[1] for word in spec.argv if (match := _EXPORT.fullmatch(word))]
    for name in (*_ANY, *exported):
        yield from _files(spec.cwd / name)


def _files(directory: Path) -> Iterator[Path]:
    # Others may remove directories meanwhile: `walk` passes over what it cannot read.
    for place, _, names in os.walk(directory):
        yield from (file for file in (Path(place, name) for name in names) if _is_plain(file))


def _is_plain(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def _relative(file: Path, root: Path) -> Path:
    return file.relative_to(root) if file.is_relative_to(root) else Path(file.name)
