# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.policy: where it is found, what it may contain, and that it is printed as it is read."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.evidence.verdicts import Policy, find_policy, policy_text
from core.evidence.verdicts.policy import PccPolicy, RetentionPolicy, parse_policy

unit = st.floats(0, 1)
# TOML has no lone surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(
    st.builds(
        Policy,
        minimum_runs=st.integers(1, 5),
        window=st.integers(5, 20),
        grace_days=st.floats(0, 1e9),
        require_issue=st.booleans(),
        archs=st.lists(texts).map(tuple),
        must_pass=st.lists(texts).map(tuple),
        ignored_hosts=st.lists(texts).map(tuple),
        pcc=st.builds(
            lambda margin, low, high: PccPolicy(margin, max(low, high), min(low, high)), st.floats(0, 0.9), unit, unit
        ),
        retention=st.builds(RetentionPolicy, st.floats(0, 1e6), st.integers(1, 500)),
        keep=st.dictionaries(texts, texts.filter(str.strip)),
    )
)
def test_what_is_printed_is_read_back(policy: Policy) -> None:
    assert parse_policy(policy_text(policy), "x") == policy


def test_the_first_file_counts_whole(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    assert find_policy(tmp_path, own).file is None
    assert find_policy(tmp_path, own).policy == Policy()
    own.write_text("minimum_runs = 7\ngrace_days = 3")
    assert find_policy(tmp_path, own).policy == Policy(minimum_runs=7, grace_days=3.0)
    (tmp_path / ".ttmatrix").mkdir()
    (tmp_path / ".ttmatrix" / "policy.toml").write_text("minimum_runs = 5")
    assert find_policy(tmp_path, own).policy == Policy(minimum_runs=5)
    (tmp_path / "ttmatrix-policy.toml").write_text("[pcc]\nmargin = 0.01")
    found = find_policy(tmp_path, own)
    assert (found.file, found.policy.pcc) == (tmp_path / "ttmatrix-policy.toml", PccPolicy(margin=0.01))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("minimum_runs = ", "cannot be read"),
        ("minimum_run = 3", "minimum_run is unknown"),
        ("minimum_runs = true", "must be a whole number"),
        ("require_issue = 1", "must be true or false"),
        ("archs = 'n150'", "must be a list of strings"),
        ("must_pass = [1]", "must be a list of strings"),
        ("pcc = 3", "pcc must be a table"),
        ("[pcc]\nmargins = 1", "pcc.margins is unknown"),
        ("[pcc]\nmargin = 'x'", "must be a finite number"),
        ("[keep]\na = ''", "a reason each"),
        ("minimum_runs = 0", "at least 1"),
        ("[retention]\ndays = -1.0", "retention.days must not be negative"),
        ("[retention]\nnewest = 0", "retention.newest must be at least 1"),
        ("[retention]\nweeks = 1", "weeks"),
        ("retention = 3", "must be a table"),
        ("minimum_runs = 20", "at least minimum_runs"),
        ("grace_days = nan", "must be a finite number"),
        ("[pcc]\nlowest = 0.995", "in this order"),
        ("[pcc]\nmargin = -1", "between 0 and 1"),
    ],
)
def test_a_mistake_is_reported_with_its_place(text: str, told: str) -> None:
    with pytest.raises(TTMatrixError) as caught:
        parse_policy(text, "some/policy.toml")
    assert told in str(caught.value)
    assert "some/policy.toml" in caught.value.title


def test_ids_and_patterns() -> None:
    policy = parse_policy('must_pass = ["resnet/*"]\n[keep]\n"a/pytorch-x" = "known"\n"b/*" = "later"', "x")
    assert (policy.pinned("a/pytorch-x"), policy.pinned("b/jax-y"), policy.pinned("c")) == ("known", "later", "")
    assert policy.must("resnet/pytorch-x") and not policy.must("resnext/pytorch-x")
