# SPDX-License-Identifier: Apache-2.0
"""Branch coverage by package against its floor: `make coverage` fails if a package has less than before.

`python -m tests.floors REPORT` reads the output of `coverage json` and prints a line per package. With `--raise`
the floors in `floors.toml` rise to the current values; they are never lowered automatically.
"""

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

TABLE = Path(__file__).with_name("floors.toml")
_HEAD = """\
# Least branch coverage of a package by the tests that are not slow, in percent. `make coverage` compares.
# A floor is two points, and at least two branches, below what was measured: which thread comes first, and which examples
# of a law are tried, decides some branches. After a change that raises coverage: `python -m tests.floors REPORT --raise`.
"""
_SLACK = 2.0
_SLACK_BRANCHES = 2
"""Allowed random variation, in percent and in branches; the larger one counts."""

Report = Mapping[str, Mapping[str, Mapping[str, Mapping[str, int]]]]
"""The output of `coverage json`."""


def package_of(path: str) -> str:
    """`core/edits/yaml/splice.py` is part of `core.edits`, `core/base/files/codec.py` of `core.base`."""
    return ".".join(Path(path).parts[:-1][:2])


def branches(report: Report) -> dict[str, int]:
    """The number of branches by package; packages without any are left out."""
    there = Counter[str]()
    for path, file in report["files"].items():
        there[package_of(path)] += file["summary"]["num_branches"]
    return {package: there[package] for package in sorted(there) if there[package]}


def measured(report: Report) -> dict[str, float]:
    """The percentage of branches taken, by package."""
    taken = Counter[str]()
    for path, file in report["files"].items():
        taken[package_of(path)] += file["summary"]["covered_branches"]
    return {package: 100 * taken[package] / there for package, there in branches(report).items()}


def below(found: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """The problems: a package below its floor, without a floor, or with a floor but no measurement."""
    wrong = [
        f"{name}: {found[name]:.1f} %, below its floor of {floors[name]:.0f} %"
        for name in sorted(found.keys() & floors.keys())
        if found[name] < floors[name]
    ]
    wrong += [f"{name}: {found[name]:.1f} %, and no floor" for name in sorted(found.keys() - floors.keys())]
    return wrong + [f"{name}: a floor, and nothing measured" for name in sorted(floors.keys() - found.keys())]


def raised(found: Mapping[str, float], floors: Mapping[str, float], there: Mapping[str, int]) -> dict[str, float]:
    """New floors, slightly below the measured values; `there` are the branches of each package."""
    slack = {name: max(_SLACK, 100 * _SLACK_BRANCHES / there[name]) for name in found}
    return {name: max(floors.get(name, 0), int(found[name] - slack[name])) for name in sorted(found)}


def main(argv: list[str]) -> int:
    """Run the command; 1 if a package is below its floor."""
    parser = argparse.ArgumentParser(description="Compare branch coverage by package with its floors.")
    parser.add_argument("report", type=Path)
    parser.add_argument("--raise", dest="up", action="store_true", help="move the floors up to what there is now")
    given = parser.parse_args(argv)
    report: Report = json.loads(given.report.read_text())
    found = measured(report)
    floors: dict[str, float] = tomllib.loads(TABLE.read_text()) if TABLE.is_file() else {}
    if given.up:
        floors = raised(found, floors, branches(report))
        TABLE.write_text(_HEAD + "".join(f'"{name}" = {floor:.0f}\n' for name, floor in floors.items()))
    for name, percent in found.items():
        print(f"{name:24} {percent:5.1f} %   floor {floors.get(name, 0):3.0f} %")
    wrong = below(found, floors)
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
