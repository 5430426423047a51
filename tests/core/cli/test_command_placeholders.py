# SPDX-License-Identifier: Apache-2.0
"""`placeholders`: a list, and edits, which are only diffs until --write is given."""

import json
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import Called, call
from tests.support.tree import INFERENCE, LOADERS, YAML, write_checkout

FILE = "torch/test_config_placeholders.yaml"
PLACEHOLDERS = "PLACEHOLDER_MODELS:\n  org/Delta:\n    bringup_status: NOT_STARTED\n  Other Model:\n    reason: Waits\n"
TEST = "delta/pytorch-single_device-inference"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return write_checkout(tmp_path / "tt-xla", LOADERS, YAML | {FILE: PLACEHOLDERS})


def _call(checkout: Checkout, *argv: object) -> Called:
    return call(*argv, "--repo", checkout.root)


def test_list_has_them_only_where_they_are_asked_for(checkout: Checkout) -> None:
    everything = _call(checkout, "list", "--format", "ids").out
    assert "Other Model" not in everything
    for words in ("is:placeholder", "kind:placeholder", "function:test_placeholder_models"):
        assert _call(checkout, "list", words, "--format", "ids").out == "Other Model\norg/Delta\n"
    (one,) = _call(checkout, "list", "is:placeholder", "bringup:not_started", "org", "--json").json
    assert (one["id"], one["kind"], one["model"], one["line"]) == ("org/Delta", "placeholder", "org_delta", 2)
    assert _call(checkout, "list", "--universe", "entries", "is:placeholder", "--format", "ids").out == ""


def test_the_tests_of_its_model_are_listed_and_shown(checkout: Checkout) -> None:
    other, delta = _call(checkout, "placeholders", "--json").json
    assert (other["id"], other["reason"], other["tests"]) == ("Other Model", "Waits", [])
    assert delta["tests"][0] == TEST
    assert _call(checkout, "show", "org/Delta", "--json").json == delta
    shown = _call(checkout, "show", "org/Delta").out
    assert "org_delta" in shown
    assert TEST in shown
    assert "No loader has exactly this model. The nearest: " in _call(checkout, "show", "Other Model").err


def test_promoted_it_is_an_entry_and_the_clash_is_gone(checkout: Checkout) -> None:
    file = checkout.test_config / FILE
    dry = _call(checkout, "placeholders", "org/Delta", "--promote", TEST, "--status", "EXPECTED_PASSING")
    assert dry.code == 0
    assert f"+  {TEST}:" in dry.out
    assert file.read_text() == PLACEHOLDERS
    done = _call(checkout, "placeholders", "org/Delta", "--promote", TEST, "--status", "EXPECTED_PASSING", "--write")
    assert done.code == 0
    assert file.read_text() == "PLACEHOLDER_MODELS:\n  Other Model:\n    reason: Waits\n"
    assert f"  {TEST}:\n    status: EXPECTED_PASSING\n" in (checkout.test_config / INFERENCE).read_text()
    assert not [one for one in _call(checkout, "doctor", "--json").json if one["kind"] == "placeholder-clash"]


def test_a_clash_is_ended_by_its_correction(checkout: Checkout) -> None:
    entry = f"\n  {TEST}:\n    status: EXPECTED_PASSING\n"
    inference = checkout.test_config / INFERENCE
    inference.write_text(inference.read_text() + entry)
    (clash,) = (one for one in _call(checkout, "doctor", "--json").json if one["kind"] == "placeholder-clash")
    operations = checkout.root.parent / "operations.json"
    operations.write_text(json.dumps(clash["mend"]))
    assert _call(checkout, "edit", "--apply", operations, "--write").code == 0
    assert (checkout.test_config / FILE).read_text() == "PLACEHOLDER_MODELS:\n  Other Model:\n    reason: Waits\n"
    assert not [one for one in _call(checkout, "doctor", "--json").json if one["kind"] == "placeholder-clash"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["Nothing"], "There is no placeholder 'Nothing'"),
        (["--remove"], "Nothing to remove"),
        (["org/Delta", "--remove", "--promote", TEST], "exclude each other"),
        (["org/Delta", "Other Model", "--promote", TEST], "One placeholder at a time"),
        (["org/Delta", "--promote", "no such test"], "There is no test"),
    ],
)
def test_what_cannot_be_meant_is_refused(checkout: Checkout, argv: list[str], words: str) -> None:
    called = _call(checkout, "placeholders", *argv)
    assert called.code == 64
    assert words in called.err
