# SPDX-License-Identifier: Apache-2.0
"""The replay of history as a test: a made-up history of real files that must obey the same laws."""

from pathlib import Path

import pytest

from tests.bench.replay import FileChange, Tally, replay, report
from tests.support.pseudo_history import commits

ROOT = Path(__file__).parents[2]
_COMMITS = 40


def texts(test_config: Path) -> dict[str, str]:
    paths = [path for path in sorted(test_config.glob("*/*.yaml")) if "placeholder" not in path.name]
    return {path.relative_to(test_config).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def laws_hold(test_config: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    for number, changes in enumerate(commits(texts(test_config), seed, _COMMITS)):
        replay([FileChange(str(number), *change) for change in changes], tally)
    assert report(tally, worst=5), capsys.readouterr().out
    assert not tally.unreadable
    assert len(tally.outcomes) > _COMMITS / 2


@pytest.mark.parametrize("seed", range(3))
def test_a_history_of_the_sample_files_is_replayed(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    laws_hold(ROOT / "test_config", seed, capsys)


def test_a_history_of_upstreams_files_is_replayed(shared_test_config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    laws_hold(shared_test_config, 0, capsys)


def test_a_broken_law_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    before = "test_config:\n  a:\n    status: X\n"
    replay([FileChange("one", "f", before, before.replace("X", "~"))], tally)
    assert not report(tally, worst=5)
    assert "one f: rejected: set a status: value: must not be null" in capsys.readouterr().out


def test_what_cannot_be_read_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    text = "test_config:\n  a:\n    status: X\n"
    replay([FileChange("two", "f", text, text + "  a:\n    status: W\n")], tally)
    assert not report(tally, worst=5)
    assert "two f: line 4: duplicate-key" in capsys.readouterr().out
