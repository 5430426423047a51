# SPDX-License-Identifier: Apache-2.0
"""core.runs.store.store: the files of a run that are not the record's own."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.base.errors import UsageError
from core.runs.store import artefacts, find_artefact


@pytest.fixture
def record(tmp_path: Path) -> Any:
    run = tmp_path / "run"
    (run / "ir").mkdir(parents=True)
    for name in ("spec.json", "events.jsonl", "output.log", "junit.xml", "ir/forward.stablehlo.mlir", "ir/spec.json"):
        (run / name).touch()
    (tmp_path / "secret").touch()
    (run / "link").symlink_to(tmp_path / "secret")
    return SimpleNamespace(directory=run, spec=SimpleNamespace(run_id="20260101-000000-abcdef"))


def test_what_was_stored_is_named(record: Any) -> None:
    assert artefacts(record) == ["ir/forward.stablehlo.mlir", "ir/spec.json", "junit.xml"]
    assert find_artefact(record, "ir/spec.json") == record.directory / "ir/spec.json"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "link", "spec.json", "ir", "absent"])
def test_nothing_else_is_given(record: Any, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_artefact(record, name)
    assert "ir/forward.stablehlo.mlir" in caught.value.detail


def test_a_run_that_is_gone_saved_nothing(record: Any, tmp_path: Path) -> None:
    assert artefacts(SimpleNamespace(directory=tmp_path / "absent")) == []  # type: ignore[arg-type]
