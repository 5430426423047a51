# SPDX-License-Identifier: Apache-2.0
"""core.runs.minder: what it writes down; what it does is tested where a scheduler starts it."""

import json
from pathlib import Path

import pytest

from core.runs.launch import launch, wait
from core.runs.minder import Exit, read_exit
from core.runs.store import RunStore

from .conftest import MakeSpec


@pytest.mark.parametrize("text", ["", " " * 1024, "{", "[]", '{"code": 0}', '{"at": 1, "code": "x", "error": ""}'])
def test_what_is_not_written_yet_is_no_exit(tmp_path: Path, text: str) -> None:
    assert read_exit(tmp_path) is None
    (tmp_path / "exit.json").write_text(text)
    assert read_exit(tmp_path) is None


def test_an_exit_is_read_whatever_room_was_kept_for_it(tmp_path: Path) -> None:
    (tmp_path / "exit.json").write_text(json.dumps({"at": 2.5, "code": -11, "error": ""}).ljust(1024))
    assert read_exit(tmp_path) == Exit(2.5, -11)


def test_the_end_is_on_the_disk_beside_the_events(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec("report(); raise SystemExit(1)")
    launch(store, spec)
    record = wait(store, [spec.run_id])[0]
    end = read_exit(record.directory)
    assert end
    assert (end.code, end.error) == (1, "")
    assert record.started is not None
    assert end.at >= record.started
