# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix diff` and `uplift`, beside what listing both sides says.

`python -m tests.bench.uplifts DIR [UPLIFTS [FAR [ANY [MODELS]]]]`: the last uplifts, pairs of commits that are far apart,
pairs drawn at random (merges among them, if there are any), and pairs of commits of the models alone.
DIR is a clone of tt-xla with its models; both are only read. A work tree is made beside it for the listings.
Prints what reading a commit costs, a table for docs/diff.md, and every id in which the two answers differ. Times are
processor times.
"""

import json
import os
import random
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from core.base.processes import run_command

MODELS = "third_party/tt_forge_models"
_SUBJECT = "^Uplift third_party/tt_forge_models"
_COUNT, _FAR, _APART = 30, 15, 110
"""How many uplifts, how many other pairs, and how many commits lie between those at least."""
_SEED = 44
_RECENT = 1200
"""So many commits back those go that are drawn."""


class Listed(NamedTuple):
    """What listing a work tree says."""

    tests: frozenset[str]
    entries: Mapping[str, Mapping[str, Any]]

    @property
    def strays(self) -> frozenset[str]:
        """Entries without a test."""
        return frozenset(self.entries.keys() - self.tests)


class Pair(NamedTuple):
    """Two states: of tt-xla, or with `models` of the models at HEAD."""

    before: str
    after: str
    models: bool = False

    @property
    def words(self) -> tuple[str, str]:
        return "uplift" if self.models else "diff", f"{self.before}..{self.after}"


def main(clone: Path, count: int = _COUNT, far: int = _FAR, drawn: int = 0, models: int = 0) -> int:
    """Compare all pairs; return how many of them differ."""
    pairs = [*_uplifts(clone, count), *_far(clone, far), *_drawn(clone, drawn)]
    pairs += [Pair(*one[:2], models=True) for one in _drawn(clone / MODELS, models)]
    _cost(clone, _git(clone, "log", "--max-count=1", "--format=%h", f"--grep={_SUBJECT}"))
    print(
        "| commits | tests + | tests - | entries + | entries - | orphaned | reached | status | loaders | first | again |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    wrong = 0
    with TemporaryDirectory() as scratch:
        tree, listed = _tree(clone, Path(scratch) / "tree"), dict[tuple[str, bool], Listed]()
        for pair in pairs:
            said, first = _timed(clone, *pair.words)
            _, again = _timed(clone, *pair.words)
            found = _sets(said)
            sides = [(one, pair.models) for one in pair[:2]]
            for side in sides:
                if side not in listed:
                    listed[side] = _listed(tree, *side)
            expected = _expected(*(listed[side] for side in sides))
            counts = " | ".join(f"{len(ids):,}" for ids in found.values())
            print(
                f"| {' '.join(pair.words)} | {counts} | {len(said['loaders'])} | {first:.1f} s | {again:.2f} s |",
                flush=True,
            )
            for line in _differing(found, expected):
                print(line)
            wrong += found != expected
    print(f"\n{len(pairs) - wrong} of {len(pairs)} are the same")
    return wrong


def _uplifts(clone: Path, count: int) -> list[Pair]:
    commits = _git(clone, "log", f"--max-count={count}", "--format=%h", f"--grep={_SUBJECT}").split()
    return [Pair(f"{commit}~1", commit) for commit in reversed(commits)]


def _far(clone: Path, count: int) -> list[Pair]:
    every = _git(clone, "log", f"--max-count={count * _APART + 1}", "--format=%h").split()
    return [Pair(every[(at + 1) * _APART], every[at * _APART]) for at in range(count)]


def _drawn(clone: Path, count: int) -> list[Pair]:
    """Pairs in any order and at any distance, the same ones each time; merges first, as far as there are any."""
    chance = random.Random(_SEED)
    every = _git(clone, "log", f"--max-count={_RECENT}", "--format=%h").split()
    merges = _git(clone, "log", "--merges", f"--max-count={_RECENT}", "--format=%h", f"{every[-1]}..HEAD").split()
    picked = [*chance.sample(merges, min(len(merges), count // 2)), *chance.sample(every, 2 * count)][: 2 * count]
    return [Pair(one, other) for one, other in zip(picked[:count], picked[count:], strict=True)]


def _sets(said: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    tests, entries = said["tests"], said["entries"]
    names = (("tests", "added"), ("tests", "removed"), ("entries", "added"), ("entries", "removed"))
    found = {f"{part} {side}": frozenset({"tests": tests, "entries": entries}[part][side]) for part, side in names}
    changed = {(one["id"], one["arch"] or "") for one in entries["changed"] if one["field"] == "status"}
    return found | {
        "orphaned": frozenset(entries["orphaned"]),
        "reached": frozenset(entries["reached"]),
        "status": frozenset(id for id, _ in changed),
    }


def _expected(before: Listed, after: Listed) -> dict[str, frozenset[str]]:
    both = before.entries.keys() & after.entries
    return {
        "tests added": after.tests - before.tests,
        "tests removed": before.tests - after.tests,
        "entries added": frozenset(after.entries.keys() - before.entries),
        "entries removed": frozenset(before.entries.keys() - after.entries),
        "orphaned": frozenset(both & after.strays - before.strays),
        "reached": frozenset(both & before.strays - after.strays),
        "status": frozenset(id for id in both if _differ(*(one.entries[id]["statuses"] for one in (before, after)))),
    }


def _differ(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether a status is another one; an arch that came or went in between is none."""
    return any(one[arch] != other[arch] for arch in one.keys() & other)


def _differing(found: Mapping[str, frozenset[str]], expected: Mapping[str, frozenset[str]]) -> Iterator[str]:
    for name, ids in expected.items():
        yield from (f"  {name}: only in diff: {id}" for id in sorted(found[name] - ids))
        yield from (f"  {name}: only in the listings: {id}" for id in sorted(ids - found[name]))


def _listed(tree: Path, commit: str, models: bool) -> Listed:
    """List a commit, or one of the models, by checking it out."""
    _git(tree, "checkout", "--quiet", "--force", "start" if models else commit)
    _git(
        tree / MODELS, "checkout", "--quiet", "--force", commit if models else _git(tree, "rev-parse", f"HEAD:{MODELS}")
    )
    tests, entries = (_said(tree, "list", "--universe", name) for name in ("validator", "entries"))
    return Listed(frozenset(one["id"] for one in tests), {one["id"]: one for one in entries})


def _tree(clone: Path, place: Path) -> Path:
    for source, target in ((clone, place), (clone / MODELS, place / MODELS)):
        _git(clone, "clone", "--quiet", "--shared", "--no-checkout", str(source), str(target))
        if target == place:
            _git(place, "checkout", "--quiet", "HEAD")
            _git(place, "tag", "start")
            (place / MODELS).rmdir()
    return place


def _timed(tree: Path, *words: str, home: str | None = None) -> tuple[Any, float]:
    """What a command says, and the processor time of it and all of its processes: others may keep the machine busy."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = _said(tree, *words, home=home)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _cost(clone: Path, after: str) -> None:
    """What reading two commits takes, beside a start without any cache that reads the work tree."""
    with TemporaryDirectory() as home, TemporaryDirectory() as other:
        _, cold = _timed(clone, "doctor", home=home)
        _, warm = _timed(clone, "doctor", home=home)
        words = ("diff", f"{after}~1..{after}")
        _, both = _timed(clone, *words, home=other)
        _, again = _timed(clone, *words, home=other)
        _, next_one = _timed(clone, "diff", f"{after}~2..{after}", home=other)
    print(f"a cold doctor {cold:.1f} s, a warm one {warm:.2f} s")
    print(f"{' '.join(words)}: first {both:.1f} s, again {again:.2f} s; one more state {next_one:.1f} s\n")


def _said(tree: Path, *words: str, home: str | None = None) -> Any:
    command = [sys.executable, "-m", "tui", *words, "--json", "--repo", str(tree)]
    environ = {**os.environ, "TTMATRIX_HOME": home} if home else None
    done = subprocess.run(command, check=False, capture_output=True, env=environ)
    assert done.returncode in (0, 1), done.stderr.decode()
    return json.loads(done.stdout)


def _git(root: Path, *words: str) -> str:
    done = run_command(["git", *words], cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
