# SPDX-License-Identifier: Apache-2.0
"""core.evidence.store: nothing counts twice, order does not matter, and added results stay."""

import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.domain.model import Function
from core.evidence import RAN, Added, Ending, Observation, evidence_stamp, store_file
from core.evidence.observation import Attempt, fold_attempts, newest
from core.evidence.reports import STAND_IN, JUnitReport
from core.evidence.store import EvidenceStore, file_beside
from core.evidence.store_rows import StoredReport
from core.evidence.store_schema import VERSION
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


def test_a_number_that_the_store_cannot_hold_is_reported(store: EvidenceStore) -> None:
    with pytest.raises(TTMatrixError, match="cannot be read or written"):
        store.add([report(seen(), attempt=10**30)])


def test_a_report_is_known_by_its_content(store: EvidenceStore) -> None:
    first, again = report(seen(run="b"), run="b"), report(seen(run="a"), run="a")
    assert store.add([first, first]) == Added(1, 1)
    assert store.add([again]) == Added(0, 1)
    assert [one.run for one in store.observations()] == ["a"]
    # A person's choice takes precedence over any path.
    store.add([report(seen(run="z"), run="z", given=True)])
    store.add([again])
    assert [one.run for one in store.observations()] == ["z"]


def test_a_report_that_named_its_commits_keeps_them(store: EvidenceStore) -> None:
    bare, one = report(seen(run="a"), run="a"), report(seen(run="b", commit="abc"), run="b")
    both = report(seen(run="c", commit="abc", models_commit="def"), run="c")
    store.add([bare])
    assert store.add([one]) == Added(0, 1)
    assert [row.commit for row in store.observations()] == ["abc"]
    store.add([both])
    store.add([bare, one])
    assert [(row.commit, row.models_commit) for row in store.observations()] == [("abc", "def")]
    # A person's choice takes precedence.
    store.add([report(seen(run="z"), run="z", given=True)])
    assert [row.run for row in store.observations()] == ["z"]


@pytest.mark.parametrize("first", [(), (seen(run="a"),)])
def test_a_report_whose_results_were_left_out_is_read_again(
    store: EvidenceStore, first: tuple[Observation, ...]
) -> None:
    partial = report(*first, run="a", given=True, arch_given=True, counts=Counter({STAND_IN: 2}))
    whole = report(seen(run="b"), seen(run="b", test_id="x"), run="b")
    assert store.add([partial]) == Added(1, 0)
    assert store.add([whole]) == Added(0, 1)
    assert [row.run for row in store.observations()] == ["b", "b"]
    assert store.add([partial]) == Added(0, 1)
    assert [row.run for row in store.observations()] == ["b", "b"]


def test_a_rank_of_an_earlier_store_is_compared_as_before(store: EvidenceStore) -> None:
    def stored(run: str) -> StoredReport:
        return StoredReport("d", f"11 {run}\n/{run}/d.xml", 0, False, (seen(run=run),))

    store.add_stored([stored("b")])
    store.add([report(seen(run="c"), run="c"), report(run="a", counts=Counter({STAND_IN: 1}))])
    assert [row.run for row in store.observations()] == ["b"]
    store.add([report(seen(run="c", commit="abc"), run="c")])
    store.add_stored([stored("b")])
    assert [row.run for row in store.observations()] == ["c"]
    store.add([report(seen(run="d"), run="d", given=True)])
    assert [row.run for row in store.observations()] == ["d"]


reports = st.lists(
    st.builds(
        lambda digest, run, given, commit, ending, attempt: report(
            seen(ending, run=run, source=digest, commit=commit), digest=digest, run=run, given=given, attempt=attempt
        ),
        st.sampled_from("abcd"),
        st.sampled_from("xyz"),
        st.booleans(),
        st.sampled_from(["", "abc"]),
        # A digest always means the same content.
        st.just(Ending.FAILED),
        st.integers(0, 2),
    ),
    max_size=6,
)


@given(reports, st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matters(tmp_path_factory: pytest.TempPathFactory, some: list, random) -> None:  # type: ignore[type-arg,no-untyped-def]
    by_place = {(one.digest, one.run, one.given, one.observations[0].commit): one for one in some}
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


_BEFORE = """CREATE TABLE reports (
    digest TEXT PRIMARY KEY, rank TEXT, attempt INTEGER, named INTEGER, fields TEXT, observations TEXT
) WITHOUT ROWID; PRAGMA user_version = 1"""


def _write_version_1(file: Path, reports: Sequence[JUnitReport], renamed: str = "") -> None:
    """A store of the format with one row per report; `renamed` is a field that did not exist then."""
    names = [name for name in (one.name for one in fields(Observation)) if name != "op"]
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(_BEFORE)
        for one in reports:
            values = json.dumps([[getattr(row, name) for name in names] for row in one.observations])
            columns = ",".join(names).replace(renamed or " ", "something_gone")
            rank = f"{int(not one.arch_given)}{int(not one.given)} {one.run}\n{one.source}"
            row = one.digest, rank, one.attempt, int(one.given), columns, values
            connection.execute("INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?)", row)


def test_what_an_older_ttmatrix_wrote_is_read(store: EvidenceStore) -> None:
    _write_version_1(store.file, [report(seen(commit="abc", reason="x"))], "models_commit")
    assert store.observations() == [seen(commit="abc", reason="x")]
    assert EvidenceStore(store.file).add([report(seen())]) == Added(0, 1)


_VERSION_2 = """
DROP INDEX sessions_by_report; DROP INDEX sessions_by_run; DROP INDEX sessions_by_time;
ALTER TABLE sessions RENAME TO new;
INSERT OR IGNORE INTO texts (text) SELECT source FROM new;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, report INTEGER NOT NULL, origin TEXT NOT NULL, run INTEGER NOT NULL,
    host INTEGER NOT NULL, job INTEGER NOT NULL, source INTEGER NOT NULL, "commit" INTEGER NOT NULL,
    models_commit INTEGER NOT NULL, earliest REAL NOT NULL, latest REAL NOT NULL
);
INSERT INTO sessions SELECT id, report, origin, run, host, job, (SELECT texts.id FROM texts WHERE text = new.source),
    "commit", models_commit, earliest, latest FROM new;
DROP TABLE new;
CREATE INDEX sessions_by_report ON sessions (report); CREATE INDEX sessions_by_run ON sessions (run, job);
CREATE INDEX sessions_by_time ON sessions (latest);
PRAGMA user_version = 2
"""


def test_a_store_whose_places_were_texts_is_upgraded(store: EvidenceStore) -> None:
    """Version 2, made from a current one; its contents are read unchanged, and the file accepts more."""
    odd = "a\udcff/r.xml"
    rows = [seen(when=float(at), run=f"n{at}", source=odd if at else "a/r.xml", reason=f"r{at}") for at in range(4)]
    store.add([report(row, digest=row.run, run=row.run) for row in rows])
    known = {cell.test_id: cell.changed for cell in store.cells()}
    with closing(sqlite3.connect(store.file)) as connection, connection:
        connection.executescript(_VERSION_2)
    assert store.observations() == rows
    with closing(sqlite3.connect(store.file)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("SELECT count(*) FROM texts WHERE text = 'a/r.xml'").fetchone() == (0,)
    more = seen(when=9.0, run="n9", profile="opt1")
    assert store.add([report(more, digest="n9", run="n9"), report(rows[0], digest="n0", run="n0")]) == Added(1, 1)
    assert store.observations() == [*rows, more]
    assert all(cell.changed > known[cell.test_id] for cell in store.cells())


def test_before_slow_and_hung_were_distinguished_one_word_meant_both(store: EvidenceStore) -> None:
    old = report(seen(Ending.HUNG, reason="Failed: Timeout (>60.0s)"), seen(arch="p150"), digest="old")
    _write_version_1(store.file, [old], "raised")
    store.add([report(seen(Ending.HUNG, run="b"), digest="new")])
    found = {one.run: one.ending for one in EvidenceStore(store.file).observations() if one.reason or one.run == "b"}
    assert found == {"nightly": Ending.OUT_OF_TIME, "b": Ending.HUNG}


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(store: EvidenceStore) -> None:
    _write_version_1(store.file, [report(seen(run="a"), digest="a")])
    with closing(sqlite3.connect(store.file)) as connection, connection:
        connection.execute("INSERT INTO reports VALUES ('z', '', 0, 0, 'test_id', '[[1, 2]]')")
    before = store.file.read_bytes()
    with pytest.raises(TTMatrixError, match="cannot be read"):
        store.observations()
    assert store.file.read_bytes() == before


def test_two_processes_upgrade_one_file(store: EvidenceStore) -> None:
    many = [report(*(seen(test_id=str(n), run=str(run)) for n in range(50)), digest=str(run)) for run in range(20)]
    _write_version_1(store.file, many)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", _COUNTS, str(store.file)]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    assert [reader.communicate()[0].strip() for reader in readers] == ["1000", "1000"]


_COUNTS = """
import sys
from pathlib import Path
from core.evidence.store import EvidenceStore
print(len(EvidenceStore(Path(sys.argv[1])).observations()))
"""


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


def test_a_full_disk_is_said_and_nothing_is_lost(store: EvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add([report(seen(), digest="a")])
    known = store.observations()

    def small(file: Path, **options: object) -> sqlite3.Connection:
        connection = connect(file, **options)  # type: ignore[call-overload]
        connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
        return connection  # type: ignore[no-any-return]

    connect = sqlite3.connect
    monkeypatch.setattr("core.evidence.store.sqlite3.connect", small)
    many = [report(*(seen(test_id=f"{n}", reason="x" * n) for n in range(500)), digest="b")]
    with pytest.raises(TTMatrixError, match="disk is full") as caught:
        store.add(many)
    assert "nothing of this was stored" in caught.value.detail
    assert store.observations() == known
    monkeypatch.undo()
    assert store.add(many) == Added(1, 0)
    assert len(store.observations()) == 501


_ADDS = """
import sys
import time
from pathlib import Path
from core.evidence.store import EvidenceStore
from tests.support.evidence import report, seen
store = EvidenceStore(Path(sys.argv[1]))
for number in range(10_000):
    store.add([report(*[seen(test_id=str(n)) for n in range(50)], digest=f"{sys.argv[2]}{number}")])
    print(number, flush=True)
    # SQLite gives the lock to whoever asks first: without a rest, one of two may wait for ever.
    time.sleep(0.005)
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
    models = evidence_stamp(file, [])
    file_beside(file).write_bytes(b"1")
    assert evidence_stamp(file, []) != models, "of hand-written tests"


_ATTEMPTS = st.lists(
    st.tuples(
        st.sampled_from("xy"),
        st.integers(0, 2),
        st.booleans(),
        st.lists(
            st.builds(
                lambda test, arch, ending, when, job: seen(ending, test_id=test, arch=arch, when=when, job=job),
                st.sampled_from("ab"),
                st.sampled_from(["n150", "p150"]),
                st.sampled_from([Ending.PASSED, Ending.FAILED, Ending.NOT_RUN, Ending.BROKEN]),
                st.floats(0, 5, width=16),
                st.sampled_from(["", "j"]),
            ),
            max_size=4,
        ),
    ),
    max_size=5,
)


@given(_ATTEMPTS)
def test_whatever_is_asked_for_is_part_of_what_is_known(tmp_path_factory: pytest.TempPathFactory, some: list) -> None:  # type: ignore[type-arg]
    store = EvidenceStore(tmp_path_factory.mktemp("store") / "x.sqlite")
    attempts: list[Attempt] = []
    for number, (run, attempt, given_by_hand, rows) in enumerate(some):
        rows = [replace(one, run=run, source=str(number)) for one in rows]
        attempts += [Attempt(one, attempt, given_by_hand) for one in rows]
        store.add([report(*rows, digest=str(number), run=run, attempt=attempt, given=given_by_hand)])
    found = store.observations()
    assert Counter(map(repr, found)) == Counter(map(repr, fold_attempts(attempts)))
    for test in "ab":
        assert store.of_test(test) == [one for one in found if one.test_id == test]
    for run in "xy":
        assert store.of_run(run) == [one for one in found if one.run == run]
    assert {one.cell: one.when for one in store.newest()} == {one.cell: one.when for one in newest(found)}
    assert {(one.test_id, one.arch) for one in store.cells()} == {one.cell for one in found}
    rows = [one.observation for one in attempts]
    assert store.runs() == {run: max(one.when for one in rows if one.run == run) for run in {one.run for one in rows}}
    for test, recent in store.recent("ab", set(Function), 2, 1, count_older=True):
        for arch in ("n150", "p150"):
            all = [one for one in found if one.cell == (test, arch)]
            ran = [one for one in all if one.ending in RAN]
            rows = [one for one in recent.rows if one.arch == arch]
            assert [one.when for one in rows if one.ending in RAN] == [one.when for one in ran[-2:]]
            if len(ran) < 2:
                assert len(rows) + recent.not_run.get(arch, 0) + recent.broken.get(arch, 0) == len(all)


def test_results_of_a_hidden_machine_are_not_read(store: EvidenceStore) -> None:
    store.add([report(seen(host="bad", run="a"), digest="a"), report(seen(host="good", run="b"), digest="b")])
    visible = EvidenceStore(store.file, ["bad"])
    assert [one.host for one in visible.observations()] == ["good"]
    assert set(visible.runs()) == {"b"}
    assert [one.host for one in EvidenceStore(store.file, ["bad", "good"]).newest()] == []
    assert EvidenceStore(store.file, ["bad", "good"]).cells() == []


def test_a_cell_whose_results_went_is_gone(store: EvidenceStore) -> None:
    store.add([report(seen(arch=""), seen(test_id="b"), digest="a")])
    store.add([report(seen(arch="p150"), seen(test_id="b"), digest="a", arch_given=True)])
    assert {(one.test_id, one.arch) for one in store.cells()} == {(seen().test_id, "p150"), ("b", "n150")}
    assert len(store.observations()) == 2


def test_what_has_changed_is_known_by_cell(store: EvidenceStore) -> None:
    store.add([report(seen(test_id="a"), seen(test_id="b"), digest="a")])
    before = {one.test_id: one.changed for one in store.cells()}
    version = store.version()
    store.add([report(seen(test_id="b", run="2"), digest="b")])
    after = {one.test_id: one.changed for one in store.cells()}
    assert (before["a"], version) == (after["a"], store.version())
    assert before["b"] != after["b"]
    store.add([report(seen(test_id="b", run="2"), digest="b")])
    assert {one.test_id: one.changed for one in store.cells()} == after
    assert EvidenceStore(store.file.with_name("other")).version() != version
