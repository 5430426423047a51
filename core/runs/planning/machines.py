# SPDX-License-Identifier: Apache-2.0
"""Which runs may leave this machine: those for an arch that a host in the hosts file has, and those sent to a host."""

from collections.abc import Sequence
from dataclasses import replace

from core.base.errors import TTMatrixError, UsageError
from core.base.text import counted
from core.hosts import Expected, Host
from core.matrix import Matrix, supported_archs, supports
from core.runs.cluster import ClusterStatus, HostState
from core.runs.leases import EVERYTHING
from core.runs.planning.kinds import wants_device
from core.runs.planning.preflight_checks import Level, Obstacle
from core.runs.spec import RunSpec
from core.sources import Checkout, Git


def with_needs(specs: Sequence[RunSpec], known: Sequence[Host], host: str = "") -> list[RunSpec]:
    """`specs` with the label that their host must have; `host` selects one for all.

    Without `host`, a device run for an arch may go to a host with that arch, which may be this machine if the hosts
    file says so; every other run stays here. Raises UsageError for a host that is not in the file.
    """
    if not host:
        return [_placed(spec, known) for spec in specs]
    named = next((one for one in known if one.name == host), None)
    if named is None:
        there = ", ".join(one.name for one in known) or "none"
        raise UsageError(f"There is no host {host}", f"Hosts: {there}.", "ttmatrix hosts add --help")
    return [replace(spec, needs="" if named.here else host) for spec in specs]


def _placed(spec: RunSpec, known: Sequence[Host]) -> RunSpec:
    arch = spec.arch or ""
    if not wants_device(spec) or not any(arch in one.labels and not one.here for one in known):
        return replace(spec, needs="")
    # On a machine without devices the spec names none: the run then wants all of the host's.
    return replace(spec, needs=arch, devices=spec.devices or (EVERYTHING,))


def archs_of_hosts(known: Sequence[Host], archs: Sequence[str]) -> tuple[str, ...]:
    """Those of `archs`, in their order, that some host has."""
    labels = {label for one in known for label in one.labels}
    return tuple(arch for arch in archs if arch in labels)


def supported_of(archs: Sequence[str], matrix: Matrix, id: str) -> Sequence[str]:
    """Those of `archs` that the entry of a test supports. Raises UsageError if it supports none."""
    entry = matrix.entries.get(id)
    found = [arch for arch in archs if supports(entry, arch)]
    if not found:
        wanted = ", ".join(archs) or "no archs"
        raise UsageError(
            f"{id} supports none of: {wanted}",
            f"Its archs: {', '.join(supported_archs(entry))}.",
            "Choose one of its archs.",
        )
    return found


def place_obstacles(specs: Sequence[RunSpec], known: Sequence[Host], status: ClusterStatus | None) -> list[Obstacle]:
    """Notes about runs that wait for a host."""
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


def expected_code(checkout: Checkout) -> Expected:
    """The expected state of hosts: the commits checked out here; anything if git does not know."""
    git, models = Git(checkout.root), Git(checkout.models)
    try:
        return Expected(git.head_commit(), models.own_head())
    except TTMatrixError:
        return Expected()
