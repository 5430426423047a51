# SPDX-License-Identifier: Apache-2.0
"""The words of commits and pull requests."""

import pytest

from core.domain.model import Entry
from core.edits import EntryChange
from core.edits.commit import entry_row, justified, title
from core.edits.commit.message import commit_message

_LONG = "qwen_2_5/causal_lm/pytorch-0.5B_Instruct-llm_decode-seq_1-batch_1-fsdp-dp-tensor_parallel-mesh_2x4-training"
LINK = "https://github.com/tenstorrent/tt-xla/issues/7"


def entry(id: str, **fields: object) -> Entry:
    return Entry(id, "f", 1, 1, fields)


def change(id: str, before: dict[str, object] | None, after: dict[str, object] | None, was: str = "") -> EntryChange:
    return EntryChange(
        id,
        entry(was or id, **before) if before is not None else None,
        entry(id, **after) if after is not None else None,
        was,
    )


XFAIL: dict[str, object] = {"status": "KNOWN_FAILURE_XFAIL", "reason": f"OOM - {LINK}"}
PASS: dict[str, object] = {"status": "EXPECTED_PASSING"}


@pytest.mark.parametrize(
    ("changes", "key", "said"),
    [
        ([change("a", XFAIL, PASS)], "", "Expect a to pass"),
        ([change("a", XFAIL, PASS), change("b", XFAIL, PASS)], "DRAM OOM", "Expect 2 tests to pass: DRAM OOM"),
        ([change("a", PASS, XFAIL)], "", "Expect a to fail"),
        ([change("a", None, PASS)], "", "Add a"),
        ([change("a", PASS, None)], "", "Remove the entry of a"),
        ([change("a", PASS, PASS, "old")], "", "Rename a"),
        ([change("a", PASS, {**PASS, "required_pcc": 0.98})], "", "Update required_pcc of a"),
        ([change("a", XFAIL, PASS), change("b", PASS, XFAIL)], "", "Update expectations of 2 tests"),
        ([change("a" * 90, XFAIL, PASS)], "key", "Expect one test to pass"),
        ([change(_LONG, XFAIL, PASS)], "", "Expect qwen_2_5/causal_lm 0.5B_Instruct llm_decode training to pass"),
        ([change(_LONG, PASS, None)], "", "Remove the entry of qwen_2_5/causal_lm 0.5B_Instruct llm_decode training"),
        (
            [change(_LONG.replace("causal_lm", "causal_" + "l" * 50), XFAIL, PASS)],
            "",
            "Expect 0.5B_Instruct training to pass",
        ),
        (
            [change(f"{'deep/' * 9}net/pytorch-single_device-training", XFAIL, PASS)],
            "",
            f"Expect {'deep/' * 9}net training to pass",
        ),
        (
            [change("a", PASS, XFAIL), change("b", PASS, XFAIL)],
            "Out of Memory: Not enough space to allocate 83886080 B DRAM buffer across 12 banks",
            "Expect 2 tests to fail: Out of Memory: Not enough space to allocate",
        ),
        ([change("a", PASS, XFAIL), change("b", PASS, XFAIL)], "x" * 80, "Expect 2 tests to fail"),
        ([change("a", PASS, XFAIL), change("b", PASS, XFAIL)], "n150", "Expect 2 tests to fail: n150"),
    ],
)
def test_title(changes: list[EntryChange], key: str, said: str) -> None:
    assert title(changes, key) == said
    assert len(said) <= 72
    assert "…" not in said


def test_message() -> None:
    changes = [change("a", XFAIL, PASS), change("b", XFAIL, PASS), change("c", PASS, {**PASS, "reason": "x\ny"})]
    entries = {one.id: one for one in (each.before for each in changes) if one}
    assert commit_message(changes, entries, evidence={"b": ["https://example.com/run/1"], "z": ["no"]}) == (
        "Update expectations of 3 tests\n\n"
        "status: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING\nreason removed\n  a\n  b\n\n"
        "reason: x y\n  c\n\n"
        "Evidence:\n  https://example.com/run/1\n\n"
        "Fixes tenstorrent/tt-xla#7\n"
    )


def test_the_row_of_an_entry() -> None:
    """Nothing in it is markup."""
    assert entry_row(change("a|b", XFAIL, {**PASS, "reason": "`tick` | @someone"})) == (
        "| `a\\|b` | `status: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING`"
        f"<br>`` reason: OOM - {LINK} -> `tick` \\| @someone `` |"
    )


def test_evidence_is_a_nested_list_in_which_nothing_is_markup() -> None:
    lines = (
        "since nightly-9, https://example.com/a_b_c",
        "  failed: <b>@someone</b> *x* `y`",
        "    n150 failed 1 of 1",
    )
    (evidence, _) = justified([change("a", XFAIL, PASS)], {}, {"a": lines})
    assert evidence.splitlines()[-3:] == [
        "- since nightly-9, https://example.com/a_b_c",
        "  - `` failed: <b>@someone</b> *x* `y` ``",
        "    - n150 failed 1 of 1",
    ]
