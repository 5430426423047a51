# SPDX-License-Identifier: Apache-2.0
"""Random entries and expectation files with them, for tests of edit invariants."""

from collections.abc import Mapping

from hypothesis import strategies as st

from core.edits.yaml import Layout
from core.edits.yaml.layout import new_entry

FIELDS = ("status", "bringup_status", "reason", "required_pcc", "assert_pcc")
LISTS = ("supported_archs", "markers")
ARCHS = ("n150", "p150", "n300-llmbox")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=15) | st.sampled_from(
    ["PASSED", "no", "a: b #", "- x", "'q'", '"', "#", "*a", "&a", "!t", "a\nb", "\ufeff", "1_0", "\x85", "é漢"]
)
scalars = texts | st.booleans() | st.floats(-1, 1) | st.integers(0, 9)


@st.composite
def entry_fields(draw: st.DrawFn) -> dict[str, object]:
    """The fields of one entry, overrides included."""
    found = draw(_fields())
    overrides = draw(st.dictionaries(st.sampled_from(ARCHS), _fields(), max_size=2))
    return {**found, "arch_overrides": overrides} if overrides else found


def expectation_text(entries: Mapping[str, Mapping[str, object]]) -> str:
    """A file with `entries`, as the engine writes new ones."""
    return "test_config:\n" + "\n".join(new_entry(id, fields, 2, Layout()) for id, fields in entries.items())


@st.composite
def _fields(draw: st.DrawFn) -> dict[str, object]:
    plain = st.tuples(st.sampled_from(FIELDS), scalars)
    listed = st.tuples(st.sampled_from(LISTS), st.lists(texts, max_size=3))
    return dict(draw(st.lists(plain | listed, min_size=1, max_size=4)))
