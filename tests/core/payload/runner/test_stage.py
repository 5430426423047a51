# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.stage: the file, written only where the environment asks for it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.runner import stage


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(tmp_path)
    monkeypatch.setenv(stage.SWITCH, "1")
    yield
    os.chdir(before)


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("FE_COMPILATION_START", "FAILED_FE_COMPILATION"),
        ("TTMLIR_COMPILATION_START", "FAILED_TTMLIR_COMPILATION"),
        ("RUNTIME_EXECUTION_START", "FAILED_RUNTIME"),
        ("LUNCH", "UNKNOWN"),
        ("", "UNKNOWN"),
    ],
)
def test_how_far_it_came(written: str, status: str) -> None:
    stage.write(written)
    assert stage.failed_at() == status


def test_it_begins_with_the_front_end_and_leaves_nothing() -> None:
    stage.write()
    assert stage.failed_at() == "FAILED_FE_COMPILATION"
    stage.remove()
    stage.remove()
    assert not stage.FILE.exists()
    assert stage.failed_at() == "UNKNOWN"


def test_nothing_is_touched_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(stage.SWITCH)
    stage.write()
    assert not stage.FILE.exists()
    stage.FILE.write_bytes(b"RUNTIME_EXECUTION_START\n")
    stage.remove()
    assert stage.failed_at() == "FAILED_RUNTIME"
    stage.FILE.write_bytes(b"\xff")
    assert stage.failed_at() == "UNKNOWN"
