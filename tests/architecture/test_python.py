# SPDX-License-Identifier: Apache-2.0
"""Python is read in one place: nobody else parses it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_HOME = ROOT / "core/python"
_OWN = ("core/payload", "core/demo/tree")
"""Code of other interpreters, and data."""
_PARSES = re.compile(r"\bast\.parse\(|\bsymtable\.symtable\(")


def test_only_one_package_parses_python() -> None:
    found = []
    for file in (one for package in ("core", "tui") for one in sorted((ROOT / package).rglob("*.py"))):
        path = file.relative_to(ROOT).as_posix()
        if not path.startswith(_OWN) and _HOME not in file.parents:
            lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
            found += [f"{path}:{number}" for number, line in lines if _PARSES.search(line)]
    assert found == [], "use parse_python, Program or Resolver of core.python"
