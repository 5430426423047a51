# SPDX-License-Identifier: Apache-2.0
"""Tests that pytest cannot collect because of their parameters, and tests that it never runs, without a word."""

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.sources import Checkout
from core.sources.handwritten import read_suite
from tests.support.warm_pytest import Session, warm_pytest


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with warm_pytest() as run:
        yield run


_HEAD = "import pytest\n"


def _found(root: Path, test: str) -> list[tuple[str, int]]:
    path = root / "tests/torch/test_a.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_HEAD + textwrap.dedent(test))
    return [(one.kind, one.line) for one in read_suite(Checkout(root)).findings]


LOST = [
    ("def test_a(): ...\ndef test_a(): ...\n", 2),
    ("class TestA:\n    def test_a(self): ...\n    def test_a(self): ...\n", 3),
    ("class TestA:\n    def test_a(self): ...\nclass TestA:\n    def test_b(self): ...\n", 2),
    ("@pytest.fixture(params=[1])\ndef test_a(request): ...\n", 3),
    ("class TestA:\n    def __init__(self): ...\n    def test_a(self): ...\n", 3),
    ("ALL = ['8B']\n@pytest.mark.parametrize('v', [one for one in ALL if one == '8b'])\ndef test_a(v): ...\n", 4),
]


@pytest.mark.parametrize(("test", "line"), LOST)
def test_lost(tmp_path: Path, test: str, line: int) -> None:
    assert _found(tmp_path, test) == [("lost-test", line)]


@pytest.mark.parametrize(
    "test",
    [
        "if True:\n    def test_a(): ...\nelse:\n    def test_a(): ...\n",
        "@pytest.fixture\ndef tested(): ...\ndef test_a(tested): ...\n",
        "class Tester:\n    def __init__(self): ...\n    def test_a(self): ...\n",
        "@pytest.mark.skip(reason='later')\n@pytest.mark.parametrize('v', [])\ndef test_a(v): ...\n",
    ],
)
def test_not_lost(tmp_path: Path, test: str) -> None:
    assert _found(tmp_path, test) == []


UNCOLLECTABLE = [
    "@pytest.mark.parametrize('shap', [1, 2])\ndef test_a(shape): ...\n",
    "@pytest.mark.parametrize('a')\ndef test_a(a): ...\n",
    "@pytest.mark.parametrize('a,b', [(1, 2), (1, 2, 3)])\ndef test_a(a, b): ...\n",
    "@pytest.mark.parametrize('a,b', [(1,)])\ndef test_a(a, b): ...\n",
    "@pytest.mark.parametrize(('a', 'b'), [pytest.param(1, id='one')])\ndef test_a(a, b): ...\n",
    "@pytest.mark.parametrize('a', [pytest.param(1, 2)])\ndef test_a(a): ...\n",
    "@pytest.mark.parametrize('shap', [1])\ndef test_a(shape=1): ...\n",
    "@pytest.mark.parametrize('a', [1, 2], ids=['one'])\ndef test_a(a): ...\n",
    "@pytest.mark.parametrize('b', [1])\nclass TestA:\n    def test_a(self): ...\n",
    "class TestA:\n    @pytest.mark.parametrize('a,b', [(1, 2, 3)])\n    def test_a(self, a, b): ...\n",
    "@pytest.fixture(params=[1, 2], ids=['one'])\ndef f(request): ...\ndef test_a(f): ...\n",
]


@pytest.mark.parametrize("test", UNCOLLECTABLE)
def test_parameters_that_end_the_collection_of_the_file(tmp_path: Path, test: str, session: Session) -> None:
    found = _found(tmp_path, test)
    assert [kind for kind, _ in found] == ["broken-test"]
    done = session(["--collect-only", "-q", "-p", "no:cacheprovider", "tests/torch"], tmp_path, {})
    assert "error" in (done.stdout + done.stderr).lower(), "pytest itself"


@pytest.mark.parametrize(
    "test",
    [
        "@pytest.mark.parametrize('a', [1], indirect=True)\ndef test_a(a): ...\n@pytest.fixture\ndef a(request): ...\n",
        "@pytest.mark.parametrize('a', [1])\ndef test_a(f): ...\n@pytest.fixture\ndef f(a): ...\n",
        "from elsewhere import wrapped\n@pytest.mark.parametrize('a', [1])\n@wrapped\ndef test_a(): ...\n",
        "@pytest.mark.parametrize('a', [(1, 2)])\ndef test_a(a): ...\n",
        "@pytest.mark.parametrize('a,', [(1,)])\ndef test_a(a): ...\n",
    ],
)
def test_parameters_that_are_right_or_not_known(tmp_path: Path, test: str) -> None:
    assert _found(tmp_path, test) == []
