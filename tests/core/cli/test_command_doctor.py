# SPDX-License-Identifier: Apache-2.0
"""`doctor`: table, JSON, SARIF, kinds and exit codes."""

import json
from pathlib import Path

import pytest

from core.doctor import kinds
from core.sources import Checkout
from tests.support.cli import call
from tests.support.tree import INFERENCE, LOADERS, TRAINING, write_checkout

ID = "alpha/pytorch-tiny-single_device-inference"
YAML = {
    INFERENCE: f"test_config:\n  {ID}:\n    status: EXPECTED_PASSING\n    required_pcc: 0.99\n",
    TRAINING: 'test_config:\n  alpha/pytorch-tiny-single_device-training:\n    reason: "\\e[31mred"\n',
}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return write_checkout(tmp_path / "tt-xla", LOADERS, YAML)


def test_the_table_points_at_file_and_line(checkout: Checkout) -> None:
    called = call("doctor", "--repo", checkout.root)
    assert called.code == 1
    header, first, second = called.out.splitlines()
    assert header.split() == ["file:line", "severity", "kind", "message"]
    assert first.split(maxsplit=3) == [
        f"tests/runner/test_config/{INFERENCE}:4",
        "note",
        "redundant-default",
        f"required_pcc is 0.99 by default [{ID}]",
    ]
    assert second.split()[:3] == [f"tests/runner/test_config/{TRAINING}:2", "warning", "no-status"]
    assert called.err == "2 findings: 1 no-status, 1 redundant-default\n"


def test_json_is_the_list_with_the_operations(checkout: Checkout) -> None:
    first, second = call("doctor", "--json", "--repo", checkout.root).json
    assert first == {
        "kind": "redundant-default",
        "severity": "note",
        "message": "required_pcc is 0.99 by default",
        "file": f"tests/runner/test_config/{INFERENCE}",
        "line": 4,
        "column": 5,
        "id": ID,
        "mend": [{"op": "unset", "id": ID, "file": INFERENCE, "path": ["required_pcc"]}],
    }
    assert second["mend"] == []


def test_the_fix_goes_into_edit_as_it_is(checkout: Checkout) -> None:
    first, _ = call("doctor", "--json", "--repo", checkout.root).json
    edited = call("edit", "--apply", "-", "--write", "--repo", checkout.root, stdin=json.dumps(first["mend"]))
    assert edited.code == 0
    assert [one["kind"] for one in call("doctor", "--json", "--repo", checkout.root).json] == ["no-status"]


@pytest.mark.parametrize(
    ("kinds", "code"), [("no-status", 1), ("broken-yaml", 0), ("broken-yaml, redundant-default", 1)]
)
def test_only_the_kinds_asked_for_fail(checkout: Checkout, kinds: str, code: int) -> None:
    called = call("doctor", "--fail-on", kinds, "--repo", checkout.root)
    assert called.code == code
    assert len(called.out.splitlines()) == 3


def test_nothing_found_is_0(checkout: Checkout) -> None:
    for name in YAML:
        (checkout.test_config / name).write_text("test_config:\n")
    called = call("doctor", "--repo", checkout.root)
    assert (called.code, called.out, called.err) == (0, "", "no findings\n")


@pytest.mark.parametrize("wanted", ["no-statu", "no-status,,bad-value", ""])
def test_an_unknown_kind_is_64_with_the_list(checkout: Checkout, wanted: str) -> None:
    called = call("doctor", "--fail-on", wanted, "--repo", checkout.root)
    assert (called.code, called.out) == (64, "")
    assert all(kind in called.err for kind in kinds())


def test_a_misspelt_kind_is_suggested(checkout: Checkout) -> None:
    assert "Did you mean no-status?" in call("doctor", "--fail-on", "no-statu", "--repo", checkout.root).err


def test_kinds_come_from_the_checks_and_need_no_checkout(tmp_path: Path) -> None:
    lines = call("doctor", "--kinds", "--repo", tmp_path).out.splitlines()
    assert [line.split(maxsplit=1) for line in lines[1:]] == [[kind, text] for kind, text in kinds().items()]
    listed = call("doctor", "--kinds", "--json", "--repo", tmp_path).json
    assert {one["kind"]: one["help"] for one in listed} == kinds()


def test_sarif_beside_the_table_or_instead(checkout: Checkout, tmp_path: Path) -> None:
    target = tmp_path / "log.sarif"
    called = call("doctor", "--sarif", target, "--repo", checkout.root)
    assert called.code == 1
    assert len(called.out.splitlines()) == 3
    log = json.loads(target.read_text())
    assert log == call("doctor", "--sarif", "-", "--repo", checkout.root).json
    first, second = log["runs"][0]["results"]
    (replacement,) = first["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement == {
        "deletedRegion": {"startLine": 4, "startColumn": 1, "endLine": 5, "endColumn": 1},
        "insertedContent": {"text": ""},
    }
    assert "fixes" not in second


def test_two_documents_on_one_output_are_64(checkout: Checkout) -> None:
    called = call("doctor", "--sarif", "-", "--json", "--repo", checkout.root)
    assert called.code == 64


def test_a_log_that_cannot_be_written_is_2(checkout: Checkout, tmp_path: Path) -> None:
    called = call("doctor", "--sarif", tmp_path / "absent" / "log", "--repo", checkout.root)
    assert called.code == 2
    assert "Cannot write" in called.err


def test_text_from_the_files_steers_no_terminal(checkout: Checkout) -> None:
    (checkout.test_config / INFERENCE).write_text('test_config:\n  "a\\e[2Jb":\n    status: "\\e[31m"\n')
    out = call("doctor", "--repo", checkout.root).out
    assert "bad-value" in out
    assert "\x1b" not in out
