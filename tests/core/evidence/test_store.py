# SPDX-License-Identifier: Apache-2.0
"""core.evidence.store: nothing counts twice, no order matters, and what was added stays."""

import math
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.errors import TTMatrixError
from core.evidence.observation import Ending, Observation
from core.evidence.store import Added, EvidenceStore, evidence_stamp, store_file
from tests.support.evidence import report, seen


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(tmp_path / "evidence" / "x.sqlite")


def test_observations_come_back_as_they_were(store: EvidenceStore) -> None:
    full = seen(
        Ending.CRASHED,
        when=2.0,
        pcc=0.5,
        pcc_required=0.99,
        pcc_checked=False,
        guidance=("A", "B"),
        signal=11,
        reason="µ",
    )
    store.add([report(full, seen(when=1.0))])
    assert store.observations() == [seen(when=1.0), full]
    assert EvidenceStore(store.file).observations() == store.observations()


@pytest.mark.parametrize("when", [-62135679600.0, 253402383599.0, math.inf, math.nan])
@pytest.mark.parametrize("seconds", [math.inf, -1.0])
def test_a_store_that_holds_what_no_calendar_has_is_read(store: EvidenceStore, when: float, seconds: float) -> None:
    store.add([report(seen(when=when, seconds=seconds), seen(when=1.0, run="b"))])
    assert {(one.when, one.seconds) for one in store.observations()} == {(0.0, 0.0), (1.0, seen().seconds)}


def test_a_number_that_the_store_cannot_hold_is_told(store: EvidenceStore) -> None:
    with pytest.raises(TTMatrixError, match="cannot be read or written"):
        store.add([report(seen(), attempt=10**30)])


def test_a_report_is_known_by_its_content(store: EvidenceStore) -> None:
    first, again = report(seen(run="b"), run="b"), report(seen(run="a"), run="a")
    assert store.add([first, first]) == Added(1, 1)
    assert store.add([again]) == Added(0, 1)
    assert [one.run for one in store.observations()] == ["a"]
    # What a person has said counts before any path.
    store.add([report(seen(run="z"), run="z", given=True)])
    store.add([again])
    assert [one.run for one in store.observations()] == ["z"]


reports = st.lists(
    st.builds(
        lambda digest, run, given, ending, attempt: report(
            seen(ending, run=run, source=digest), digest=digest, run=run, given=given, attempt=attempt
        ),
        st.sampled_from("abcd"),
        st.sampled_from("xyz"),
        st.booleans(),
        # What a digest stands for is always the same.
        st.just(Ending.FAILED),
        st.integers(0, 2),
    ),
    max_size=6,
)


@given(reports, st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matters(tmp_path_factory: pytest.TempPathFactory, some: list, random) -> None:  # type: ignore[type-arg,no-untyped-def]
    by_place = {(one.digest, one.run, one.given): one for one in some}
    some = list(by_place.values())
    one, other = (EvidenceStore(tmp_path_factory.mktemp("store") / "x.sqlite") for _ in range(2))
    one.add(some)
    shuffled = some * 2
    random.shuffle(shuffled)
    for single in shuffled:
        other.add([single])
    assert one.observations() == other.observations()


def test_another_instance_is_seen(store: EvidenceStore) -> None:
    other = EvidenceStore(store.file)
    store.add([report(seen(), digest="a")])
    assert len(other.observations()) == 1
    store.add([report(seen(), digest="b")])
    assert len(other.observations()) == 2
    other.observations().clear()
    assert len(other.observations()) == 2


def test_without_a_file_nothing_is_known_and_none_is_made(store: EvidenceStore) -> None:
    assert store.observations() == []
    assert not store.file.exists()


def test_what_an_older_ttmatrix_wrote_is_read(store: EvidenceStore) -> None:
    store.add([report(seen(commit="abc", reason="x"))])
    with sqlite3.connect(store.file) as connection:
        names = connection.execute("SELECT fields FROM reports").fetchone()[0]
        connection.execute("UPDATE reports SET fields = ?", (names.replace("models_commit", "something_gone"),))
    connection.close()
    (one,) = EvidenceStore(store.file).observations()
    assert one == seen(commit="abc", reason="x")


def test_before_slow_and_hung_were_told_apart_one_word_stood_for_both(store: EvidenceStore) -> None:
    store.add([report(seen(Ending.HUNG, reason="Failed: Timeout (>60.0s)"), seen(), digest="old")])
    with sqlite3.connect(store.file) as connection:
        names = connection.execute("SELECT fields FROM reports").fetchone()[0]
        connection.execute("UPDATE reports SET fields = ?", (names.replace("raised", "something_gone"),))
    connection.close()
    store.add([report(seen(Ending.HUNG, run="b"), digest="new")])
    found = {one.run: one.ending for one in EvidenceStore(store.file).observations() if one.reason or one.run == "b"}
    assert found == {"nightly": Ending.OUT_OF_TIME, "b": Ending.HUNG}


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b""])
def test_a_damaged_file_is_an_error_that_says_where(store: EvidenceStore, damage: bytes) -> None:
    store.add([report(seen())])
    store.file.write_bytes(damage)
    if not damage:
        assert store.observations() == []
        return
    with pytest.raises(TTMatrixError, match="cannot be read") as caught:
        store.observations()
    assert str(store.file) in caught.value.detail


def test_one_of_a_newer_ttmatrix_is_left_alone(store: EvidenceStore) -> None:
    store.add([report(seen())])
    with sqlite3.connect(store.file) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(TTMatrixError, match="cannot be read") as caught:
        store.add([report(seen(), digest="b")])
    assert "newer" in caught.value.detail


_ADDS = """
import sys
from pathlib import Path
from core.evidence.store import EvidenceStore
from tests.support.evidence import report, seen
store = EvidenceStore(Path(sys.argv[1]))
for number in range(10_000):
    store.add([report(*[seen(test_id=str(n)) for n in range(50)], digest=f"{sys.argv[2]}{number}")])
    print(number, flush=True)
"""


def test_killed_over_its_writing_it_holds_what_was_added(store: EvidenceStore) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", _ADDS, str(store.file)]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True, env=environment) for name in "ab"]
    told = []
    for writer in writers:
        assert writer.stdout is not None
        told.append(max(int(writer.stdout.readline()) for _ in range(5)))
        os.kill(writer.pid, signal.SIGKILL)
    for writer in writers:
        writer.communicate()
    found: list[Observation] = store.observations()
    assert len(found) % 50 == 0
    assert len(found) >= 50 * sum(number + 1 for number in told)
    assert store.add([report(seen(), digest="after")]) == Added(1, 0)


def test_each_checkout_has_a_file_of_its_own_however_it_is_named(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    (tmp_path / "link").symlink_to(one)
    assert store_file(tmp_path, one) == store_file(tmp_path, tmp_path / "link")
    assert store_file(tmp_path, one) != store_file(tmp_path, other)
    assert store_file(tmp_path, one).parent == tmp_path


def test_what_is_ingested_is_another_stamp(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    nothing = evidence_stamp(file, [])
    file.write_bytes(b"1")
    assert evidence_stamp(file, []) != nothing
    assert evidence_stamp(file, []) == evidence_stamp(file, [])
