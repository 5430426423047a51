# SPDX-License-Identifier: Apache-2.0
"""Hand-written tests that ask for a scheduled job, and that none selects."""

import json
from pathlib import Path

import pytest

from core.doctor.hand_written import test_findings as findings_of_tests
from core.matrix.cache import Cache
from tests.core.doctor.test_presets import FILES
from tests.support.tree import LOADERS, write_checkout

JOB = {"runs-on": "n150", "name": "ops", "dir": "./tests/torch", "test-mark": "nightly and single_device"}


@pytest.mark.parametrize(
    ("marks", "found"),
    [
        (("nightly",), True),
        (("nightly", "llmbox"), True),
        (("nightly", "single_device"), False),
        (("skip", "nightly"), False),
        (("single_device",), False),
    ],
)
def test_marked_for_a_schedule_and_selected_by_no_job(tmp_path: Path, marks: tuple[str, ...], found: bool) -> None:
    checkout = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    decorators = "".join(f"@pytest.mark.{mark}\n" for mark in marks)
    parametrized = '@pytest.mark.parametrize("a", [1, 2])\ndef test_b(a): ...\n'
    files = {
        **FILES,
        "tests/torch/test_add.py": f"import pytest\n\n\n{decorators}{parametrized}",
        ".github/workflows/test-matrix-presets/one.json": json.dumps([JOB]),
    }
    for path, text in files.items():
        (checkout.root / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout.root / path).write_text(text)
    found_of = [(one.kind, one.line) for one in findings_of_tests(Cache(checkout, tmp_path / "cache"))]
    assert found_of == ([("no-job", 4 + len(marks) + 1)] if found else [])


def test_tests_whose_file_raises_are_not_said_to_lack_a_job(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    test = "import pytest\nX = gone\n\n\n@pytest.mark.nightly\n@X.mark\ndef test_a(): ...\n"
    preset = {".github/workflows/test-matrix-presets/one.json": json.dumps([JOB])}
    for path, text in {**FILES, **preset, "tests/torch/test_add.py": test}.items():
        (checkout.root / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout.root / path).write_text(text)
    assert [one.kind for one in findings_of_tests(Cache(checkout, tmp_path / "cache"))] == ["broken-test"]
