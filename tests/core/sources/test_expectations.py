# SPDX-License-Identifier: Apache-2.0
"""Entries with their places, and every problem of a file at once."""

from pathlib import Path

import pytest

from core.sources import Schema, parse_expectations, read_expectations
from tests.core.sources.test_yaml_syntax import BOMB
from tests.support.tree import INFERENCE, sample, write_checkout


def test_entries_know_where_they_are(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    file = next(one for one in read_expectations(checkout, Schema()) if one.name == INFERENCE)
    assert [(entry.line, entry.end_line) for entry in file.entries] == [(2, 3), (5, 11), (12, 15)]
    second = file.entries[1]
    assert second.fields["supported_archs"] == ["n150", "n300-llmbox"]
    assert second.overrides == {"n150": {"status": "KNOWN_FAILURE_XFAIL", "reason": "DRAM OOM"}}
    assert file.entry_text(file.entries[0]) == (
        "  alpha/pytorch-tiny-single_device-inference:\n    status: EXPECTED_PASSING"
    )


def test_every_part_of_an_entry_knows_its_place() -> None:
    text = "test_config:\n  a:\n    x: [1, {y: 2}]\n    arch_overrides:\n      n150: {z: 3}\n  b: text\n"
    first, second = parse_expectations(text, "f").entries
    assert first.places == {
        (): (2, 3),
        ("x",): (3, 5),
        ("x", "0"): (3, 9),
        ("x", "1"): (3, 12),
        ("arch_overrides",): (4, 5),
        ("arch_overrides", "n150"): (5, 7),
        ("arch_overrides", "n150", "z"): (5, 14),
    }
    assert second.places == {(): (6, 3)}


def test_values_mean_what_yaml_1_2_says() -> None:
    text = "test_config:\n  a:\n    x: true\n    y: no\n    n: null\n    i: 3\n    f: 0.98\n    s: '1'\n    e: 1e-3\n"
    fields = parse_expectations(text, "f").entries[0].fields
    assert fields == {"x": True, "y": "no", "n": None, "i": 3, "f": 0.98, "s": "1", "e": 0.001}


def test_duplicates_are_findings_and_the_last_one_counts() -> None:
    text = "test_config:\n  a:\n    x: 1\n    x: 2\n  a:\n    x: 3\n"
    file = parse_expectations(text, "f")
    assert [entry.fields["x"] for entry in file.entries] == [2, 3]
    assert [(finding.kind, finding.line) for finding in file.findings] == [("duplicate-key", 4), ("duplicate-key", 5)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_after_an_entry_are_not_part_of_it(newline: str) -> None:
    lines = ["test_config:", "  a:", "    x: 1 # why", "", "  # banner", "  b:", "    y:", "      - one", "  # end"]
    file = parse_expectations(newline.join(lines), "f")
    assert [file.entry_text(entry) for entry in file.entries] == ["  a:\n    x: 1 # why", "  b:\n    y:\n      - one"]


def test_a_byte_order_mark_moves_nothing() -> None:
    file = parse_expectations("\ufefftest_config:\n  a:\n    x: 1\n", "f")
    assert file.entry_text(file.entries[0]) == "  a:\n    x: 1"


@pytest.mark.parametrize("style", ["|", ">-"])
def test_a_block_scalar_ends_with_its_last_line(style: str) -> None:
    file = parse_expectations(f"test_config:\n  a:\n    reason: {style}\n      one\n      two\n  b:\n    x: 1\n", "f")
    assert file.entry_text(file.entries[0]).endswith("      two")


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("test_config:\n  a: [\n", "broken-yaml", 3),
        ("test_config:\n  a: text\n", "bad-value", 2),
        ("test_config:\n  a:\n", "bad-value", 2),
        ("test_config: [a]\n", "bad-value", 1),
        ("other: {}\n", "bad-value", 1),
        ("test_config:\n  a: &x [*x]\n", "broken-yaml", 0),
        ("test_config:\n  a: &x\n    b: *x\n", "broken-yaml", 0),
        ("a: 1\n---\nb: 1\n", "broken-yaml", 2),
    ],
)
def test_problems_have_their_place(text: str, kind: str, line: int) -> None:
    file = parse_expectations(text, "f", "dir/f")
    assert [(one.kind, one.line, one.file) for one in file.findings] == [(kind, line, "dir/f")]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "test_config:\n"])
def test_nothing_written_is_no_problem(text: str) -> None:
    file = parse_expectations(text, "f")
    assert (file.entries, file.findings) == ((), ())


def test_placeholders_are_keys_without_entries(tmp_path: Path) -> None:
    text = "PLACEHOLDER_MODELS:\n  org/Some Model:\n    bringup_status: NOT_STARTED\n"
    checkout = write_checkout(tmp_path, {}, {"torch/test_config_placeholders.yaml": text})
    (file,) = read_expectations(checkout, Schema())
    assert [(one.id, one.fields) for one in file.placeholders] == [
        ("org/Some Model", {"bringup_status": "NOT_STARTED"})
    ]
    assert file.entries == ()


def test_a_file_that_is_not_utf8_is_a_finding_and_the_rest_loads(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (checkout.test_config / "jax" / "test_config_inference_single_device.yaml").write_bytes(b"\xff")
    files = read_expectations(checkout, Schema())
    assert sum(len(file.entries) for file in files) == 5
    assert [one.kind for file in files for one in file.findings] == ["broken-yaml"]


def test_the_real_files_parse_without_a_finding(shared_test_config: Path) -> None:
    paths = [path for path in shared_test_config.rglob("test_config_*.yaml") if "placeholders" not in path.name]
    files = [parse_expectations(path.read_text(), path.name) for path in paths]
    assert sum(len(file.entries) for file in files) == 1999
    assert [one for file in files for one in file.findings] == []


def test_a_file_that_nobody_wrote_is_a_finding_and_is_not_loaded(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    directory = checkout.test_config / "torch"
    (directory / "test_config_big.yaml").write_text("test_config:\n" + "  # nothing\n" * 200_000)
    (directory / "test_config_deep.yaml").write_text("test_config: " + "[" * 16_000)
    (directory / "test_config_bomb.yaml").write_text(BOMB)
    (directory / "test_config_gone.yaml").symlink_to("nowhere")
    files = {Path(file.name).stem: file for file in read_expectations(checkout, Schema())}
    told = {name[12:]: file.findings[0].message for name, file in files.items() if file.findings}
    assert told == {
        "big": "Out of bounds: it has 2,400,013 characters; at most 2,097,152 are read",
        "bomb": "Out of bounds: its aliases make more than 1,000,000 values of it",
        "deep": "Out of bounds: it nests more than 64 deep on line 1",
        "gone": "Cannot be read: No such file or directory",
    }
    assert all(not file.text for name, file in files.items() if name.endswith("big"))
