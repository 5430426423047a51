# SPDX-License-Identifier: Apache-2.0
"""Checkouts whose models are a submodule, with a history of both, and readers of their states."""

import json
from collections.abc import Mapping
from pathlib import Path

from core.matrix.cache import Cache
from core.sources import Checkout
from core.states import States
from tests.support.git import committed_checkout, git
from tests.support.tree import sample

MODELS = "third_party/tt_forge_models"
PRESET = ".github/workflows/test-matrix-presets/model-test-push.json"
JOB = {"runs-on": "n150", "name": "torch", "dir": "./tests/runner/test_models.py", "test-mark": "n150 and push"}
WORKFLOW = """\
on:
  schedule:
    - cron: '0 0 * * *'
jobs:
  test:
    uses: ./.github/workflows/call-test.yml
    with:
      test_suite: {preset}.json
"""


def with_submodule(root: Path) -> Checkout:
    """The small sample with one job, its models a repository of their own that the only commit pins."""
    checkout = sample(root)
    write(
        checkout,
        {PRESET: json.dumps([JOB]), ".github/workflows/nightly.yml": WORKFLOW.format(preset="model-test-push")},
    )
    committed_checkout(Checkout(checkout.models))
    return committed_checkout(checkout)


def write(checkout: Checkout, texts: Mapping[str, str | None]) -> None:
    """Write files by their path in the checkout; None removes one."""
    for path, text in texts.items():
        file = checkout.root / path
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def commit(checkout: Checkout, message: str, texts: Mapping[str, str | None] | None = None) -> str:
    """Commit texts, given by their path in the checkout: those of the models there too. Return the commit."""
    write(checkout, texts or {})
    for root in (checkout.models, checkout.root):
        if (root / ".git").exists():
            git(root, "add", "--all")
            git(root, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return git(checkout.root, "rev-parse", "HEAD").strip()


def states_of(checkout: Checkout, cache: Path) -> States:
    """A reader whose caches are below `cache`."""
    return States(Cache(checkout, cache))
