# SPDX-License-Identifier: Apache-2.0
"""core.runs.store.retention: the oldest runs go first; cited and unfinished ones stay."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, strategies as st

from core.runs import Outcome
from core.runs.store import Finished, Policy, Queued, RunRecord, size_on_disk, surplus
from core.runs.store.record import Presence, fold

from .test_record import SPEC

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def run(age: int, *, active: bool = False) -> RunRecord:
    created = (NOW - timedelta(days=age)).isoformat()
    spec = replace(SPEC, run_id=f"{1000 - age}", created=created)
    events = [Queued(1.0, "h", "b")] if active else [Finished(1.0, Outcome.PASS)]
    return fold(spec, Path("/"), events, Presence(watched=active))


def given_up(records: list[RunRecord], policy: Policy, cited: frozenset[str] = frozenset()) -> list[int]:
    found = surplus(records, policy, now=NOW.timestamp(), cited=cited.__contains__, size=lambda _: 10)
    return [1000 - int(record.spec.run_id) for record in found]


def test_each_limit_gives_up_the_oldest_first() -> None:
    records = [run(age) for age in range(5)]
    assert given_up(records, Policy()) == []
    assert given_up(records, Policy(runs=3)) == [4, 3]
    assert given_up(records, Policy(days=2.5)) == [4, 3]
    assert given_up(records, Policy(size=25)) == [4, 3, 2]


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), max_size=8),
    st.integers(0, 4),
    st.floats(0, 8),
    st.integers(0, 60),
)
def test_nothing_cited_or_active_is_ever_given_up(
    kinds: list[tuple[bool, bool]], runs: int, days: float, size: int
) -> None:
    records = [run(age, active=active) for age, (active, _) in enumerate(kinds)]
    cited = frozenset(record.spec.run_id for record, (_, wanted) in zip(records, kinds, strict=True) if wanted)
    for age in given_up(records, Policy(runs, days, size), cited):
        assert kinds[age] == (False, False)
    if not runs and not days and not size:
        assert given_up(records, Policy(), cited) == []


def test_the_size_counts_every_file_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b").write_bytes(b"x" * 5)
    (tmp_path / "link").symlink_to("/usr")
    assert size_on_disk(tmp_path) == 15 + (tmp_path / "link").lstat().st_size


def test_less_than_nothing_is_no_limit() -> None:
    assert given_up([run(age) for age in range(5)], Policy(runs=-1, days=-1.0, size=-1)) == []
