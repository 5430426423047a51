# SPDX-License-Identifier: Apache-2.0
"""Counts over time equal those one would have counted at the time."""

from pathlib import Path

from core.domain.model import Status
from core.history import Every, History, Point, by_arch, by_group, by_status, read_history, trend, weeks
from core.matrix import index
from core.matrix.cache import Cache
from core.sources import Checkout
from tests.support.commits import FILE, OTHER, State, commit_states, entries, yaml
from tests.support.tree import LOADERS, write_checkout

PASS, XFAIL, SKIP = "EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL", "NOT_SUPPORTED_SKIP"
STATES = [
    State({FILE: entries(alpha_tiny=PASS, beta_x=XFAIL)}),
    State({FILE: entries(alpha_Tiny=PASS, beta_x=XFAIL, gamma_y=SKIP)}),
    State({FILE: entries(alpha_Tiny=XFAIL), OTHER: entries(beta_x=XFAIL)}),
    State({FILE: entries(alpha_Tiny=XFAIL), OTHER: entries(beta_x=PASS)}),
]


def history_of(root: Path, states: list[State], disk: dict[str, str] | None = None) -> History:
    commit_states(root, states)
    checkout = write_checkout(root, LOADERS, disk or {})
    return read_history(Cache(checkout, root / "cache"), index(checkout))


def shown(points: tuple[Point, ...]) -> list[dict[tuple[str, Status], int]]:
    return [{**point.counts} for point in points]


def test_statuses_after_each_commit(tmp_path: Path) -> None:
    found = trend(history_of(tmp_path, STATES), by_status)
    assert shown(found) == [
        {("", PASS): 1, ("", XFAIL): 1},
        {("", PASS): 1, ("", XFAIL): 1, ("", SKIP): 1},
        {("", XFAIL): 2},
        {("", PASS): 1, ("", XFAIL): 1},
    ]
    assert [point.commit.time for point in found] == [0, 86_400, 172_800, 259_200]


def test_what_is_not_committed_does_not_count(tmp_path: Path) -> None:
    found = trend(history_of(tmp_path, STATES, {FILE: entries(new_z=SKIP, alpha_Tiny=SKIP)}), by_status)
    assert shown(found)[-1] == {("", PASS): 1, ("", XFAIL): 1}


def test_the_last_commit_of_each_period(tmp_path: Path) -> None:
    states = [State({FILE: entries(alpha_tiny=PASS, beta_x=PASS) + f"# {number}\n"}) for number in range(40)]
    history = history_of(tmp_path, states)
    days = {every: [point.commit.time // 86_400 for point in trend(history, by_status, every)] for every in Every}
    assert days[Every.COMMIT] == days[Every.DAY] == [*range(40)]
    # 1970-01-01 was a Thursday.
    assert days[Every.WEEK] == [3, 10, 17, 24, 31, 38, 39]
    assert days[Every.MONTH] == [30, 39]


def test_by_arch_counts_what_the_tests_are_marked_for(tmp_path: Path) -> None:
    body = f"status: {PASS}\nsupported_archs: [n150, p150]\narch_overrides:\n  p150:\n    status: {SKIP}"
    states = [State({FILE: yaml({"a/pytorch-x-single_device-inference": body})})]
    assert shown(trend(history_of(tmp_path, states), by_arch(("n150", "p150", "n300")))) == [
        {("n150", PASS): 1, ("p150", SKIP): 1}
    ]


def test_by_group_takes_the_id_of_today(tmp_path: Path) -> None:
    found = trend(history_of(tmp_path, STATES), by_group(lambda id: "today" if "Tiny" in id else id.partition("/")[0]))
    assert [{name for name, _ in point.counts} for point in found] == [
        {"today", "beta"}, {"today", "beta", "gamma"}, {"today", "beta"}, {"today", "beta"}
    ]  # fmt: skip


def test_a_merge_counts_as_it_is(tmp_path: Path) -> None:
    states = [
        State({FILE: entries(alpha_tiny=PASS, beta_x=PASS)}),
        State({FILE: entries(alpha_tiny=XFAIL, beta_x=PASS)}, parents=(0,)),
        State({FILE: entries(alpha_tiny=PASS, beta_x=SKIP)}, parents=(0,)),
        State({FILE: entries(alpha_tiny=XFAIL, beta_x=SKIP)}, parents=(1, 2)),
    ]
    found = trend(history_of(tmp_path, states), by_status)
    assert [point.commit.time // 86_400 for point in found] == [0, 1, 3]
    assert shown(found)[-1] == {("", XFAIL): 1, ("", SKIP): 1}


def test_no_commit_no_point(tmp_path: Path) -> None:
    commit_states(tmp_path, [State({"/other": "x"})])
    checkout: Checkout = write_checkout(tmp_path, LOADERS, {FILE: entries(alpha_tiny=PASS)})
    assert trend(read_history(Cache(checkout, tmp_path / "cache"), index(checkout)), by_status) == ()


def test_weeks_are_as_their_last_commit_and_those_before_the_first_are_empty(tmp_path: Path) -> None:
    week = 7 * 86_400
    history = history_of(tmp_path, STATES)
    found = weeks(history, now=2.0 * week, number=4)
    assert [one.end for one in found] == [-week, 0, week, 2 * week]
    assert [one.counts for one in found] == [
        {},
        {Status(PASS): 1, Status(XFAIL): 1},
        {Status(PASS): 1, Status(XFAIL): 1},
        {Status(PASS): 1, Status(XFAIL): 1},
    ]
    assert [one.not_passing for one in found] == [0, 1, 1, 1]
    assert weeks(history, now=172_800.0, number=1)[0].counts == {Status(XFAIL): 2}
