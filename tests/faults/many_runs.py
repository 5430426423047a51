# SPDX-License-Identifier: Apache-2.0
"""Faults while the store holds thousands of queued runs: commands about them are killed, hit and damaged.

The store is made once for all rounds, because that takes longer than a round; each round changes other runs of it.
No run may be lost, come back or change on its own; each command answers in time, whatever the last one left.
"""

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from core.base.settings import paths
from core.domain.model import Function
from core.runs import Outcome, RunSpec
from core.runs.spec import run_id
from core.runs.store import RunRecord, RunState, RunStore, Ticket
from tests.faults.injected import Fault, Injector
from tests.faults.kinds import Round, Violation, no_traceback
from tests.faults.player import Ended, wait_for_orphans

RUNS_VARIABLE = "FAULTS_RUNS"
"""The environment variable with the number of runs."""
_RUNS = 20_000
_MOST_IN_A_ROW = 4
_CALLS = 40
"""Approximate number of system calls in such a command that change something."""
_SECONDS = 30.0
"""Far longer than any of these commands takes."""


@dataclass(slots=True)
class _Store:
    """The runs, and what was asked for them."""

    home: Path
    left: list[str]
    """Runs that nobody has asked anything for."""
    asked: set[str] = field(default_factory=set)
    """Runs whose end was asked for, by a command that may have been killed."""
    ended: set[str] = field(default_factory=set)

    @property
    def runs(self) -> RunStore:
        return RunStore(paths({"TTMATRIX_HOME": str(self.home)}).runs)


def many_runs(round: Round) -> int:
    """Commands about thousands of runs are killed or fail, at any moment, and what they have cached is damaged."""
    store = _store(round.shop.directory.parent)
    number = round.chance.randint(1, _MOST_IN_A_ROW)
    for _ in range(number):
        _damage(store, round.chance)
        _play(round, store)
        wait_for_orphans()
    _must_answer(round, store, ("runs", "--all"))
    _finish(round, store)
    return number


@cache
def _store(directory: Path) -> _Store:
    home, count = directory / "many", int(os.environ.get(RUNS_VARIABLE, _RUNS))
    store = RunStore(paths({"TTMATRIX_HOME": str(home)}).runs)
    begun, specs = datetime(2026, 11, 1, tzinfo=UTC), list[RunSpec]()
    with store.queue.filling():
        for number in range(count):
            specs.append(_spec(directory, begun + timedelta(seconds=number), number))
            store.create(specs[-1])
        store.queue.put([Ticket(one.run_id, place, held=True) for place, one in enumerate(specs)], {})
    return _Store(home, [one.run_id for one in specs])


def _spec(directory: Path, now: datetime, number: int) -> RunSpec:
    token = f"{number:032x}"[::-1]
    return RunSpec(
        run_id=run_id(now, token),
        test_id=f"some/pytorch-V{number}-single_device-inference",
        function=Function.TORCH,
        kind="cpu",
        arch=None,
        argv=("false",),
        env={},
        cwd=directory,
        timeout=1.0,
        created=now.isoformat(),
        nonce=token,
        slots="cpu",
        slot_count=1,
    )


def _damage(store: _Store, chance: random.Random) -> None:
    """What was cached may be gone, torn or senseless; a killed process may have left half a run."""
    runs = store.runs
    file = chance.choice((runs.root / "index.sqlite", runs.queue.directory / "cache" / "tickets"))
    match chance.randrange(6):
        case 0:
            file.unlink(missing_ok=True)
        case 1 if file.exists():
            os.truncate(file, chance.randint(0, file.stat().st_size))
        case 2 if file.exists():
            with file.open("r+b") as damaged:
                damaged.seek(chance.randint(0, max(0, file.stat().st_size - 8)))
                damaged.write(chance.randbytes(8))
        case 3:
            (runs.root / f".new-{chance.randrange(1000)}").mkdir(exist_ok=True)


def _play(round: Round, store: _Store) -> None:
    """One command, or two at once, with a fault."""
    chance = round.chance
    players = []
    for _ in range(chance.choice((1, 1, 2))):
        fault, at = chance.choice(list(Fault)), chance.randint(1, _CALLS)
        timed = chance.random() < 0.5
        arm: Callable[[], None] = (lambda: None) if timed else Injector(fault, at).arm
        player = round.start(*_words(chance, store), environ={"TTMATRIX_HOME": str(store.home)}, arm=arm)
        players.append((player, timed))
    for player, timed in players:
        if timed and not player.is_over(chance.uniform(0.0, 1.0)):
            player.kill()
        no_traceback(player.wait())


def _words(chance: random.Random, store: _Store) -> tuple[object, ...]:
    one = chance.choice(store.left)
    words = chance.choice(("runs", "queue", "first", "last", "hold", "cancel", "cancel", "prune"))
    match words:
        case "cancel":
            several = chance.sample(store.left, min(len(store.left) // 2, chance.choice((1, 3, 30))))
            store.asked.update(several)
            return "cancel", *several
        case "first" | "last" | "hold":
            return "queue", words, one
        case "prune":
            return "prune", "--yes", "--days", "36500"
    return words, "--json"


def _must_answer(round: Round, store: _Store, words: tuple[str, ...]) -> Ended:
    player = round.start(*words, environ={"TTMATRIX_HOME": str(store.home)})
    if not player.is_over(_SECONDS):
        player.kill()
        player.wait()
        raise Violation("hang", f"{words} does not end")
    ended = player.wait()
    no_traceback(ended)
    if ended.code != 0:
        raise Violation("false message", f"{words} ends with {ended.code}: {ended.said}")
    return ended


def _finish(round: Round, store: _Store) -> None:
    """Ask for the same again: then all that was asked for is done, and every other run is as it was."""
    if asked := sorted(store.asked):
        said = _must_answer(round, store, ("cancel", *asked, "--json"))
        wait_for_orphans()
        if {one["outcome"] for one in json.loads(said.said)} != {"cancelled"}:
            raise Violation("false message", said.said[:2000])
    store.ended |= store.asked
    store.left = [one for one in store.left if one not in store.asked]
    store.asked.clear()
    records = {one.spec.run_id: one for one in store.runs.records()}
    if records.keys() != {*store.left, *store.ended}:
        raise Violation("lost work", f"{len(records)} runs, not {len(store.left) + len(store.ended)}")
    wrong = [one for one in records.values() if not _is_right(one, one.spec.run_id in store.ended)]
    if wrong:
        raise Violation("lost work", f"{len(wrong)} runs such as {wrong[0]}")
    order = [one.run_id for one in store.runs.queue.tickets()]
    if sorted(order) != sorted(store.left):
        raise Violation("lost work", f"{len(order)} tickets for {len(store.left)} runs")
    for left in store.runs.root.glob(".new-*"):
        shutil.rmtree(left, ignore_errors=True)


def _is_right(record: RunRecord, ended: bool) -> bool:
    if ended:
        return record.outcome is Outcome.CANCELLED
    return record.state is RunState.QUEUED and record.held
