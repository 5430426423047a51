# SPDX-License-Identifier: Apache-2.0
"""core.hosts.boards: which boards there are, and what archs they make."""

import json
from pathlib import Path

import pytest

from core.hosts import Boards, boards_here
from tests.support.boards import fake_tt_smi

N300 = ("n300 L", "n300 R")


@pytest.mark.parametrize(
    ("types", "arch", "text"),
    [
        ((), "", ""),
        (("n150 L",), "n150", "n150 (1 chip)"),
        (("n150", "n150"), "n150", "n150 (2 chips)"),
        (N300, "n300", "n300 (2 chips)"),
        (N300 * 2, "n300", "n300 (4 chips)"),
        (N300 * 4, "n300-llmbox", "n300 (8 chips)"),
        (("tt-galaxy-wh L",) * 32, "galaxy-wh-6u", "tt-galaxy-wh (32 chips)"),
        (("p150a",), "p150", "p150 (1 chip)"),
        (("p150b",) * 8, "lb-blackhole", "p150 (8 chips)"),
        (("p300c L", "p300c R") * 2, "qb2-blackhole", "p300 (4 chips)"),
        (("tt-galaxy-bh L",) * 32, "galaxy-bh", "tt-galaxy-bh (32 chips)"),
        (("n150", "p150a"), "", "n150 (1 chip), p150 (1 chip)"),
    ],
)
def test_the_arch_of_a_machine(types: tuple[str, ...], arch: str, text: str) -> None:
    boards = Boards(types)
    assert (boards.arch, boards.text) == (arch, text)


@pytest.mark.parametrize(
    ("types", "can", "cannot"),
    [
        (("n150 L",), ("n150", "some-new-arch"), ("n300", "p150", "n300-llmbox")),
        (N300, ("n150", "n300"), ("p150", "n300-llmbox")),
        (N300 * 4, ("n150", "n300", "n300-llmbox"), ("galaxy-wh-6u", "p150")),
        (("p150a",), ("p150",), ("n150", "qb2-blackhole")),
        ((), ("n150", "p150"), ()),
    ],
)
def test_what_a_machine_can_be(types: tuple[str, ...], can: tuple[str, ...], cannot: tuple[str, ...]) -> None:
    assert [arch for arch in (*can, *cannot) if Boards(types).can(arch)] == [*can]


def test_tt_smi_is_asked_once(tmp_path: Path) -> None:
    environ = fake_tt_smi(tmp_path / "bin", *N300)
    for _ in range(2):
        assert boards_here(tmp_path / "cache", environ, tmp_path / "no").types == N300
    assert (tmp_path / "bin/asked").read_text() == "-s\n"
    fake_tt_smi(tmp_path / "bin", "p150a")
    assert boards_here(tmp_path / "cache", environ, tmp_path / "no").types == ("p150a",)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/0").touch()
    assert boards_here(tmp_path / "cache", environ, tmp_path / "dev").types == ("p150a",)
    assert (tmp_path / "bin/asked").read_text() == "-s\n-s\n-s\n"


@pytest.mark.parametrize("said", ["", "no devices", "{", "[]", '{"device_info": [{}]}'])
def test_without_an_answer_the_driver_tells(tmp_path: Path, said: str) -> None:
    environ = fake_tt_smi(tmp_path / "bin")
    (tmp_path / "bin/snapshot").write_text(said)
    (tmp_path / "dev").mkdir()
    for number, kind in enumerate(("n300", "n300")):
        (tmp_path / f"dev/{number}").touch()
        (tmp_path / f"sys/tenstorrent!{number}").mkdir(parents=True)
        (tmp_path / f"sys/tenstorrent!{number}/tt_card_type").write_text(f"{kind}\n")
    for given in (environ, {"PATH": str(tmp_path)}):
        found = boards_here(tmp_path / "cache", given, tmp_path / "dev", tmp_path / "sys")
        assert (found.text, found.arch) == ("n300 (4 chips)", "n300")
    assert boards_here(tmp_path / "cache", {"PATH": "/no"}, tmp_path / "no", tmp_path / "sys").types == ()


def test_a_damaged_memory_is_made_anew(tmp_path: Path) -> None:
    environ = fake_tt_smi(tmp_path / "bin", "n150")
    file = tmp_path / "cache/boards.json"
    file.parent.mkdir()
    for text in ("", "{", json.dumps({"key": "x", "types": ["p150"]})):
        file.write_text(text)
        assert boards_here(tmp_path / "cache", environ, tmp_path / "no").arch == "n150"
