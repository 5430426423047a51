# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.profile_batches: which profiles are compared, and in which order their runs are."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.base.settings import Profile, Settings
from core.runs.planning import compared_profiles, newest_comparison, profiles_of, with_sweep
from core.runs.store import RunRecord
from tests.core.evidence.analysis.test_profile_comparison import run
from tests.support.tree import sample


def test_a_sweep_is_a_profile_for_each_value() -> None:
    assert with_sweep([], "batch_size=1..5") == [f"default+batch_size={size}" for size in (1, 2, 4)]
    assert with_sweep(["a", "default"], "x=1,2") == ["a+x=1", "a+x=2", "default+x=1", "default+x=2"]
    assert with_sweep(["default", "a", "default"], "") == ["", "a"]


@pytest.mark.parametrize("text", ["batch_size", "=1", "batch_size=", "batch_size=8..1", "batch_size=0..4", "x=a..b"])
def test_what_is_no_sweep(text: str) -> None:
    with pytest.raises(UsageError, match=r"sweep|range"):
        with_sweep([], text)


def test_profiles_are_checked(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    settings = Settings(profiles={"two": Profile(batch_size=2)})
    assert compared_profiles(["default", "two"], "", checkout, settings) == ["", "two"]
    with pytest.raises(UsageError, match="two or more different profiles"):
        compared_profiles(["two"], "", checkout, settings)
    with pytest.raises(UsageError, match="No profile 'three'"):
        compared_profiles(["two", "three"], "", checkout, settings)


def test_the_newest_batch_of_several_profiles() -> None:
    def made(profile: str, batch: str, created: str) -> RunRecord:
        record = run(profile, 1.0)
        return replace(record, spec=replace(record.spec, batch=batch, created=created))

    records = [made("", "c", "4"), made("fast", "b", "3"), made("", "b", "2"), made("", "a", "1"), made("x", "a", "0")]
    assert newest_comparison(records) == "b"
    assert profiles_of(records[1:3]) == ["", "fast"]
    assert newest_comparison([]) == ""
