# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.shared: what the tests of one group have in common."""

from core.edits import Operation, OpKind
from core.edits.pending import BaseEntry
from core.evidence import Ending, Observation, Results
from core.evidence.proposals import CauseKind, Concern, InboxItem, Proposal, shared_by
from core.evidence.verdicts import Verdict
from tests.support.evidence import judged, observed

OOM = "Out of Memory: Not enough space to allocate {} B DRAM buffer across 12 banks"


def _night(number: int, id: str, arch: str, ending: Ending, size: int, host: str = "host-a") -> Observation:
    reason = OOM.format(size) if ending is Ending.FAILED else ""
    return observed(ending, reason, test_id=id, arch=arch, run=f"nightly-{number}", when=86_400.0 * number, host=host)


def _item(id: str, *archs: str, host: str = "host-a") -> InboxItem:
    found = []
    for at, arch in enumerate(archs):
        before = (_night(7, id, arch, Ending.PASSED, 0), _night(8, id, arch, Ending.PASSED, 0))
        rows = [_night(9, id, arch, Ending.FAILED, 100 + at, host)]
        found.append(judged(Verdict.REGRESSED, rows, since="nightly-9", earlier=before, grade=2))
    return InboxItem(id, Concern.NOT_PROPOSED, tuple(found))


def test_the_error_the_run_and_where_it_is_so() -> None:
    found = shared_by([_item("a", "n150", "p150"), _item("b", "n150", host="host-b")])
    assert (found.tests, found.archs, found.hosts) == (2, {"n150": 2, "p150": 1}, ("host-a", "host-b"))
    assert found.error == OOM.format(100)
    assert found.first and found.before
    assert (found.before.run, found.first.run) == ("nightly-8", "nightly-9")
    assert (found.of, found.others) == (0, ()), "not known without results"


def test_of_how_many_and_who_else_has_it() -> None:
    rows = [_night(9, id, "n150", Ending.FAILED, size) for size, id in enumerate(("a", "b", "c"))]
    rows += [_night(9, "d", "n150", Ending.PASSED, 0), _night(9, "e", "p150", Ending.PASSED, 0)]
    rows += [_night(8, "f", "n150", Ending.FAILED, 7), _night(9, "f", "n150", Ending.PASSED, 0)]
    found = shared_by([_item("a", "n150"), _item("b", "n150")], Results(sorted(rows, key=lambda row: row.when)))
    assert found.of == 5, "on the arch of the group, in the run since which it fails"
    assert found.others == ("c",), "with the same error in its newest result, whatever the number of bytes"


def test_tests_that_began_in_different_runs_have_none_in_common() -> None:
    late = InboxItem("z", Concern.NOT_PROPOSED, (judged(Verdict.REGRESSED, since="nightly-3"),))
    assert shared_by([_item("a", "n150"), late]).first is None


def test_what_a_test_shows_otherwise_on_another_arch_is_not_of_its_group() -> None:
    passes = judged(Verdict.SEMI_STALE, [_night(9, "a", "n150", Ending.PASSED, 0)], since="nightly-9", grade=2)
    fails = judged(Verdict.DRIFTED, [_night(9, "a", "p150", Ending.FAILED, 100, "host-b")], since="nightly-9", grade=1)
    op = Operation(OpKind.SET, "a", "f", ("status",), "EXPECTED_PASSING")
    made = Proposal("a", (passes, fails), (op,), BaseEntry("f", "a", {"status": "KNOWN_FAILURE_XFAIL"}))
    item = InboxItem("a", Concern.DECIDE, (passes, fails), made)
    found = shared_by([item])
    assert (found.cause.kind, found.error, found.archs, found.hosts) == (CauseKind.FIXED, "", {"n150": 1}, ("host-a",))


def test_what_is_gone_has_the_day_of_the_first_run_without_it() -> None:
    other = _night(9, "other", "n150", Ending.PASSED, 0)
    before = (_night(8, "a", "n150", Ending.PASSED, 0),)
    gone = judged(Verdict.MISSING, before, since="nightly-9", first=other, earlier=before, grade=1)
    found = shared_by([InboxItem("a", Concern.NOT_PROPOSED, (gone,))])
    assert found.first == other and found.before == before[0]
