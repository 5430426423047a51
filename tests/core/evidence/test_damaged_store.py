# SPDX-License-Identifier: Apache-2.0
"""A store on a disk that loses or changes pages gives what it has, or an error that says so."""

import random
import sqlite3
import time
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.evidence import Ending
from core.evidence.progress.measured import measure_tracks
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import MODEL_TESTS
from tests.support.cli import call
from tests.support.evidence import report, seen
from tests.support.reports import keep
from tests.support.tree import sample

PAGE = 4096
GROUPS = 10_000


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store of several pages for each table."""
    store = EvidenceStore(tmp_path_factory.mktemp("whole") / "x.sqlite")
    tests = [f"m{at}/pytorch-single_device-inference" for at in range(3)]
    for night in range(150):
        rows = [
            seen(
                Ending.PASSED if (night + at) % 3 else Ending.FAILED,
                test_id=id,
                reason=f"reason {night} {at}",
                when=1.0 + night,
                run=f"n{night}",
                host=f"h{night}",
            )
            for at, id in enumerate(tests)
        ]
        store.add([report(*rows, digest=str(night), run=f"n{night}")])
    return store.file.read_bytes()


def zeroed(data: bytes, page: int) -> bytes:
    return data[: page * PAGE] + bytes(PAGE) + data[(page + 1) * PAGE :]


def flipped(data: bytes, page: int) -> bytes:
    chance, changed = random.Random(page), bytearray(data)
    for _ in range(40):
        changed[page * PAGE + chance.randrange(PAGE)] ^= 1 << chance.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("damage", [zeroed, flipped])
def test_a_damaged_page_is_an_error_with_the_file(whole: bytes, tmp_path: Path, damage: object) -> None:
    file, refused = tmp_path / "x.sqlite", 0
    assert callable(damage)
    for page in range(len(whole) // PAGE):
        file.write_bytes(damage(whole, page))
        store = EvidenceStore(file)
        for look in (
            lambda store=store: measure_tracks(store.tracks(MODEL_TESTS, 0.0), 0.0, lambda id, _: id, 3),
            lambda store=store: store.tracks(MODEL_TESTS, 0.0).counts(),
            lambda store=store: store.courses(MODEL_TESTS),
            lambda store=store: store.observations(),
        ):
            try:
                look()
            except TTMatrixError as error:
                refused += 1
                assert str(file) in error.detail
    assert refused > 10


def test_results_of_a_session_that_is_gone_are_an_error(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.sqlite"
    file.write_bytes(whole)
    connection = sqlite3.connect(file)
    connection.execute("DELETE FROM sessions WHERE id = 7")
    connection.commit()
    connection.close()
    with pytest.raises(TTMatrixError, match="cannot be read or written"):
        EvidenceStore(file).tracks(MODEL_TESTS, 0.0)


def test_a_report_of_as_many_groups_as_results_ends(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "x.sqlite")
    rows = [seen(test_id=f"m{at}/pytorch-x-single_device-inference", when=5.0) for at in range(GROUPS)]
    store.add([report(*rows)])
    tracks = store.tracks(MODEL_TESTS, 0.0)
    begun = time.process_time()
    found = measure_tracks(tracks, 0.0, lambda id, _: id, 3)
    # It took time by the square of their number: 50,000 of them, hours.
    assert time.process_time() - begun < 5
    assert len(found.groups) == GROUPS
    assert sum(found.total.ran) == sum(found.archs[0].ran) == GROUPS


def test_what_reports_say_of_unknown_tests_is_in_the_report(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    now = time.time()
    keep(checkout, [seen(test_id=f"m{at}/pytorch-x-single_device-inference", when=now - 60) for at in range(2_000)])
    done = call("report", "--repo", checkout.root)
    assert done.code == 0
    assert "2,000 results of 1 run" in done.err
