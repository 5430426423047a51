# SPDX-License-Identifier: Apache-2.0
"""core.evidence.exchange: a store survives export and import unchanged; mistakes in a file are reported by row."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.evidence import Added, Ending, Observation, read_file, write_file
from core.evidence.observation import CaseNumbers
from core.evidence.store import EvidenceStore
from tests.support.evidence import report, seen

ODD = ("", "a,b", 'say "so"', "two\nlines\r\n", "µ \N{SNOWMAN}", "=1+1", "\ud800")
SUFFIXES = (".csv", ".parquet")


@pytest.fixture(params=SUFFIXES)
def suffix(request: pytest.FixtureRequest) -> str:
    if request.param == ".parquet":
        pytest.importorskip("pyarrow")
    return str(request.param)


def full() -> list[Observation]:
    """Observations with every field set, and with none set."""
    case = CaseNumbers("pass", "k", 0.1, 0.2, max_abs=1e-300, pcc=float("inf"))
    one = seen(Ending.CRASHED, when=2.5, pcc=0.1 + 0.2, pcc_required=0.99, pcc_checked=False, guidance=("A", "B,C"))
    return [
        seen(when=1.0),
        replace(one, op=case, profile="opt1"),
        *(seen(when=3.0 + at, run=f"r{at}", reason=text, raised=text) for at, text in enumerate(ODD[:-1])),
    ]


def filled(file: Path) -> EvidenceStore:
    store = EvidenceStore(file)
    rows = full()
    store.add([report(*rows[:3], digest="b"), report(*rows[3:], digest="a", run="z", given=True, attempt=2)])
    return store


def test_a_store_comes_back_as_it_was(tmp_path: Path, suffix: str) -> None:
    store, other = filled(tmp_path / "a.sqlite"), EvidenceStore(tmp_path / "b.sqlite")
    file = tmp_path / f"all{suffix}"
    assert write_file(file, store.reports()) == len(full())
    assert other.add_stored(read_file(file)) == Added(2, 0)
    assert [*other.reports()] == [*store.reports()]
    assert other.observations() == store.observations()
    before = other.file.read_bytes()
    assert other.add_stored(read_file(file)) == Added(0, 2)
    assert other.add_stored(read_file(file)) == Added(0, 2)
    assert [*other.reports()] == [*store.reports()] and len(before) == len(other.file.read_bytes())
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


texts = st.text(st.characters(codec="utf-8"), max_size=6)
numbers = st.floats(0, 1e9)


@given(st.lists(st.tuples(texts, numbers, st.none() | st.floats(0, 1), st.sampled_from(Ending)), max_size=6))
def test_whatever_a_result_says(tmp_path_factory: pytest.TempPathFactory, some: list) -> None:  # type: ignore[type-arg]
    directory = tmp_path_factory.mktemp("x")
    rows = [seen(ending, when=when, pcc=pcc, reason=text, source=text) for text, when, pcc, ending in some]
    stored = [*_reports(directory / "a.sqlite", rows)]
    write_file(directory / "x.csv", stored)
    assert [*read_file(directory / "x.csv")] == [one for one in stored if one.observations]


def _reports(file: Path, rows: list[Observation]):  # type: ignore[no-untyped-def]
    store = EvidenceStore(file)
    store.add([report(*rows, digest="d")])
    return store.reports()


def test_every_report_is_whole_also_one_over_several_runs(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "a.sqlite")
    parts = {
        "3": [seen(test_id="x", run="b", host="f1"), seen(test_id="y", run="a"), seen(test_id="z", run="b", host="f2")],
        "2": [seen(test_id="x", run="a", when=1.0)],
        "1": [seen(test_id="x", run="b", when=2.0), seen(Ending.NOT_RUN, test_id="y", run="b", when=2.0)],
    }
    store.add([report(*rows, digest=digest) for digest, rows in parts.items()])
    found = [(one.digest, sorted(seen.test_id for seen in one.observations)) for one in store.reports()]
    # Sorted by run, independent of the digests.
    assert found == [("2", ["x"]), ("3", ["x", "y", "z"]), ("1", ["x", "y"])]
    assert write_file(tmp_path / "x.csv", store.reports()) == 6


def test_texts_that_are_not_utf_8_go_through_csv(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "a.sqlite")
    store.add([report(seen(source=ODD[-1]))])
    write_file(tmp_path / "x.csv", store.reports())
    assert [*read_file(tmp_path / "x.csv")] == [*store.reports()]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (",pcc,", ",pc,", "no column pcc"),
        ("passed", "sideways", "row 2, ending"),
        ("test_all_models_torch", "test_nothing", "row 2, function"),
        (",0,false", ",-1,false", "row 2, attempt: -1 is not between 0 and 1,000,000,000"),
        (",0,false", f",{10**30},false", "row 2, attempt"),
        ("passed,", "passed,more,", "row 2: 32 fields instead of 31"),
        ("false", "perhaps", "neither true nor false"),
    ],
)
def test_what_is_wrong_is_said_by_row(tmp_path: Path, old: str, new: str, words: str) -> None:
    store = EvidenceStore(tmp_path / "a.sqlite")
    store.add([report(seen())])
    file = tmp_path / "x.csv"
    write_file(file, store.reports())
    head, _, rest = file.read_text().partition("\n")
    text = f"{head.replace(old, new)}\n{rest}" if old in head else f"{head}\n{rest.replace(old, new, 1)}"
    file.write_text(text)
    with pytest.raises(TTMatrixError, match=words):
        EvidenceStore(tmp_path / "b.sqlite").add_stored(read_file(file))
    assert EvidenceStore(tmp_path / "b.sqlite").observations() == []


def test_reports_that_are_torn_apart_are_refused(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite")
    write_file(tmp_path / "x.csv", store.reports())
    with (tmp_path / "x.csv").open(newline="") as lines:
        head, *rest, last = csv.reader(lines)
    with (tmp_path / "x.csv").open("w", newline="") as out:
        csv.writer(out).writerows([head, last, *rest])
    with pytest.raises(TTMatrixError, match="sort the file by digest"):
        EvidenceStore(tmp_path / "b.sqlite").add_stored(read_file(tmp_path / "x.csv"))


def test_other_names_are_no_tables(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match=r"\.csv or \.parquet"):
        write_file(tmp_path / "x.txt", ())
