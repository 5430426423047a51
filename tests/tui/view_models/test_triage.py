# SPDX-License-Identifier: Apache-2.0
"""Tests that need a person as rows, and their evidence as lines."""

from collections.abc import Sequence
from dataclasses import replace

from core.edits import Operation, OpKind
from core.edits.pending import BaseEntry, Change, Decision, Pending
from core.evidence import Ending, Observation, Origin, summary_text
from core.evidence.analysis import Between, Commits, OneCommit
from core.evidence.proposals import Concern, InboxItem, NotProposed, Proposal, Worklist, shared_by
from core.evidence.verdicts import Verdict
from core.matrix.view import EVIDENCE, PCC_COURSE, TIME_COURSE
from tests.support.evidence import judged, observed
from tui.view_models import (
    Listed,
    ReviewRows,
    Shown,
    TriageBy,
    TriageItems,
    TriageLook,
    group_lines,
    group_listed,
    proposed_words,
    result_lines,
    shared_lines,
    strip_lines,
)
from tui.view_models.matrix import size_of


def _item(id: str, verdict: Verdict, value: str = "EXPECTED_PASSING", leaves: tuple[str, ...] = ()) -> InboxItem:
    one = judged(verdict, [observed(test_id=id), observed(Ending.FAILED, "a\x1b[31mb", test_id=id, origin=Origin.HERE)])
    op = Operation(OpKind.SET, id, "f", ("status",), value)
    return InboxItem(id, Concern.DECIDE, (one,), Proposal(id, (one,), (op,), BaseEntry("f", id, {}), leaves))


def _held(id: str) -> InboxItem:
    one = judged(Verdict.FLAKY, [observed(test_id=id)])
    return InboxItem(id, Concern.NOT_PROPOSED, (one,), not_proposed=(NotProposed(id, "n150", Verdict.FLAKY, "it is"),))


def _listed(items: Sequence[InboxItem], shown: Shown, pending: Pending) -> list[Listed]:
    return TriageItems(Worklist(items=tuple(items))).listed(shown, pending)


ITEMS = (
    _item("a", Verdict.REGRESSED, "KNOWN_FAILURE_XFAIL"),
    _item("b", Verdict.STALE),
    _item("c", Verdict.STALE, leaves=("n150",)),
    _held("d"),
    InboxItem("e", Concern.UNKNOWN, (judged(Verdict.UNKNOWN),)),
)


def _text(rows: ReviewRows, position: int) -> list[str]:
    return ["".join(cell.text for cell in column) for column in rows.cells(position)]


def _rows(by: TriageBy, *opened: str) -> ReviewRows:
    changes = _listed(ITEMS, Shown.ATTENTION, Pending())
    return ReviewRows(group_listed(changes, by, lambda id: id), TriageLook(by), opened)


def test_the_most_urgent_group_first_then_the_biggest() -> None:
    rows = _rows(TriageBy.CHANGE)
    assert [_text(rows, at)[1:3] for at in range(len(rows))] == [
        ["regressed", "a"],
        ["stale", "2 tests"],
        ["flaky", "d"],
    ]
    assert _text(rows, 2)[4] == "n150: it is"


def test_causes_come_in_the_order_of_a_morning_and_the_latest_first() -> None:
    def red(id: str, run: str, when: float, reason: str = "ValueError: no such layout") -> InboxItem:
        row = observed(Ending.FAILED, reason, test_id=id, run=run, when=when)
        one = judged(Verdict.REGRESSED, [row], since=run)
        op = Operation(OpKind.SET, id, "f.yaml", ("status",), "KNOWN_FAILURE_XFAIL")
        return InboxItem(id, Concern.DECIDE, (one,), Proposal(id, (one,), (op,), BaseEntry("f.yaml", id, {})))

    items = (
        *ITEMS,
        red("x1", "nightly-8", 8.0),
        red("y1", "nightly-9", 9.0),
        red("y2", "nightly-9", 9.0),
        red("z", "nightly-9", 9.0, "TT_FATAL: no"),
        InboxItem("n", Concern.DECIDE, (judged(Verdict.NEW),)),
        InboxItem("g", Concern.NOT_PROPOSED, (judged(Verdict.MISSING, since="nightly-9"),)),
    )
    groups = group_listed(_listed(items, Shown.ATTENTION, Pending()), TriageBy.CAUSE, lambda id: id)
    assert [(group.key, len(group.changes)) for group in groups] == [
        ("broke: a\x1b[31mb", 1),
        ("broke since nightly-9: no such layout", 2),
        ("broke since nightly-9: no", 1),
        ("broke since nightly-8: no such layout", 1),
        ("gone since nightly-9", 1),
        ("flaky: passed", 1),
        ("fixed", 2),
        ("new: passes", 1),
    ]


def test_a_heading_by_cause_says_how_many_where_how_sure_and_what() -> None:
    def red(id: str, arch: str, grade: int) -> InboxItem:
        row = observed(Ending.FAILED, "ValueError: no such layout", test_id=id, arch=arch, run="nightly-9")
        one = judged(Verdict.REGRESSED, [row], since="nightly-9", grade=grade)
        op = Operation(OpKind.SET, id, "f.yaml", ("status",), "KNOWN_FAILURE_XFAIL")
        return InboxItem(id, Concern.DECIDE, (one,), Proposal(id, (one,), (op,), BaseEntry("f.yaml", id, {})))

    changes = _listed([red("x", "n150", 2), red("y", "p150", 3)], Shown.ATTENTION, Pending())
    look = TriageLook(TriageBy.CAUSE)
    rows = ReviewRows(group_listed(changes, TriageBy.CAUSE, lambda id: id), look)
    assert _text(rows, 0) == [
        "▸ ?",
        "2 broke",
        "n150, p150 · grade 2-3",
        "░░░░░░   0% n150 0/1  p150 0/1",
        "no such layout · since nightly-9",
    ]
    one = [replace(change, decision=Decision.ACCEPTED) for change in changes[:1]]
    mixed = ReviewRows(group_listed([*one, changes[1]], TriageBy.CAUSE, lambda id: id), look)
    assert _text(mixed, 0)[0] == "▸", "decided one way and the other"


def test_what_groups_have_in_common_is_said_once_and_in_its_column() -> None:
    by_change = _rows(TriageBy.CHANGE)
    assert _text(by_change, 1) == ["▸", "stale", "2 tests", "███░░░  50% n150 2/4", "PASS"]
    assert [column.title for column in by_change.columns][3:] == ["evidence", "proposed"]
    assert _text(_rows(TriageBy.VERDICT), 1) == ["▸", "stale", "2 tests", "███░░░  50% n150 2/4"]
    changes = _listed(ITEMS, Shown.ATTENTION, Pending())
    rows = ReviewRows(group_listed(changes, TriageBy.LOADER, lambda id: "net/pytorch"), TriageLook(TriageBy.LOADER), ())
    assert _text(rows, 0) == ["▸", "", "net/pytorch", "███░░░  57% n150 4/7", "4 tests"]


def test_a_test_says_what_is_proposed_and_that_it_leaves_ci() -> None:
    rows = _rows(TriageBy.NOTHING)
    assert _text(rows, 1) == ["? open", "stale", "b", "n150 P+x 1/2", "PASS"]
    assert _text(rows, 2)[4] == "will leave CI on n150; PASS"
    assert _text(rows, 3)[::2] == ["  -", "d", "n150: it is"]
    assert rows.position_of("c") == 2


def test_what_was_decided_comes_from_the_pending_changes() -> None:
    (first, *_) = _listed(ITEMS, Shown.ATTENTION, Pending())
    assert first.plain.bases == first.bases
    taken = replace(first.plain, id=3, decision=Decision.ACCEPTED)
    (again, *_) = _listed(ITEMS, Shown.ATTENTION, Pending((taken,)))
    assert (again.id, again.decision) == (3, Decision.ACCEPTED)


def test_what_is_searched_for_follows_the_decision() -> None:
    items = TriageItems(Worklist(items=ITEMS))
    (first, *_) = items.listed(Shown.ATTENTION, Pending())
    assert items.search_text(first).startswith("regressed a undecided")
    taken = Pending((replace(first.plain, id=3, decision=Decision.ACCEPTED),))
    (again, *_) = items.listed(Shown.ATTENTION, taken)
    assert items.search_text(again).startswith("regressed a accepted")
    assert items.listed(Shown.ATTENTION, taken)[0] is again
    assert items.listed(Shown.ATTENTION, Pending())[0] is first


def test_lists_of_their_own() -> None:
    assert [one.test for one in _listed(ITEMS, Shown.UNKNOWN, Pending())] == ["e"]
    assert [one.test for one in _listed(ITEMS, Shown.BLIND, Pending())] == []
    assert [one.test for one in _listed(ITEMS, Shown.PCC, Pending())] == []


def _plain(lines: object) -> list[str]:
    assert isinstance(lines, list)
    return ["".join(cell.text for cell in line) for line in lines]


def test_lines_fit_and_carry_no_control() -> None:
    judgements = ITEMS[0].judgements
    for width in (20, 80):
        for lines in (
            strip_lines(judgements, width),
            result_lines(judgements, width, ["host-a"]),
            group_lines(ITEMS, {}, width),
        ):
            texts = _plain(lines)
            assert texts and all(len(text) <= width and text.isprintable() for text in texts)
    assert any("only this machine fails" in text for text in _plain(result_lines(judgements, 80, ["host-a"])))
    assert _plain(strip_lines(judgements, 80))[0] == "n150 P+x 1/2 regressed: regressed it is"


def test_strips_below_each_other_have_their_newest_results_in_one_column() -> None:
    def rows(arch: str, letters: str) -> tuple[Observation, ...]:
        endings = {"P": Ending.PASSED, "x": Ending.FAILED}
        return tuple(observed(endings[one], arch=arch, when=float(at)) for at, one in enumerate(letters))

    judgements = [
        judged(Verdict.REGRESSED, rows("n150", "x"), seen=rows("n150", "PPPx"), arch="n150"),
        judged(Verdict.UNKNOWN, (), seen=rows("n300-llmbox", "Px"), arch="n300-llmbox"),
    ]
    other = judged(Verdict.REGRESSED, rows("n150", "xx"), seen=rows("n150", "xx"), arch="n150")
    items = [InboxItem("a", Concern.NOT_PROPOSED, tuple(judgements)), InboxItem("b", Concern.NOT_PROPOSED, (other,))]
    series = {("", one.arch): one.seen for one in judgements}
    assert [
        line[: line.index("/")] for line in _plain(strip_lines(judgements, 99, {a: s for (_, a), s in series.items()}))
    ] == [
        "n150        PPPx 3",
        "n300-llmbox   Px 1",
    ]
    assert _plain(group_lines(items, {}, 99)) == [
        f"{'a':99}",
        "  n150 PPPx 3/4  n300-llmbox   Px 1/2",
        f"{'b':99}",
        "  n150   xx 0/2",
    ]


def test_a_row_has_the_results_of_its_detail_not_only_those_that_decided() -> None:
    newest = (observed(when=1.0), observed(Ending.NOT_RUN, when=2.0), observed(Ending.FAILED, when=3.0))
    item = InboxItem("a", Concern.NOT_PROPOSED, (judged(Verdict.REGRESSED, newest[-1:], seen=newest),))
    (one,) = _listed([item], Shown.ATTENTION, Pending())
    (_, _, _, evidence, _) = TriageLook(TriageBy.NOTHING).change(one)
    assert evidence[0].text == "n150 Px 1/2"
    assert item.passes["n150"].text == "1/2"


def test_a_column_of_evidence_has_room_for_the_newest_result() -> None:
    rows = [observed(Ending.FAILED if at == 11 else Ending.PASSED, when=float(at)) for at in range(12)]
    text = summary_text({"n150": rows}, 12)
    assert text.startswith("n150 PPPPPPPPPPPx 11/12")
    look = TriageLook(TriageBy.CAUSE, strip=12)
    widths = {column.title: column.width for column in look.columns}
    assert widths["evidence"] >= len("n150 PPPPPPPPPPPx 11/12")
    assert {size_of(name).width for name in (EVIDENCE, PCC_COURSE, TIME_COURSE)} == {len("n150 PPPPPPPPPPPx 11/12")}


def test_a_group_says_what_its_tests_share_and_shows_each_whole_strip() -> None:
    def night(number: int, ending: Ending) -> Observation:
        reason = "TT_FATAL: no" if ending is Ending.FAILED else ""
        when = 86_400.0 * number
        return observed(ending, reason, test_id="a", run=f"nightly-{number}", when=when, host=f"host-{number % 2}")

    rows = [night(number, Ending.PASSED) for number in range(1, 9)] + [night(9, Ending.FAILED)]
    one = judged(Verdict.REGRESSED, rows[-1:], since="nightly-9", earlier=tuple(rows[6:8]), grade=1)
    op = Operation(OpKind.SET, "a", "f", ("status",), "KNOWN_FAILURE_XFAIL")
    item = InboxItem("a", Concern.DECIDE, (one,), Proposal("a", (one,), (op,), BaseEntry("f", "a", {})))
    between = Between(
        "0" * 40, "1" * 40, tuple(OneCommit("c" * 40, "2026-11-27", "me", f"change {n}") for n in range(7))
    )
    commits = [Commits("tt-xla", between, "https://example.com/compare")]
    shared = replace(shared_by([item]), of=219, others=("b", "c"))
    text = _plain([*shared_lines(shared, commits, 80, "XFAIL"), *group_lines([item], {("a", "n150"): rows}, 80)])
    assert [line.rstrip() for line in text] == [
        "TT_FATAL: no",
        "proposed: XFAIL",
        "since nightly-9 (1970-01-10); before that: nightly-8 (1970-01-09)",
        "1 of the 219 tests that ran, on n150; 1 host: host-1",
        "grade 1 of 5",
        "2 tests outside of this group end like this too:",
        "  b",
        "  c",
        "tt-xla: 7 commits, 0000000000 to 1111111111",
        *(f"  cccccccccc 2026-11-27 change {n}" for n in range(5)),
        "  and 2 more",
        "  https://example.com/compare",
        "a",
        "  n150 PPPPPPPPx 8/9",
    ]


def test_different_reasons_are_one_proposal() -> None:
    def change(reason: str, status: str = "KNOWN_FAILURE_XFAIL") -> Change:
        values = {"status": status, "reason": reason}
        return Change(tuple(Operation(OpKind.SET, "a", "f", (name,), value) for name, value in values.items()))

    assert proposed_words([change("one"), change("one")]) == 'XFAIL; "one"'
    assert proposed_words([change("one"), change("two")]) == "XFAIL, each with its reason"
    mixed = [change("one"), change("two"), change("three", "NOT_SUPPORTED_SKIP")]
    assert proposed_words(mixed) == 'XFAIL, each with its reason (2); or SKIP; "three" (1)'


def test_tests_below_a_heading_are_indented_and_one_without_is_not() -> None:
    listed = _listed(ITEMS, Shown.ATTENTION, Pending())
    groups = group_listed(listed, TriageBy.VERDICT, lambda id: id)
    rows = ReviewRows(groups, TriageLook(TriageBy.VERDICT), {group.key for group in groups})
    lines = [at for at, line in enumerate(rows.lines) if line.change is not None]
    starts = {rows.heading_of(at) is not None: rows.cells(at)[0][0].text for at in lines}
    assert starts[True] == "  " and starts[False].strip()
