# SPDX-License-Identifier: Apache-2.0
"""Which runs may leave this machine: those for an arch that a host of the hosts file has, and those sent to one."""

from collections.abc import Sequence
from dataclasses import replace

from core.errors import UsageError
from core.hosts import Host
from core.runs.cluster import ClusterStatus, HostState
from core.runs.planning.preflight_checks import Level, Obstacle
from core.runs.spec import RunSpec
from core.text import counted


def with_needs(specs: Sequence[RunSpec], known: Sequence[Host], host: str = "") -> list[RunSpec]:
    """`specs` with the label that their host must have; `host` names one for all.

    Without it, a device run for an arch that a host has may go there, and to this machine if the hosts file says that
    it has that arch too; every other run stays here. Raises UsageError for a host that is not in the file.
    """
    if not host:
        return [replace(spec, needs=_needed(spec, known)) for spec in specs]
    named = next((one for one in known if one.name == host), None)
    if named is None:
        there = ", ".join(one.name for one in known) or "none"
        raise UsageError(f"There is no host {host}", f"Hosts: {there}.", "ttmatrix hosts add --help")
    return [replace(spec, needs="" if named.here else host) for spec in specs]


def _needed(spec: RunSpec, known: Sequence[Host]) -> str:
    arch = spec.arch or ""
    return arch if spec.devices and any(arch in one.labels and not one.here for one in known) else ""


def place_obstacles(specs: Sequence[RunSpec], known: Sequence[Host], status: ClusterStatus | None) -> list[Obstacle]:
    """What is said of runs that wait for a host."""
    up = {one.name for one in status.hosts if one.state is HostState.UP} if status else set()
    found = []
    for label in sorted({spec.needs for spec in specs if spec.needs}):
        able = [one for one in known if label in (one.name, *one.labels)]
        if any(one.here or one.name in up for one in able):
            continue
        number = counted(sum(spec.needs == label for spec in specs), "run")
        names = " ".join(one.name for one in able if not one.here)
        what = f"No host with {label} is up: {number} will wait for one"
        found.append(Obstacle(Level.WARNING, what, f"ttmatrix hosts up {names}".rstrip()))
    return found
