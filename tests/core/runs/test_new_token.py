# SPDX-License-Identifier: Apache-2.0
"""core.runs.spec: ids of runs that are planned in the same second never collide."""

import os
import secrets
from datetime import UTC, datetime

import pytest

from core.runs.spec import new_token, run_id

NOW = datetime(2026, 11, 27, 22, 0, tzinfo=UTC)


def test_twenty_thousand_runs_of_one_second_have_as_many_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)
    assert len({run_id(NOW, new_token()) for _ in range(20_000)}) == 20_000


def test_the_rest_of_a_token_is_random() -> None:
    tokens = [new_token() for _ in range(100)]
    assert len({token[6:] for token in tokens}) == 100
    assert {len(token) for token in tokens} == {32}


def test_a_forked_process_counts_from_elsewhere() -> None:
    new_token()
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writable, new_token()[:6].encode())
        os._exit(0)
    os.waitpid(pid, 0)
    theirs, ours = int(os.read(readable, 6), 16), int(new_token()[:6], 16)
    os.close(readable)
    os.close(writable)
    assert abs(theirs - ours) > 1 or theirs != ours, "with one start both would be the next number"
