# SPDX-License-Identifier: Apache-2.0
"""Faults, again and again: `python -m tests.faults.loop --count 1000 --seed 1` prints how many there were and survived.

Each round lays out a checkout with somebody's unfinished work, commits to it with `ttmatrix apply --commit`, has
something go wrong, often several times in a row, lets the next command find it, and asks for the same again. In the end the commit is there once, all
of somebody's work is what it was, no lock is left, and whatever was said was true.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from core.cli import main as command_line
from tests.faults.kinds import Round, Unable, Violation
from tests.faults.place import Workplace
from tests.faults.player import adopt_orphans, wait_for_orphans
from tests.faults.table import KINDS

_LEDGER = ("lost work", "stray lock", "false message", "traceback", "hang")


@dataclass(slots=True)
class Tally:
    """The results of the rounds so far."""

    injected: Counter[str] = field(default_factory=Counter)
    survived: Counter[str] = field(default_factory=Counter)
    unable: dict[str, str] = field(default_factory=dict)
    """Kinds that this machine cannot play, and why."""
    violations: list[str] = field(default_factory=list)
    ledger: Counter[str] = field(default_factory=Counter)

    def summary(self, seed: str, seconds: float) -> str:
        lines = [f"seed {seed}: {self.injected.total():,} injections in {seconds:,.0f} s"]
        for kind in KINDS:
            if kind in self.unable:
                lines.append(f"  {kind:34} left out: {self.unable[kind]}")
            else:
                lines.append(f"  {kind:34} {self.injected[kind]:5} injected  {self.survived[kind]:5} survived")
        lines.append(", ".join(f"{name}: {self.ledger[name]}" for name in _LEDGER))
        return "\n".join([*lines, *self.violations])


def loop(count: int, seconds: float, seed: str, kinds: Sequence[str]) -> Tally:
    """Play rounds until there were `count` injections, as many of each kind, or `seconds` are over."""
    tally, begun, number = Tally(), time.monotonic(), 0
    with _workshop() as (template, directory):
        while able := [kind for kind in kinds if kind not in tally.unable]:
            kind = min(able, key=lambda kind: tally.injected[kind])
            if tally.injected[kind] * len(able) >= count or time.monotonic() - begun > seconds:
                break
            _play(kind, f"{seed}/{number}", template, directory / f"{number}", tally)
            number += 1
    return tally


def _play(kind: str, seed: str, template: Workplace, directory: Path, tally: Tally) -> None:
    chance = random.Random(seed)
    round = Round(template, directory, chance)
    hits = 1
    try:
        hits = KINDS[kind](round)
        if not hits:
            return
    except Unable as unable:
        tally.unable[kind] = str(unable)
        return
    except Violation as violation:
        tally.ledger[violation.kind] += 1
        tally.violations.append(f"{kind}, round {seed}: {violation.kind}: {violation}")
        print(tally.violations[-1], file=sys.stderr, flush=True)
    else:
        tally.survived[kind] += hits
    finally:
        wait_for_orphans()
        shutil.rmtree(directory, ignore_errors=True)
    tally.injected[kind] += hits


@contextmanager
def _workshop() -> Iterator[tuple[Workplace, Path]]:
    """A checkout to copy and a directory for the copies, in memory where that can be."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        os.environ["TTMATRIX_HOME"] = f"{name}/home"
        template = Workplace(Path(name) / "template")
        template.lay_out()
        _warm_up(template.copied_to(Path(name) / "warm"))
        adopt_orphans()
        begun = time.monotonic()
        Round(template, Path(name) / "timed", random.Random(0)).apply().wait()
        template.seconds = time.monotonic() - begun
        yield template, Path(name)


def _warm_up(workplace: Workplace) -> None:
    """Have all modules loaded that the commands need."""
    stdout, sys.stdout = sys.stdout, Path(os.devnull).open("w")  # noqa: SIM115 - put back below
    stderr, sys.stderr = sys.stderr, sys.stdout
    try:
        for words in (
            ("edit", "--apply", workplace.operations(), "--write"),
            ("apply", workplace.operations(), "--commit"),
            *(("list", "--json"), ("jobs",), ("doctor", "--json"), ("trend",), ("report", "--json")),
        ):
            command_line([*map(str, words), "--repo", str(workplace.root)], lambda request: 0)
    finally:
        sys.stdout, sys.stderr = stdout, stderr


def main(argv: Sequence[str]) -> int:
    """Play, print the summary, and return 0 where all survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.loop", description=__doc__)
    parser.add_argument("--count", type=int, default=sys.maxsize, help="how many injections")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long at most")
    parser.add_argument("--seed", default="1", help="the same seed plays the same rounds")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these; several times for several")
    args = parser.parse_args(argv)
    begun = time.monotonic()
    tally = loop(args.count, args.seconds, args.seed, args.kind or list(KINDS))
    print(tally.summary(args.seed, time.monotonic() - begun))
    return 1 if tally.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
