# SPDX-License-Identifier: Apache-2.0
"""Reports made by really running pytest, plain and forked, over tests that end and record as tt-xla's do (docs/rules.md 4.4)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_SOURCES = Path(__file__).parent / "corpus_files"
RUNNER = "tests/runner"


def make_report(directory: Path, *arguments: str, forked: bool = False) -> Path:
    """The JUnit file of one session of pytest over the corpus; `arguments` go to pytest."""
    if forked:
        pytest.importorskip("pytest_forked", reason="pytest-forked is one of the dev extras")
    runner = directory / RUNNER
    runner.mkdir(parents=True, exist_ok=True)
    for source in _SOURCES.glob("*.py.txt"):
        (runner / source.name.removesuffix(".txt")).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    (directory / "pytest.ini").write_text("[pytest]\nmarkers = crash\n")
    report = directory / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", RUNNER]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugin = ["-p", "pytest_forked", "--forked"] if forked else ["-m", "not crash"]
    done = subprocess.run(
        [*command, *plugin, *arguments], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert report.is_file(), done.stdout + done.stderr
    return report
