# SPDX-License-Identifier: Apache-2.0
"""What the checkout's conftest skips on one arch."""

from pathlib import Path

import pytest

from core.sources.ci import CONFTEST, read_skip_prefixes
from tests.support.tree import sample


def _write(root: Path, text: str) -> None:
    (root / CONFTEST).parent.mkdir(parents=True, exist_ok=True)
    (root / CONFTEST).write_text(text)


@pytest.mark.parametrize("literal", ['{"b/", "a/pytorch-X", 3}', '["b/", "a/pytorch-X", f()]'])
def test_prefixes_are_read_without_importing(tmp_path: Path, literal: str) -> None:
    checkout = sample(tmp_path)
    _write(tmp_path, f"import nothing_there\n_LB_BLACKHOLE_SKIP_MODELS = {literal}\n")
    assert read_skip_prefixes(checkout) == (("a/pytorch-X", "b/"), ())


@pytest.mark.parametrize("text", ["", "_LB_BLACKHOLE_SKIP_MODELS = load()", "OTHER = {'a/'}"])
def test_without_the_constant_nothing_is_skipped(tmp_path: Path, text: str) -> None:
    checkout = sample(tmp_path)
    assert read_skip_prefixes(checkout) == ((), ())
    _write(tmp_path, text)
    assert read_skip_prefixes(checkout) == ((), ())


def test_a_broken_file_is_a_finding(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    _write(tmp_path, "def (")
    prefixes, (finding,) = read_skip_prefixes(checkout)
    assert prefixes == ()
    assert (finding.kind, finding.file) == ("broken-schema", str(CONFTEST))
