# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.placement: on which hosts and in which order runs start; and how close many come to the ideal."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.base.files import atomic_write, plain
from core.base.processes import own_identity
from core.hosts import Host, HostsFile, Lease, with_host
from core.runs import RunSpec
from core.runs.cluster import Cluster, ClusterStatus, HostState, HostStatus
from core.runs.execution.executor import DaskExecutor, LocalExecutor
from core.runs.execution.placement import HERE, Going, Line, Slot, next_of
from core.runs.spec import STAGE_FILE
from core.runs.store import Ticket
from tests.bench.placing import runs, simulate
from tests.core.runs.conftest import MakeSpec

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def slot(host: str, *labels: str, **more: object) -> Slot:
    return replace(Slot(host, labels=frozenset((host, *labels))), **more)  # type: ignore[arg-type]


def placed(specs: list[RunSpec], slots: list[Slot], avoided: dict[str, frozenset[str]] | None = None) -> list[str]:
    """The host of each run that starts, in the order of their turn; each takes its slot."""
    line, found = Line(), []
    for place, spec in enumerate(specs):
        line.put(Ticket(spec.run_id, float(place)), spec)
    slots, going = list(slots), list[Going]()
    while chosen := next_of(line, going, 2**40, slots, NOW, avoided or {}):
        found.append(f"{specs.index(chosen.spec)} on {chosen.slot.host or 'here'}")
        line.remove(chosen.spec.run_id)
        going.append(Going(chosen.spec, 60.0, chosen.slot.host))
        if chosen.slot.host:
            slots[slots.index(chosen.slot)] = replace(chosen.slot, taken=True)
    return found


def test_a_run_goes_where_its_label_is_and_leaves_more_able_hosts_to_others(make_spec: MakeSpec) -> None:
    small, large = replace(make_spec(), needs="n150"), replace(make_spec(), needs="n300")
    slots = [slot("big", "n150", "n300"), slot("little", "n150"), HERE]
    assert placed([small, large, make_spec()], slots) == ["0 on little", "1 on big", "2 on here"]
    assert placed([replace(make_spec(), needs="p150")], slots) == []
    assert placed([replace(make_spec(), needs="big")], slots) == ["0 on big"]


def test_this_machine_takes_part_where_it_has_the_label(make_spec: MakeSpec) -> None:
    wants = [replace(make_spec(), needs="n150", devices=("*",), slot_count=0) for _ in range(3)]
    slots = [slot("there", "n150"), slot("", "n150")]
    assert placed(wants, slots) == ["0 on here", "1 on there"]


def test_a_run_avoids_the_host_that_failed_unless_there_is_no_other(make_spec: MakeSpec) -> None:
    spec = replace(make_spec(), needs="n150")
    avoided = {spec.run_id: frozenset(("", "a"))}
    assert placed([spec], [slot("a", "n150"), slot("b", "n150")], avoided) == ["0 on b"]
    assert placed([spec], [slot("a", "n150"), slot("b", "n150", taken=True)], avoided) == []
    assert placed([spec], [slot("a", "n150"), slot("", "n150")], avoided) == ["0 on a"]


def test_a_run_waits_for_a_host_that_is_being_taken_up_rather_than_go_where_it_failed(
    make_spec: MakeSpec, tmp_path: Path
) -> None:
    hosts, cluster = tmp_path / "hosts.toml", Cluster(tmp_path)
    for name in ("a", "b"):
        text = hosts.read_text() if hosts.exists() else ""
        hosts.write_text(with_host(text, Host(name, name, labels=("n150",)), hosts))
    spec = replace(make_spec(), needs="n150")
    for state, wanted in (
        (HostState.CONNECTING, []),
        (HostState.UP, ["0 on b"]),
        (HostState.LOST, ["0 on a"]),
    ):
        states = (HostStatus("a", HostState.UP, "", 0.0, 1), HostStatus("b", state, "", 0.0, 1))
        atomic_write(cluster.status_file, json.dumps(plain(ClusterStatus(own_identity(), states))))
        known = HostsFile(hosts)
        slots = DaskExecutor(LocalExecutor(known), cluster, known).slots()
        assert placed([spec], list(slots), {spec.run_id: frozenset(("", "a"))}) == wanted


def test_runs_on_a_host_share_its_memory(make_spec: MakeSpec) -> None:
    def of(*sizes: int) -> list[RunSpec]:
        return [replace(make_spec(), needs="n150", memory=size) for size in sizes]

    slots = [replace(slot("a", "n150"), number=number, memory=10) for number in range(3)]
    assert placed(of(2, 7, 2), slots) == ["0 on a", "1 on a"]
    # Smaller runs do not wait behind it, and one that seems too large gets a host of its own.
    assert placed(of(7, 7, 2), slots) == ["0 on a", "2 on a"]
    assert placed(of(50, 2), [*slots, replace(slot("b", "n150", "more"), memory=10)]) == ["0 on a", "1 on b"]
    unknown = [replace(slot("a", "n150"), number=number) for number in range(2)]
    assert placed(of(50, 50), unknown) == ["0 on a", "1 on a"]


def test_on_a_host_one_run_at_a_time_changes_the_packages_of_its_interpreter(make_spec: MakeSpec) -> None:
    def of(*claims: tuple[str, ...]) -> list[RunSpec]:
        return [replace(make_spec(), needs="n150", claims=one) for one in claims]

    slots = [replace(slot("a", "n150"), number=number) for number in range(4)]
    changing, other, alone = (f"/x/{STAGE_FILE}", "/x/venv"), (f"/y/{STAGE_FILE}", "/y/venv"), (f"/x/{STAGE_FILE}",)
    # Other runs do not wait behind it, nor does one that installs nothing.
    assert placed(of(changing, other, changing, alone, ()), slots) == ["0 on a", "3 on a", "4 on a"]
    assert placed(of(changing, changing), [*slots, slot("b", "n150", "more")]) == ["0 on a", "1 on b"]


def test_a_lease_takes_what_fits_into_it(make_spec: MakeSpec) -> None:
    long, short = (replace(make_spec(), needs="n150", estimate=one) for one in (3600.0, 60.0))
    ending = slot("a", "n150", lease=Lease("a", NOW + timedelta(minutes=10)))
    assert placed([long, short], [ending]) == ["1 on a"]
    assert placed([long, short], [ending, slot("b", "n150")]) == ["0 on b", "1 on a"]


def test_a_line_follows_tickets(make_spec: MakeSpec) -> None:
    specs = [make_spec() for _ in range(3)]
    line = Line()
    for place, spec in enumerate(specs):
        line.put(Ticket(spec.run_id, float(place)), spec)
    assert line.heads(lambda _: True) == specs[:1]
    line.put(Ticket(specs[2].run_id, -1.0), specs[2])
    assert line.heads(lambda _: True) == specs[2:]
    line.put(Ticket(specs[2].run_id, -1.0, held=True), specs[2])
    assert line.heads(lambda _: True) == specs[:1]
    line.remove(specs[0].run_id)
    line.remove(specs[0].run_id)
    assert line.heads(lambda _: True) == specs[1:2] and len(line) == 2
    assert line.heads(lambda spec: spec is specs[0]) == []
    line.put(Ticket(specs[2].run_id, -1.0), specs[2])
    assert line.heads(lambda _: True) == specs[2:]


def test_many_runs_end_close_to_the_ideal() -> None:
    chosen = random.Random(1)
    durations = [chosen.lognormvariate(4.0, 1.0) for _ in range(300)]
    found = simulate(runs(400, durations), 8)
    assert found.most_at_a_time == 8
    assert 1.0 <= found.ratio <= 1.2
