# SPDX-License-Identifier: Apache-2.0
"""tui.textual_private: what a terminal sends, as keys."""

import time
from collections.abc import Sequence

import pytest
from textual import events
from textual.drivers import linux_driver

from tui.textual_private import KeyParser


def keys(*packets: str) -> Sequence[str]:
    parser = KeyParser()
    return [
        event.key if isinstance(event, events.Key) else type(event).__name__
        for packet in packets
        for event in parser.feed(packet)
    ]


@pytest.mark.parametrize(
    ("packets", "expected"),
    [
        (["\x1b1"], ["escape", "1"]),
        (["\x1b/x"], ["escape", "slash", "x"]),
        (["\x1b", "/x"], ["escape", "slash", "x"]),
        (["j\x1b5\x1b\r"], ["j", "escape", "5", "escape", "enter"]),
        (["\x1b\x1b\x15llama"], ["escape", "escape", "ctrl+u", *"llama"]),
        (["\x1b/status:xfail and much more than a sequence has"], ["escape", "slash"]),
    ],
)
def test_esc_is_a_key_of_its_own(packets: list[str], expected: list[str]) -> None:
    assert list(keys(*packets))[: len(expected)] == expected


@pytest.mark.parametrize(
    ("packets", "expected"),
    [
        (["\x1b[A"], ["up"]),
        (["\x1b", "[A"], ["up"]),
        (["\x1b[", "Bj"], ["down", "j"]),
        (["\x1bOP"], ["f1"]),
        (["\x1bb"], ["ctrl+left"]),
        (["\x1b\x7f"], ["ctrl+w"]),
    ],
)
def test_sequences_are_one_key(packets: list[str], expected: list[str]) -> None:
    assert keys(*packets) == expected


def test_what_is_pasted_is_not_read_as_keys() -> None:
    assert keys("\x1b[200~a\x1b[201~", "\x1b1") == ["Paste", "escape", "1"]
    assert keys("\x1b[200~a", "b\x1b[201~", "\x1b1") == ["Paste", "escape", "1"]


def test_esc_whose_time_was_up_before_is_one_key() -> None:
    parser = KeyParser()
    assert not list(parser.feed("\x1b"))
    while not (waited := list(parser.tick())):
        time.sleep(0.01)
    assert [event.key for event in (*waited, *parser.feed("5")) if isinstance(event, events.Key)] == ["escape", "5"]


def test_the_driver_reads_with_it() -> None:
    assert vars(linux_driver)["XTermParser"] is KeyParser
