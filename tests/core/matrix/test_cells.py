# SPDX-License-Identifier: Apache-2.0
"""The cells of an entry equal the result of resolving each arch separately."""

from hypothesis import given, strategies as st

from core.domain.model import Entry, Status
from core.matrix import status_on, supports
from core.matrix.indexing import all_cells
from core.sources import Schema

ARCHS = Schema().archs
PASSING = Status.EXPECTED_PASSING
_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["EXPECTED_PASSING", "not_supported_skip", "nonsense", None]),
        "supported_archs": st.lists(st.sampled_from([*ARCHS, "z9"]), max_size=3) | st.none(),
    },
)


@given(_FIELDS, st.dictionaries(st.sampled_from([*ARCHS, "z9"]), _FIELDS, max_size=3))
def test_cells_agree_with_resolution_arch_by_arch(
    fields: dict[str, object], overrides: dict[str, dict[str, object]]
) -> None:
    entry = Entry("x", "f", 1, 1, {**fields, "arch_overrides": overrides})
    (cells,) = all_cells({7: entry}, ARCHS).values()
    assert cells.base == status_on(entry, None)
    assert cells.statuses == tuple(status_on(entry, arch) for arch in ARCHS)
    assert cells.marked == tuple(arch for arch in ARCHS if supports(entry, arch))
    assert cells.shown(ARCHS) == ({status_on(entry, arch) for arch in cells.marked} or {cells.base})


def test_an_entry_marked_for_no_known_arch_shows_its_base_status() -> None:
    entry = Entry("x", "f", 1, 1, {"status": "EXPECTED_PASSING", "supported_archs": ["z9"]})
    assert all_cells({7: entry}, ARCHS)[7].shown(ARCHS) == {Status.EXPECTED_PASSING}


def test_entries_that_share_their_cells_keep_them_apart_from_others() -> None:
    plain, other = Entry("x", "f", 1, 1, {"status": "EXPECTED_PASSING"}), Entry("y", "f", 2, 2, {})
    archs = Entry("z", "f", 3, 3, {"status": "EXPECTED_PASSING", "supported_archs": ["n300"]})
    cells = all_cells({1: plain, 4: other, 5: archs, 9: plain}, ARCHS)
    assert [cells[row].base for row in (1, 4, 5, 9)] == [PASSING, Status.UNSPECIFIED, PASSING, PASSING]
    assert [cells[row].marked for row in (1, 4, 5, 9)] == [("n150", "p150")] * 2 + [("n300",), ("n150", "p150")]
