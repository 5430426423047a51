# SPDX-License-Identifier: Apache-2.0
"""What the checkout's conftest skips on one arch."""

from pathlib import Path

import pytest

from core.sources.ci import CONFTEST, read_skip_prefixes
from tests.support.tree import sample


def _write(root: Path, text: str) -> None:
    (root / CONFTEST).parent.mkdir(parents=True, exist_ok=True)
    (root / CONFTEST).write_text(text)


@pytest.mark.parametrize(
    "value",
    [
        '{"b/", "a/pytorch-X", 3}',
        '["b/", "a/pytorch-X", f()]',
        'frozenset(("b/", "a/pytorch-X"))',
        '{*_MORE, "a/pytorch-X"}',
        '_MORE | {f"a/pytorch-{_NAME}"}',
    ],
)
def test_prefixes_are_read_without_importing(tmp_path: Path, value: str) -> None:
    checkout = sample(tmp_path)
    _write(
        tmp_path, f'import nothing_there\n_MORE, _NAME = {{"b/"}}, "X"\n_LB_BLACKHOLE_SKIP_MODELS = {value}\nf(_MORE)\n'
    )
    assert read_skip_prefixes(checkout) == (("a/pytorch-X", "b/"), ())


@pytest.mark.parametrize("text", ["", "OTHER = {'a/'}"])
def test_without_the_constant_nothing_is_skipped(tmp_path: Path, text: str) -> None:
    checkout = sample(tmp_path)
    assert read_skip_prefixes(checkout) == ((), ())
    _write(tmp_path, text)
    assert read_skip_prefixes(checkout) == ((), ())


@pytest.mark.parametrize("text", ["def (", "import json\n_LB_BLACKHOLE_SKIP_MODELS = json.load(open('x'))\n"])
def test_what_cannot_be_known_is_a_finding(tmp_path: Path, text: str) -> None:
    checkout = sample(tmp_path)
    _write(tmp_path, text)
    prefixes, (finding,) = read_skip_prefixes(checkout)
    assert prefixes == ()
    assert (finding.kind, finding.file) == ("broken-schema", str(CONFTEST))
