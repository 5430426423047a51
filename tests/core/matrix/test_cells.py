# SPDX-License-Identifier: Apache-2.0
"""The cells of an entry are what resolving each arch by itself gives."""

from hypothesis import given
from hypothesis import strategies as st

from core.matrix.cells import cells_of
from core.matrix.effective import status_on, supports
from core.model import Entry, Status
from core.sources.schema import Schema

ARCHS = Schema().archs
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
    cells = cells_of(entry, ARCHS)
    assert cells.base == status_on(entry, None)
    assert cells.statuses == tuple(status_on(entry, arch) for arch in ARCHS)
    assert cells.marked == tuple(arch for arch in ARCHS if supports(entry, arch))
    assert cells.shown(ARCHS) == ({status_on(entry, arch) for arch in cells.marked} or {cells.base})


def test_an_entry_marked_for_no_known_arch_shows_its_base_status() -> None:
    entry = Entry("x", "f", 1, 1, {"status": "EXPECTED_PASSING", "supported_archs": ["z9"]})
    assert cells_of(entry, ARCHS).shown(ARCHS) == {Status.EXPECTED_PASSING}
