# SPDX-License-Identifier: Apache-2.0
"""Whether the matrix is right to the last cell, by the checkout's own code: python -m tests.bench.exact CHECKOUT

Upstream's validator, collection, markers, presets and model infos are asked in a child process (`upstream.py`), and
every answer is compared as a whole set with ours.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from core.base.text import elide_middle
from core.ci import Ci, Selector, groups, read_ci, read_selector, selected
from core.ci.markers import markers
from core.doctor import examine
from core.domain.ids import TestId
from core.matrix import Matrix, Universe, index
from core.matrix.cache import Cache
from core.sources import Checkout, ModelInfos, find_checkout, read_model_infos
from core.sources.ci import read_presets

_SHOWN = 3
_WIDEST = 240

PINNED: Mapping[str, Mapping[str, int]] = {
    "95c1c1ce7": {
        "validator ids": 21_072,
        "collected items": 107_679,
        "doctor no-job": 191,
        "doctor broken-loader": 4,
        "doctor dead-override": 5,
        "doctor duplicate-key": 1,
        "doctor misfiled": 2,
        "doctor redundant-override": 10 + 6,
        "doctor redundant-default": 34 + 3,
        "doctor pcc-conflict of entries": 2,
        "doctor no-status": 2,
    }
}
"""Numbers counted by hand at a commit (docs/rules.md 2.8, 10.1)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line of the table."""

    check: str
    compared: int
    """How many members the union of both sets has."""
    differences: tuple[str, ...] = ()
    not_checked: str = ""
    """Why the check was not possible; empty: it was made."""


def compare(check: str, ours: Set[Any], theirs: Set[Any]) -> Outcome:
    """Compare both sets; lists the first members that only one of them has."""
    more, less = (sorted(elide_middle(str(one), _WIDEST) for one in rest) for rest in (ours - theirs, theirs - ours))
    told = [f"{len(more):,} only here: {', '.join(more[:_SHOWN])}"] if more else []
    told += [f"{len(less):,} only upstream: {', '.join(less[:_SHOWN])}"] if less else []
    return Outcome(check, len(ours | theirs), tuple(told))


@dataclass
class Ours:
    """ttmatrix's view of a checkout."""

    checkout: Checkout

    @cached_property
    def matrix(self) -> Matrix:
        return index(self.checkout)

    @cached_property
    def collected(self) -> Matrix:
        return index(self.checkout, Universe.COLLECTED)

    @cached_property
    def infos(self) -> ModelInfos:
        return read_model_infos(self.checkout, self.matrix.loaders.values())

    @cached_property
    def selector(self) -> Selector:
        return read_selector(self.collected, groups(self.infos.known))[0]

    @cached_property
    def ci(self) -> Ci:
        return read_ci(self.matrix, self.infos)

    def items(self) -> Iterator[tuple[str, int]]:
        """Every item as `function[id]`, with its row."""
        for row, id in enumerate(self.collected.ids):
            if id not in self.collected.strays:
                for function in self.collected.functions(row):
                    yield f"{function}[{id}]", row

    def markers(self, arch: str) -> Set[tuple[str, frozenset[str] | None]]:
        """Every item with its markers for `arch`; without any, it is deselected."""
        matrix, collection = self.collected, self.selector.collection
        return {
            (f"{traits.function}[{matrix.ids[row]}]", markers(traits, matrix.entry(row), arch or None))
            for row, found in collection.traits.items()
            for traits in found
        }

    def jobs(self) -> dict[str, set[str]]:
        """The items selected by each object of each preset, by file and place."""
        ids = self.collected.ids
        return {
            f"{preset.file} {number}": {f"{item.function}[{ids[item.row]}]" for item in self.selector.items(job)}
            for preset in read_presets(self.checkout)[0]
            for number, job in enumerate(preset.jobs)
        }

    def models(self) -> set[tuple[str, ...]]:
        """Name and group of every model that is collected."""
        matrix = self.collected
        loaders = {matrix.columns["loader"][matrix.rows[id]] for id in matrix.universe()}
        return {(str(key), info.name, info.group) for key, info in self.infos.known.items() if key[0] in loaders}

    def numbers(self) -> dict[str, int]:
        """The numbers that PINNED contains."""
        with tempfile.TemporaryDirectory() as scratch:
            findings = examine(Cache(self.checkout, Path(scratch)), self.matrix)
        counts = Counter(f"doctor {one.kind}" for one in findings)
        conflicts = [one for one in findings if one.kind == "pcc-conflict" and " on " not in one.message]
        return {
            "validator ids": len(self.matrix.universe()),
            "collected items": sum(1 for _ in self.items()),
            "doctor pcc-conflict of entries": len(conflicts),
            **counts,
        }


def outcomes(checkout: Checkout, commit: str) -> Iterator[Outcome]:
    """Every check, one after the other."""
    ours, theirs = Ours(checkout), ask_upstream(checkout)
    validator, collected = theirs["validator"], theirs["collected"]
    if isinstance(validator, list):
        yield compare("validator ids", set(ours.matrix.universe()), set(validator))
    else:
        yield Outcome("validator ids", 0, not_checked=validator["failed"])
    if "failed" in collected:
        yield Outcome("collected items, markers, jobs, models", 0, not_checked=collected["failed"])
    else:
        yield from _of_collection(ours, collected)
    yield _pins(ours, commit)


def _of_collection(ours: Ours, theirs: Mapping[str, Any]) -> Iterator[Outcome]:
    items: Sequence[str] = theirs["items"]
    yield compare("collected items", Counter(item for item, _ in ours.items()).items(), Counter(items).items())
    sets = [*map(frozenset, theirs["sets"]), None]
    for arch, codes in theirs["markers"].items():
        known = {(item, sets[code]) for item, code in zip(items, codes, strict=True)}
        yield compare(f"markers of every item, {f'--arch {arch}' if arch else 'no arch'}", ours.markers(arch), known)
    found = {name: {items[number] for number in numbers} for name, numbers in theirs["selected"].items()}
    mine = ours.jobs()
    yield compare("jobs of the presets", mine.keys(), found.keys())
    yield compare("what each job selects", _pairs(mine), _pairs(found))
    models = {(str(_key(id)), name, group) for id, (name, group) in theirs["infos"].items()}
    yield compare("names and groups of models", ours.models(), models)
    yield _unselected(ours, found)


def _unselected(ours: Ours, found: Mapping[str, set[str]]) -> Outcome:
    """Entries that no scheduled job selects: upstream's selections, with the schedules as we read them."""
    scheduled = {(job.file, job.index) for job in ours.ci.jobs}
    names = {
        f"{preset.file} {number}"
        for preset in read_presets(ours.checkout)[0]
        for number, job in enumerate(preset.jobs)
        if (job.file, job.index) in scheduled
    }
    run = {item.partition("[")[2][:-1] for name in names for item in found.get(name, ())}
    of_row = selected(ours.ci).of
    mine = {id for id in ours.matrix.entries if not of_row(ours.matrix.rows[id])}
    return compare("entries that no scheduled job selects", mine, ours.matrix.entries.keys() - run)


def _pairs(jobs: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    return {(name, item) for name, items in jobs.items() for item in items}


def _key(id: str) -> tuple[str, str | None]:
    parsed = TestId.parse(id)
    assert parsed, id
    return parsed.directory, parsed.variant


def _pins(ours: Ours, commit: str) -> Outcome:
    check = "numbers counted by hand"
    pinned = next((numbers for name, numbers in PINNED.items() if commit.startswith(name)), None)
    if pinned is None:
        return Outcome(check, 0, not_checked=f"nobody counted at commit {commit[:9] or 'unknown'}")
    numbers = ours.numbers()
    mine = {name: numbers.get(name, 0) for name in (*pinned, *(name for name in numbers if name.startswith("doctor")))}
    mine.pop("doctor pcc-conflict", None)
    return compare(check, mine.items(), pinned.items())


def ask_upstream(checkout: Checkout) -> dict[str, Any]:
    """The answers of `upstream.py`, isolated from our code and the user's plugins."""
    script = Path(__file__).with_name("upstream.py")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST"))}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch) / "answers.json"
        subprocess.run(
            [sys.executable, script, checkout.root, result],
            env=environment,
            cwd=scratch,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        answers: dict[str, Any] = json.loads(result.read_text())
    return answers


def _commit(checkout: Checkout) -> str:
    argv = ["git", "-C", str(checkout.root), "rev-parse", "HEAD"]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()


def report(found: Iterator[Outcome], say: Callable[[str], None] = print) -> bool:
    """Print a line for each check as it is made; returns whether there was no difference."""
    equal = True
    for one in found:
        state = "not checked" if one.not_checked else "DIFFERS" if one.differences else "ok"
        say(f"{state:12} {one.check:48} {f'{one.compared:,}' if one.compared else '':>9}  {one.not_checked}".rstrip())
        for line in one.differences:
            say(f"{'':12}   {line}")
        equal = equal and not one.differences
    return equal


def main() -> int:
    """Print the table; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    checkout = find_checkout(parser.parse_args().checkout)
    return 0 if report(outcomes(checkout, _commit(checkout))) else 1


if __name__ == "__main__":
    sys.exit(main())
