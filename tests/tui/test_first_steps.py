# SPDX-License-Identifier: Apache-2.0
"""Screens with nothing to show say in a few lines what they are for, and what fills them."""

from pathlib import Path

import pytest

from tests.support.app import build_app, flat, until
from tests.support.git import committed_checkout
from tests.support.tree import LOADERS, YAML, write_checkout


@pytest.mark.parametrize("size", [(80, 24), (200, 55)])
@pytest.mark.parametrize(
    ("key", "purpose", "step"),
    [
        ("0", "last night", "ttmatrix ingest"),
        ("2", "Runs of tests", "r in the matrix"),
        ("3", "No runs yet", "r in the matrix"),
        ("4", "There are no results yet", "ttmatrix ingest"),
        ("5", "Changes before they are written", "E in the matrix"),
        ("7", "Failures by their cause", "ttmatrix ingest"),
        ("8", "A run is a nightly", "ttmatrix ingest"),
        ("9", "A workflow finds why", "T in the matrix"),
        ("f2", "Runs can go to other machines", "ttmatrix hosts add"),
        ("f3", "Which arch?", "@ in the matrix"),
        ("f4", "No results from", "ttmatrix ingest"),
        ("f6", "What differs in the matrix", "b chooses"),
        ("f7", "Which jobs of CI died", "ttmatrix watch"),
    ],
)
async def test_it_says_what_it_is_for_and_what_to_do(
    tmp_path: Path, key: str, purpose: str, step: str, size: tuple[int, int]
) -> None:
    checkout = write_checkout(tmp_path / "tt-xla", LOADERS, {} if key == "7" else YAML)
    app = build_app(committed_checkout(checkout) if key == "f6" else checkout)
    async with app.run_test(size=size) as pilot:
        await pilot.press(key)

        await until(pilot, lambda: purpose in flat(app) and step in flat(app), purpose)
