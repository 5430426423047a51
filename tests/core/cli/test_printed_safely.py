# SPDX-License-Identifier: Apache-2.0
"""One door for everything printed: a terminal gets no control character, JSON escapes them, a pipe gets ids exactly."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.text import json_text
from core.cli import main
from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import committed_checkout
from tests.support.tree import INFERENCE, LOADERS, loader_source, write_checkout

EVIL = "evil\x1b]52;c;ZXZpbA==\x07\x9b31m\u202e\u200bx"
"""A directory that would set the clipboard, colour what follows and turn its direction."""
ID = f"{EVIL}/pytorch-single_device-inference"
_COLOURS = re.compile(r"\x1b\[(0|2|3[2-6])m")
_RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
COMMANDS = (
    ("list", "evil"),
    ("list", "--format", "ids", "evil"),
    ("list", "--format", "csv", "evil"),
    ("list", "--universe", "collected", "--format", "ids", "evil"),
    ("list", "--json", "evil"),
    ("show", ID),
    ("show", "--json", ID),
    ("jobs", ID),
    ("doctor",),
    ("doctor", "--json"),
    ("history", ID),
    ("report",),
    ("report", "--format", "html"),
    ("edit", "--apply", "-"),
    ("edit", "--apply", "-", "--json"),
    ("edit", "--apply", "-", "--markdown"),
)
PLAIN = "alpha/pytorch-tiny-single_device-inference"
OPERATIONS = json.dumps([{"op": "set", "id": PLAIN, "path": ["status"], "value": "EXPECTED_PASSING"}])


class Screen(io.StringIO):
    """Standard output or error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A loader in the directory, and an entry with the id and a reason that are no better."""
    entry = f"    status: KNOWN_FAILURE_XFAIL\n    reason: {json.dumps(EVIL)}\n    {json.dumps(EVIL)}: 1\n"
    yaml = f"test_config:\n  {json.dumps(ID)}:\n{entry}  {PLAIN}:\n{entry}"
    root = tmp_path_factory.mktemp("evil") / "tt-xla"
    loaders = {**LOADERS, f"{EVIL}/pytorch": loader_source([])}
    return committed_checkout(write_checkout(root, loaders, {INFERENCE: yaml}))


def shown(monkeypatch: pytest.MonkeyPatch, *words: object) -> str:
    """Everything that a terminal gets from a command, but for our own colours."""
    screens = Screen(), Screen()
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", "100")
        patch.setattr(sys, "stdout", screens[0])
        patch.setattr(sys, "stderr", screens[1])
        patch.setattr(sys, "stdin", io.StringIO(OPERATIONS))
        main([*map(str, words)], lambda request: 70)
    return _COLOURS.sub("", screens[0].getvalue() + screens[1].getvalue())


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_terminal_gets_nothing_raw(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    text = shown(monkeypatch, *words, "--repo", checkout.root)
    assert "evil" in text or words[0] in ("report", "history", "edit"), text
    assert _RAW.search(text) is None, repr(text)


@pytest.mark.parametrize("words", [("show", f"no{EVIL}"), (f"--{EVIL}",), ("list", f"status:{EVIL}")])
def test_mistakes_are_repeated_safely(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    text = shown(monkeypatch, *words, "--repo", checkout.root)
    assert text and _RAW.search(text) is None, repr(text)


def test_a_pipe_gets_ids_that_can_be_given_back(checkout: Checkout) -> None:
    ids = call("list", "--format", "ids", "evil", "--repo", checkout.root).out.splitlines()
    assert ID in "\n".join(ids)
    assert call("show", ID, "--json", "--repo", checkout.root).json["id"] == ID


@pytest.mark.parametrize("words", [words for words in COMMANDS if "--json" in words], ids=" ".join)
def test_json_is_exact_and_escaped(checkout: Checkout, words: tuple[str, ...]) -> None:
    called = call(*words, "--repo", checkout.root, stdin=OPERATIONS)
    if words[0] in ("list", "show"):
        assert ID in _texts(called.json)
    assert _RAW.search(called.out) is None


def _texts(value: object) -> list[object]:
    """Every text in a document."""
    match value:
        case dict():
            return [text for one in value.values() for text in _texts(one)]
        case list():
            return [text for one in value for text in _texts(one)]
        case _:
            return [value]


def test_sarif_is_escaped(checkout: Checkout, tmp_path: Path) -> None:
    call("doctor", "--sarif", tmp_path / "log", "--repo", checkout.root)
    assert _RAW.search((tmp_path / "log").read_text()) is None


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_any_value_comes_back_from_its_text(value: object) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert _RAW.search(text) is None and not any("\ud800" <= one <= "\udfff" for one in text)
