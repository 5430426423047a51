# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.requirements.satisfied: satisfied requirements need no pip."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

wanting: Any = importlib.import_module("core.payload.ttmatrix_payload.requirements.satisfied").wanting


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three packages: the last one lacks a dependency."""
    for name, version, requires in (
        ("tt_probe", "2.1", 'tt-probe-base>=1\nRequires-Dist: absent; extra == "more"'),
        ("tt_probe_base", "1.5rc1", "tt_probe"),
        ("tt_probe_broken", "1.0", "absent"),
    ):
        place = tmp_path / "site" / f"{name}-{version}.dist-info"
        place.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: {requires}\n"
        (place / "METADATA").write_text(metadata)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("", True),
        ("# a comment\n\ntt_probe", True),
        ("Tt.Probe ==2.* # the one of upstream", True),
        ("tt_probe>=2,<3\ntt_probe_base", True),
        ('absent; python_version < "3"', True),
        ("tt_probe==2.2", False),
        ("tt_probe\nabsent", False),
        ("tt_probe_broken", False),
        ("tt_probe[more]", False),
        ("tt_probe @ https://example.com/tt_probe.whl", False),
        ("git+https://example.com/tt_probe", False),
        ("-r others.txt", False),
        ("tt_probe \\\n  ==2.1", False),
    ],
)
def test_what_is_there(tmp_path: Path, text: str, there: bool) -> None:
    (tmp_path / "requirements.txt").write_text(text)
    assert (wanting([tmp_path / "requirements.txt"]) == []) is there


@pytest.mark.usefixtures("packages")
def test_every_file_counts(tmp_path: Path) -> None:
    files = [tmp_path / "requirements.txt", tmp_path / "requirements.nodeps.txt"]
    for path, text in zip(files, ("tt_probe", "absent"), strict=True):
        path.write_text(text)
    assert wanting(files[:1]) == []
    assert wanting(files) == ["absent"]


def test_versions_that_nobody_can_read_are_left_to_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "requirements.txt").write_text("pytest")
    assert wanting([tmp_path / "requirements.txt"]) == []
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    assert wanting([tmp_path / "requirements.txt"]) == ["pytest"]
