# SPDX-License-Identifier: Apache-2.0
"""core.runs.spec: entries compared by what they mean; core.sources.checkout: places by where they lead."""

from pathlib import Path

from hypothesis import given, strategies as st

from core.domain.model import Entry
from core.runs.spec import entry_digest
from core.sources import same_place

_KEYS = st.text(max_size=4)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | _KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def _entry(fields: dict[str, object]) -> Entry:
    return Entry("id", "file", 1, 1, fields)


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_the_order_of_fields_does_not_count(fields: dict[str, object]) -> None:
    turned = dict(reversed(fields.items()))
    assert entry_digest(_entry(fields)) == entry_digest(_entry(turned)) != ""


def test_what_an_entry_says_counts() -> None:
    said = [
        None,
        _entry({}),
        _entry({"status": "EXPECTED_PASSING"}),
        _entry({"status": "UNSPECIFIED"}),
        _entry({"markers": ["push", "nightly"]}),
        _entry({"markers": ["nightly", "push"]}),
        _entry({"arch_overrides": {"n150": {"status": "UNSPECIFIED"}}}),
        _entry({"arch_overrides": {"p150": {"status": "UNSPECIFIED"}}}),
    ]
    assert len({entry_digest(one) for one in said}) == len(said)
    moved = Entry("id", "another file", 7, 9, {"status": "UNSPECIFIED"})
    assert entry_digest(moved) == entry_digest(said[3])


def test_links_lead_to_the_same_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert same_place(tmp_path / "link", tmp_path / "real")
    assert not same_place(tmp_path, tmp_path / "real")
    assert same_place(Path("/gone/a/../b"), Path("/gone/b"))
