# SPDX-License-Identifier: Apache-2.0
"""Every core file has its own test file, and no file grows out of hand."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_MOST_LINES = 500


def _sources(package: str) -> Iterator[Path]:
    for path in sorted((ROOT / package).rglob("*.py")):
        relative = path.relative_to(ROOT)
        if relative.parts[:3] != ("core", "demo", "tree"):
            yield relative


def test_every_core_file_has_a_test_file() -> None:
    missing = []
    for source in _sources("core"):
        wanted = Path("tests") / source.parent / f"test_{source.name}"
        if source.name != "__init__.py" and not (ROOT / wanted).is_file():
            missing.append(str(wanted))
    assert missing == []


def test_no_test_file_is_left_over() -> None:
    orphans = []
    for test in sorted((ROOT / "tests" / "core").rglob("test_*.py")):
        source = test.relative_to(ROOT / "tests").with_name(test.name.removeprefix("test_"))
        if not (ROOT / source).is_file():
            orphans.append(str(test.relative_to(ROOT)))
    assert orphans == []


def test_files_stay_small() -> None:
    long = {
        str(source): lines
        for package in ("core", "tui", "tests")
        for source in _sources(package)
        if (lines := len((ROOT / source).read_text(encoding="utf-8").splitlines())) > _MOST_LINES
    }
    assert long == {}


def test_every_source_says_its_licence_and_its_duty() -> None:
    bare = []
    for source in (*_sources("core"), *_sources("tui")):
        lines = (ROOT / source).read_text(encoding="utf-8").splitlines()
        if lines[:1] != ["# SPDX-License-Identifier: Apache-2.0"] or not lines[1].startswith('"""'):
            bare.append(str(source))
    assert bare == []
