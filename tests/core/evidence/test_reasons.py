# SPDX-License-Identifier: Apache-2.0
"""core.evidence.reasons: the constant part of a reason, and which reasons mean the same failure."""

import pytest
from hypothesis import given, strategies as st

from core.evidence import alike, quotable, signature
from core.evidence.reasons import normalise, quoted_pcc, without_links
from core.runs import plain_line

LINK = "https://github.com/tenstorrent/tt-xla/issues/4714"
DRAM = (
    "Out of Memory: Not enough space to allocate 268435456 B DRAM buffer across 12 banks, "
    "where each bank needs to store 22636544 B, but bank size is 1073741792 B"
)
_WORDS = st.sampled_from(
    [
        "E ", "RuntimeError: ", "AssertionError: ", "error: ", "0x7f", "12", ".5", "-1e-7", "1x3x224", "xf32", "(1, 2)", "[", "]",
        "/tmp/a", "a/b/c.py:12", "assert.hpp:104", "(", ")", " ", ".", ":", "-", LINK, "tracked by ", "deadbeef1", "pcc=", "nan",
        "signal 6", "RuntimeError('", "')", "#", "<shape>", "…", "code: 13",
    ]
)  # fmt: skip
_TEXTS = st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=14).map("".join))


@pytest.mark.parametrize(
    ("text", "core"),
    [
        (f"Buffer must be allocated on device - {LINK}", "buffer must be allocated on device"),
        (f"E   RuntimeError: Buffer must be allocated on device! ({LINK})", "buffer must be allocated on device"),
        (f"Training hangs. Tracked by {LINK}.", "training hangs"),
        ("ValueError: Node arity mismatch; expected 13, but got 16.", "node arity mismatch; expected #, but got #"),
        ("'ttnn.pad' op shape (32,768) not [1, 2]", "'ttnn.pad' op shape <shape> not <shape>"),
        ("tensor<1x3x224x224xbf16> at 0x7ffe12ab", "tensor<<shape>> at #"),
        ("no /home/me/model.py:12 here", "no <path> here"),
        ("no space (bank_manager.cpp:462)", "no space"),
        ("bank_manager.cpp:462: no space", "<place>: no space"),
        ("at 2026-01-02 12:00:01.123 gone", "at # # gone"),
        ("KeyError: 'shape'", "keyerror: 'shape'"),
        ("conv2d on n150 in bf16", "conv2d on n150 in bf16"),
        ("", ""),
    ],
)
def test_what_stays(text: str, core: str) -> None:
    assert normalise(text) == core


@given(_TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(_TEXTS)
def test_neither_case_nor_space_nor_a_link_tells_reasons_apart(text: str) -> None:
    assert normalise(f"  {text.upper().lower()}\n") == normalise(text.upper().lower())
    assert normalise(f"buffer gone - {LINK}") == "buffer gone"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("DRAM OOM", DRAM),
        (DRAM, DRAM.replace("268435456", "1").replace("RuntimeError: ", "")),
        ("AssertionError: PCC comparison failed. Calculated: pcc=0.95. Required: pcc=0.99", "Severe PCC comparison failed: pcc=-0.1"),
        ("Training hangs (job exceeds 240-min CI timeout, no result)", "RuntimeError: Test Hangs"),
        ("Failed: Timeout (>60.0s) from pytest-timeout.", "Model timed out during compilation"),
        (
            "stopped after 61 s, still working; the limit is 60 s",
            "stopped after 3601 s, the last 70 s without output or work; the limit is 3600 s",
        ),
        ("Buffer must be allocated", "TT_FATAL: Buffer must be allocated on device!"),
    ],
)  # fmt: skip
def test_alike(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DRAM, DRAM.replace("DRAM", "L1")),
        ("PCC comparison failed. Calculated: pcc=nan", "PCC comparison failed. Calculated: pcc=0.5"),
        ("crashed with signal 6", "crashed with signal 11"),
        ("failed to legalize operation 'ttir.gather'", "failed to legalize operation 'ttir.scatter'"),
        ("Aborted", "the process Aborted in a matmul"),
        ("Model timed out during compilation", "RuntimeError: Test Hangs"),
        ("", "Buffer must be allocated on device"),
    ],
)
def test_not_alike(one: str, other: str) -> None:
    assert not alike(one, other)
    assert not alike(other, one)


@given(_TEXTS)
def test_a_reason_is_like_itself(text: str) -> None:
    assert alike(text, text)


def test_a_signature_has_no_number_of_one_run() -> None:
    assert signature(DRAM) == signature(DRAM.replace("12 banks", "8 banks")) == signature("dram oom")
    assert signature("") == ""


def test_links_go_with_what_leads_to_them() -> None:
    assert without_links(f"Hangs in runtime - {LINK}") == "Hangs in runtime"
    assert without_links(f"Test hangs. Tracked by {LINK}.") == "Test hangs"


def test_the_telling_part_is_verbatim_and_short() -> None:
    assert quotable("x\nTT_FATAL: Buffer gone (assert.hpp:104)\n") == "TT_FATAL: Buffer gone (assert.hpp:104)"
    assert len(quotable(DRAM)) <= 200
    assert quotable("RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13") == ""
    assert quotable("ValueError: Error code: 13\nBuffer gone") == "Buffer gone"
    assert quotable("E   ValueError: Error code: 13\nE   \nE   While executing %x : [num_users=1]\nE   None") == ""
    assert quotable("Bad StatusOr access: INTERNAL: Error code: 13; TT_FATAL no device") == "TT_FATAL no device"
    assert quotable("  DeprecationWarning: old\nE   no sign of an error") == "no sign of an error"
    assert quotable("") == ""
    canonical = (
        "RuntimeError: Index put requires the source and destination dtypes match, got Float for the destination and "
        "BFloat16 for the source."
    )
    assert quotable(canonical) == canonical
    assert quotable(f"ValueError: {'word ' * 60}").endswith("word…")


@given(_TEXTS)
def test_the_telling_part_is_one_plain_line(text: str) -> None:
    found = quotable(text)
    assert len(found) <= 200 and found == plain_line(found).strip()


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ("ValueError: one\ntwo", "ValueError: one"),
        ("E   ValueError: one\nE   two", "ValueError: one"),
        ("RuntimeError: Error code: 13\nTT_FATAL: no room\nmore", "TT_FATAL: no room"),
        ("RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13", ""),
        ("  DeprecationWarning: old\nValueError: x", "ValueError: x"),
    ],
)
def test_the_line_to_quote(error: str, line: str) -> None:
    assert quotable(error) == line


@given(st.text())
def test_a_line_is_verbatim_as_far_as_it_goes_and_never_generic(error: str) -> None:
    line = quotable(error)
    assert "\n" not in line
    assert "error code: 13" not in line.lower()
    shown = "\n".join(" ".join(plain_line(one).split()) for one in error.splitlines())
    assert line.removesuffix("…") in shown


@pytest.mark.parametrize(
    ("text", "pcc"),
    [
        ("PCC comparison failed. Calculated: pcc=0.9783. Required: pcc=0.98", 0.9783),
        (f"Bad PCC on blackhole - Calculated: pcc=0.989 - {LINK}", 0.989),
        ("Severe PCC comparison failed: pcc=-0.011 < 0.99 required", -0.011),
        ("PCC drops to .96 since the uplift", 0.96),
        ("0.95 PCC on n150", 0.95),
        ("PCC below 0.99", None),
        ("Calculated: pcc=nan (invalid value). Required: pcc=0.99", None),
        ("TT_FATAL in release 0.62", None),
        ("", None),
    ],
)
def test_the_number_that_a_reason_quotes(text: str, pcc: float | None) -> None:
    assert quoted_pcc(text) == pcc
