# SPDX-License-Identifier: Apache-2.0
"""core.runs.store.index: it returns what the directories contain, and its faults never matter."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs import Outcome
from core.runs.store import Finished, RunRecord, RunStore, append_event, events_file
from core.runs.store.index import Index
from tests.core.runs.conftest import MakeSpec


@pytest.fixture
def records(store: RunStore, make_spec: MakeSpec) -> dict[str, RunRecord]:
    """Ended runs as read from their directories; the store has cached nothing."""
    ends = (
        Finished(9.0, Outcome.PASS, 1.5, 0, result={"phases": [], "pcc": 0.5}),
        Finished(9.0, Outcome.CRASH, 0.0, signal=11, stage="RUNTIME_EXECUTION_START"),
        Finished(9.0, Outcome.LOST, detail="\udce4 odd"),
    )
    for moment, end in enumerate(ends):
        append_event(events_file(store.create(make_spec(moment=moment))), end)
    return {record.spec.run_id: record for record in store.records()}


def test_the_index_gives_back_what_the_directories_say(records: dict[str, RunRecord], store: RunStore) -> None:
    index = Index(store.root / "index.sqlite")
    assert index.load(store.root) == records
    assert {record.spec.run_id: record for record in RunStore(store.root).records()} == records


def test_only_what_changed_is_written(records: dict[str, RunRecord], tmp_path: Path, store: RunStore) -> None:
    index = Index(tmp_path / "own.sqlite")
    assert index.load(store.root) == {}
    index.save(records, {})
    first, *rest = records
    fewer = {run_id: records[run_id] for run_id in rest}
    index.save(fewer, {})
    assert Index(tmp_path / "own.sqlite").load(store.root) == fewer
    assert first not in fewer


def test_another_process_finds_what_was_stored(records: dict[str, RunRecord], store: RunStore) -> None:
    Index(store.root / "index.sqlite").save(records, {})
    script = f"from pathlib import Path; from {Index.__module__} import Index; print(*Index(Path({str(store.root / 'index.sqlite')!r})).load(Path('/')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == sorted(records)


_DAMAGES = {
    "version": "PRAGMA user_version = 99",
    "row": "UPDATE runs SET body = '[1]'",
    "torn row": "UPDATE runs SET body = substr(body, 1, 40)",
}


@pytest.mark.parametrize("damage", ["text", "version", "row", "torn row", "directory"])
def test_a_damaged_index_is_made_anew(records: dict[str, RunRecord], store: RunStore, damage: str) -> None:
    file = store.root / "index.sqlite"
    if damage == "text":
        file.write_text("no database at all, and long enough to be taken for one" * 100)
    elif damage == "directory":
        file.unlink()
        file.mkdir()
    else:
        with sqlite3.connect(file) as connection:
            connection.execute(_DAMAGES[damage])
        connection.close()
    assert {record.spec.run_id: record for record in RunStore(store.root).records()} == records
    if damage != "directory":
        assert Index(file).load(store.root) == records
