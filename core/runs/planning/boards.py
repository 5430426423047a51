# SPDX-License-Identifier: Apache-2.0
"""What tests need of a machine, compared with the boards that this one has."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from core.base.settings import paths
from core.base.text import counted
from core.hosts import DEVICE_NODES, Boards, boards_here, read_hosts
from core.runs.spec import RunSpec

_OF_MARKERS: Mapping[str, tuple[str, ...]] = {
    "dual_chip": ("n300",),
    "llmbox": ("n300-llmbox",),
    "galaxy": ("galaxy-wh-6u",),
    "galaxy_bh": ("galaxy-bh",),
    "bhqb": ("qb2-blackhole",),
}
"""Markers of hand-written tests (pytest.ini of tt-xla), and their archs."""
_OF_DIRECTORIES: Mapping[str, tuple[str, ...]] = {
    "n300": ("n300",),
    "llmbox": ("n300-llmbox",),
    "galaxy": ("galaxy-wh-6u", "galaxy-bh"),
}
"""Directories of hand-written tests."""


def boards_of_machine(environ: Mapping[str, str] = os.environ, nodes: Path = DEVICE_NODES) -> Boards:
    """The boards of this machine. tt-smi may be asked: not for the UI thread."""
    return boards_here(paths().cache, environ, nodes)


def own_arch(archs: Sequence[str], environ: Mapping[str, str] = os.environ) -> str:
    """The one of `archs` that this machine has: by its labels in the hosts file, else by its boards; empty: none."""
    labels = [label for one in read_hosts(paths().hosts_file) if one.here for label in one.labels]
    found = next((label for label in labels if label in archs), "")
    arch = found or boards_of_machine(environ).arch
    return arch if arch in archs else ""


def boards_of_test(path: str, markers: Iterable[str]) -> tuple[str, ...]:
    """The archs that a hand-written test is for, by its markers, else by its directory; empty: any."""
    marked = [arch for name in sorted(markers) for arch in _OF_MARKERS.get(name, ())]
    placed = [arch for name in PurePosixPath(path).parts[:-1] for arch in _OF_DIRECTORIES.get(name, ())]
    return tuple(dict.fromkeys(marked or placed))


def wanted(spec: RunSpec) -> Iterator[tuple[str, ...]]:
    """Groups of archs; a machine must be able to be one of each group."""
    arch = "" if spec.cases else spec.arch
    if arch:
        yield (arch,)
    if spec.boards and arch not in spec.boards:
        yield spec.boards


def lacking(specs: Iterable[RunSpec], boards: Boards) -> dict[tuple[str, ...], list[RunSpec]]:
    """The runs for archs that the boards cannot be, by these archs."""
    found: dict[tuple[str, ...], list[RunSpec]] = {}
    for spec in specs:
        missing = next((archs for archs in wanted(spec) if not any(map(boards.can, archs))), ())
        if missing:
            found.setdefault(missing, []).append(spec)
    return found


def way_round(archs: tuple[str, ...], specs: Sequence[RunSpec], boards: Boards) -> str:
    """What to do where this machine cannot be any of `archs`."""
    hosts = [one.name for one in read_hosts(paths().hosts_file) if not one.here and {*archs} & {*one.labels}]
    ways = [
        f"On a machine with it: --host {hosts[0]}" if hosts else "Add a machine that has it: ttmatrix hosts add --help"
    ]
    asked = all(spec.arch and (spec.arch,) == archs for spec in specs)
    if asked and boards.arch and all(not spec.boards or any(map(boards.can, spec.boards)) for spec in specs):
        ways.append(f"here with --arch {boards.arch}")
    return "; ".join([*ways, "or start it anyway: ttmatrix run --force"])


def needs_text(archs: tuple[str, ...], specs: Sequence[RunSpec]) -> str:
    """Which tests are for which archs."""
    named = specs[0].test_id if len(specs) == 1 else counted(len(specs), "run")
    return f"{named} {'needs' if len(specs) == 1 else 'need'} {' or '.join(archs)}"
