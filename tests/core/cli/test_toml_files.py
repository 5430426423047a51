# SPDX-License-Identifier: Apache-2.0
"""TOML files that nobody can have meant are refused with their place, by every command that reads them."""

from pathlib import Path

import pytest

from core.base.settings import paths
from tests.support.cli import call
from tests.support.tree import sample


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("ttmatrix-policy.toml", ("policy",)),
        ("ttmatrix-profiles.toml", ("profiles",)),
        ("settings", ("list",)),
        ("hosts", ("hosts", "list")),
    ],
)
def test_what_nests_without_end_is_refused(tmp_path: Path, own_home: Path, name: str, argv: tuple[str, ...]) -> None:
    checkout = sample(tmp_path / "tt-xla")
    file = {"settings": paths().settings_file, "hosts": paths().hosts_file}.get(name, checkout.root / name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"x = {'[' * 16_000}{']' * 16_000}\n")
    called = call(*argv, "--repo", checkout.root)
    assert called.code == 2, called.err
    assert str(file) in called.err
    assert "nest too deeply" in called.err
