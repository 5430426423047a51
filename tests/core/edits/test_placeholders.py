# SPDX-License-Identifier: Apache-2.0
"""Removing a placeholder: only its lines go, and a replacing entry is added beside its siblings."""

from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.edits import Operation, OpKind, model_tests_of, plan, planned_models, promotion, removal
from core.matrix import Matrix, index
from core.sources import ModelInfos
from tests.support.tree import INFERENCE, LOADERS, YAML, write_checkout

FILE = "torch/test_config_placeholders.yaml"
PLACEHOLDERS = """\
# Planned.
PLACEHOLDER_MODELS:
  # The first.
  org/Delta:
    bringup_status: FAILED_RUNTIME
    reason: "Waits for a kernel"

  Other Model:
    bringup_status: NOT_STARTED
"""
WITHOUT_DELTA = """\
# Planned.
PLACEHOLDER_MODELS:
  Other Model:
    bringup_status: NOT_STARTED
"""
TEST = "delta/pytorch-single_device-inference"
TINY = "alpha/pytorch-tiny-single_device-inference"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(write_checkout(tmp_path, LOADERS, YAML | {FILE: PLACEHOLDERS}))


def _planned(matrix: Matrix, operations: tuple[Operation, ...]) -> dict[str, tuple[str, str]]:
    planned = plan(matrix.checkout.test_config, operations, matrix.schema)
    assert not planned.rejected
    return {edit.file: (edit.before, edit.after) for edit in planned.files}


def test_the_tests_of_a_directory_of_its_name(matrix: Matrix) -> None:
    found = model_tests_of(matrix, ModelInfos({}, {}), planned_models(matrix))
    assert found["Other Model"] == []
    assert found["org/Delta"][0] == TEST
    assert len(found["org/Delta"]) == len(set(found["org/Delta"])) > 1
    assert all(id.startswith("delta/pytorch-") for id in found["org/Delta"])


def test_a_removal_takes_its_lines_and_no_other(matrix: Matrix) -> None:
    operations = removal(matrix, ["org/Delta"])
    assert operations == (Operation(OpKind.REMOVE, "org/Delta", FILE),)
    assert _planned(matrix, operations) == {FILE: (PLACEHOLDERS, WITHOUT_DELTA)}


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        ("UNSPECIFIED", ["    status: UNSPECIFIED"]),
        ("EXPECTED_PASSING", ["    status: EXPECTED_PASSING"]),
        (
            "KNOWN_FAILURE_XFAIL",
            [
                "    status: KNOWN_FAILURE_XFAIL",
                "    bringup_status: FAILED_RUNTIME",
                '    reason: "Waits for a kernel"',
            ],
        ),
    ],
)
def test_an_entry_comes_for_it(matrix: Matrix, status: str, lines: list[str]) -> None:
    texts = _planned(matrix, promotion(matrix, "org/Delta", [TEST], status))
    assert texts[FILE] == (PLACEHOLDERS, WITHOUT_DELTA)
    before, after = texts[INFERENCE]
    assert after.startswith(before)
    assert [line for line in after.removeprefix(before).split("\n") if line] == [f"  {TEST}:", *lines]


def test_an_entry_that_is_there_stays_as_it_is(matrix: Matrix) -> None:
    assert TINY in matrix.entries
    assert promotion(matrix, "Other Model", [TINY], "UNSPECIFIED") == removal(matrix, ["Other Model"])


@pytest.mark.parametrize(
    ("name", "id", "status", "words"),
    [
        ("Nothing", TEST, "UNSPECIFIED", "There is no placeholder 'Nothing'"),
        ("org/Delta", "gone/pytorch-single_device-inference", "UNSPECIFIED", "There is no test"),
        ("org/Delta", TEST, "EXCLUDE_MODEL", "A new entry cannot have the status 'EXCLUDE_MODEL'"),
    ],
)
def test_what_cannot_be_is_refused(matrix: Matrix, name: str, id: str, status: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        promotion(matrix, name, [id], status)
