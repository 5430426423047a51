# SPDX-License-Identifier: Apache-2.0
"""core.edits.facts: what a commit says of results, with each run named once."""

from dataclasses import replace

from core.edits import CellFacts, CommitRange, Operation, OpKind, RunFacts, evidence_lines, with_gates

PAGE = "https://github.com/tenstorrent/tt-xla/actions/runs"
SINCE = RunFacts("nightly-9", "2026-11-24", f"{PAGE}/9", f"{PAGE}/9/job/71")
BEFORE = RunFacts("nightly-8", "2026-11-23", f"{PAGE}/8")
COMMITS = CommitRange("tt-xla", "a" * 40, "b" * 40, 7, "https://github.com/tenstorrent/tt-xla/compare/a...b")


def cell(id: str = "one", arch: str = "n150", **fields: object) -> CellFacts:
    plain = CellFacts(id, arch, "failed", "DRAM OOM", 3, 3, ("f10",), SINCE, BEFORE, (COMMITS,), 0.99, 0.99)
    return replace(plain, **fields)  # type: ignore[arg-type]


def test_what_tests_have_in_common_is_said_once() -> None:
    cells = [cell(id, arch, hosts=(f"host-{arch}",)) for id in ("one", "two") for arch in ("n150", "p150")]
    assert evidence_lines(cells) == [
        f"since nightly-9 (2026-11-24), {PAGE}/9; before that: nightly-8 (2026-11-23)",
        "  tt-xla aaaaaaaaaa..bbbbbbbbbb: 7 commits, https://github.com/tenstorrent/tt-xla/compare/a...b",
        "  2 tests, failed, 2 hosts: DRAM OOM",
        "    n150 failed 3 of 3; p150 failed 3 of 3",
        f"    job: {PAGE}/9/job/71",
    ]


def test_a_run_is_named_once_whatever_began_in_it() -> None:
    others = RunFacts("nightly-7", "2026-11-22")
    cells = [cell(), cell("two", cause="Segfault"), cell("three", before=others), cell("four", before=None)]
    said = "\n".join(evidence_lines(cells))
    assert [said.count(name) for name in ("nightly-9", "nightly-8", "nightly-7")] == [1, 1, 1]
    assert "also since then; before that: nightly-7 (2026-11-22)" in said
    assert "  failed, 1 host: Segfault" in said


def test_numbers_that_differ_have_a_line_for_each_test() -> None:
    low = cell("one", ending="inaccurate", gate_after=0.97, lowest=0.97839)
    off = cell(
        "two", ending="inaccurate", gate_before=None, gate_after=0.98, lowest=0.98499, guidance=("ENABLE_PCC_098",)
    )
    lines = evidence_lines([low, off])
    assert "    one: n150 inaccurate 3 of 3, gate 0.99 -> 0.97, lowest 0.9783" in lines
    assert "    two: n150 inaccurate 3 of 3, gate off -> 0.98, lowest 0.9849" in lines
    assert "    guidance: ENABLE_PCC_098" in lines


def test_a_hundred_tests_take_no_hundred_lines() -> None:
    cells = [cell(f"test {at}", lowest=0.9 + at / 1000) for at in range(100)]
    lines = evidence_lines(cells)
    assert len(lines) < 30
    assert "    and 80 more tests, lowest 0.9200" in lines


def test_texts_come_first_and_inner_ones_stay_where_they_are() -> None:
    texts = ["https://example.com/1", "since x", "  same", "since y", "  same", "https://example.com/1", "two\nlines"]
    assert evidence_lines([cell(), *texts])[:6] == [*texts[:5], "two lines"]


def test_thresholds_follow_what_a_person_types() -> None:
    ops = [
        Operation(OpKind.SET, "one", path=("required_pcc",), value=0.975),
        Operation(OpKind.SET, "one", path=("arch_overrides", "p150", "assert_pcc"), value=False),
    ]
    fields = {"status": "EXPECTED_PASSING", "required_pcc": 0.98}
    made = with_gates([cell(), cell(arch="p150")], fields, ops)
    assert [(one.gate_before, one.gate_after) for one in made] == [(0.98, 0.975), (0.98, None)]
