# SPDX-License-Identifier: Apache-2.0
"""What keeps a hand-written test from running that its own module does not show: fixtures and conftests."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.sources import Checkout
from core.sources.handwritten import read_suite


def _found(root: Path, files: Mapping[str, str]) -> list[tuple[str, str, int]]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return [(one.kind, Path(one.file).name, one.line) for one in read_suite(Checkout(root)).findings]


FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef tester({}): ...\n"


@pytest.mark.parametrize(
    "test",
    [
        "def test_a(nothing_like_it): ...\n",
        "def test_a(reqest): ...\n",
        "import pytest\n@pytest.mark.usefixtures('gone')\ndef test_a(): ...\n",
        FIXTURE.format("gone") + "def test_a(tester): ...\n",
        "class TestA:\n    def test_a(self, gone): ...\n",
    ],
)
def test_a_fixture_that_nothing_defines(tmp_path: Path, test: str) -> None:
    ((kind, file, line),) = _found(tmp_path, {"tests/torch/test_a.py": test})
    assert (kind, file) == ("missing-fixture", "test_a.py")
    assert "def test_a" in test.splitlines()[line - 1]


@pytest.mark.parametrize(
    "test",
    [
        "def test_a(request, tmp_path, mocker): ...\n",
        "def test_a(shared): ...\n",
        "import pytest\n@pytest.mark.skip(reason='later')\ndef test_a(gone): ...\n",
        "import pytest\n@pytest.mark.parametrize('a,b', [(1, 2)])\ndef test_a(a, b, c=1): ...\n",
        FIXTURE.format("shared") + "def test_a(tester): ...\n",
        "from elsewhere import *\ndef test_a(perhaps): ...\n",
        "from elsewhere import imported\ndef test_a(imported): ...\n",
        "pytest_plugins = ['some']\ndef test_a(perhaps): ...\n",
    ],
)
def test_a_fixture_that_something_defines_or_may_define(tmp_path: Path, test: str) -> None:
    shared = "import pytest\n\n\n@pytest.fixture\ndef shared(): ...\n"
    assert _found(tmp_path, {"tests/conftest.py": shared, "tests/torch/test_a.py": test}) == []


@pytest.mark.parametrize(
    ("conftest", "line"),
    [("import os\nX = not_there\n", 2), ("import os\nX = (\n", 2), ("from tests.gone import x\n", 1)],
)
def test_a_conftest_that_raises(tmp_path: Path, conftest: str, line: int) -> None:
    files = {"tests/torch/ops/conftest.py": conftest, "tests/torch/ops/test_a.py": "def test_a(x=1): ...\n"}
    assert _found(tmp_path, {"tests/__init__.py": "", **files}) == [("broken-test", "conftest.py", line)]


def test_a_file_that_is_no_python_is_reported_at_its_line(tmp_path: Path) -> None:
    found = _found(tmp_path, {"tests/torch/test_a.py": "import os\n\ndef test_a(:\n"})
    assert found == [("broken-test", "test_a.py", 3)]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("tests/torch/test_a.py", "tests/helper.py"),
        ("tests/runner/test_models.py", "tests/runner/test_models.py"),
        ("tests/runner/conftest.py", "tests/runner/conftest.py"),
        ("tests/integrations/plugin/test_a.py", "tests/helper.py"),
    ],
)
@pytest.mark.parametrize("mistake", ["pipeline.py\n", "X = gone\n", "from tests.absent import x\n", "X = (\n"])
def test_what_a_file_or_what_it_imports_raises(tmp_path: Path, path: str, place: str, mistake: str) -> None:
    """Also where the test only uses what it imports when it runs, and where nothing but the import is looked at."""
    text = "from tests.helper import run\n\n\ndef test_a():\n    run()\n"
    helper = "def run(): ...\n"
    files = {"tests/__init__.py": "", "tests/helper.py": helper, path: text}
    assert _found(tmp_path, files) == []
    found = _found(tmp_path, {**files, place: mistake + files[place]})
    if mistake == "X = (\n" and path != place:
        assert found == [], "a newer Python may read what this one does not"
    else:
        assert [(kind, file) for kind, file, _ in found] == [("broken-test", Path(path).name)]
