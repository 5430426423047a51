# SPDX-License-Identifier: Apache-2.0
"""Files: none grows out of hand, each says its licence and what it is for."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_MOST_LINES = 700
_LICENCE = "# SPDX-License-Identifier: Apache-2.0"


def _sources(package: str) -> Iterator[Path]:
    for path in sorted((ROOT / package).rglob("*.py")):
        relative = path.relative_to(ROOT)
        if relative.parts[:3] != ("core", "demo", "tree"):
            yield relative


def test_files_stay_small() -> None:
    long = {
        str(source): lines
        for package in ("core", "tui", "tests")
        for source in _sources(package)
        if (lines := len((ROOT / source).read_text(encoding="utf-8").splitlines())) > _MOST_LINES
    }
    assert long == {}, f"a file is one idea and has at most {_MOST_LINES} lines: find the second idea"


def test_every_source_says_its_licence_and_its_duty() -> None:
    bare = []
    for source in (*_sources("core"), *_sources("tui")):
        lines = (ROOT / source).read_text(encoding="utf-8").splitlines()
        if lines[:1] != [_LICENCE] or not lines[1].startswith('"""'):
            bare.append(str(source))
    assert bare == [], f"the first line is {_LICENCE!r}, and the docstring begins on the second"


def test_handlers_call_no_handlers_of_their_base() -> None:
    """Textual calls those of every class of an object itself: with `super()` they would do their work twice."""
    called = re.compile(r"super\(\)\.on_(?!event\b)\w+\(")
    found = {path.name: called.findall(path.read_text(encoding="utf-8")) for path in (ROOT / "tui").rglob("*.py")}
    assert {name: calls for name, calls in found.items() if calls} == {}
