# SPDX-License-Identifier: Apache-2.0
"""What is cached of files gives the suite that reading all of it gives, whatever was changed, added or removed."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.python import Program
from core.sources import Checkout, ContentCache, Contents
from core.sources.content_cache import Versions
from core.sources.handwritten import FileTests, HandwrittenTest, read_suite
from core.sources.handwritten.collect import collect
from tests.core.sources.handwritten.corpus import FILES
from tests.core.sources.handwritten.test_suite import write

_RAISES = "\nraise RuntimeError('changed')\n"
_PYTHON = sorted(path for path in FILES if path.endswith(".py"))


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Versions[FileTests]:
    """What is cached of the tree as it is."""
    checkout = write(tmp_path_factory.mktemp("before"), FILES)
    cached: ContentCache[FileTests] = ContentCache(Contents(checkout.root))
    read_suite(checkout, cached)
    return cached.versions


def _agree(root: Path, versions: Versions[FileTests]) -> None:
    checkout = Checkout(root)
    assert read_suite(checkout, ContentCache(Contents(root), versions)) == read_suite(checkout)


def test_nothing_is_evaluated_again_where_nothing_differs(
    tmp_path: Path, versions: Versions[FileTests], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = write(tmp_path, FILES)
    whole = read_suite(checkout)
    monkeypatch.setattr("core.sources.handwritten.suite.collect", lambda *_: pytest.fail("a file was read again"))
    assert read_suite(checkout, ContentCache(Contents(tmp_path), versions)) == whole


@pytest.mark.parametrize("path", _PYTHON)
def test_a_file_that_changes_or_goes(path: str, tmp_path: Path, versions: Versions[FileTests]) -> None:
    write(tmp_path, FILES)
    (tmp_path / path).write_text(FILES[path] + _RAISES, encoding="utf-8")
    _agree(tmp_path, versions)
    (tmp_path / path).unlink()
    _agree(tmp_path, versions)


def test_a_file_that_takes_the_place_of_another(tmp_path: Path, versions: Versions[FileTests]) -> None:
    write(tmp_path, FILES)
    for directory in sorted({Path(path).parent for path in FILES} - {Path()}):
        new = tmp_path / directory / "__init__.py"
        if not new.exists():
            new.write_text("")
            _agree(tmp_path, versions)
            new.unlink()


def test_only_what_depends_on_a_change_is_evaluated_again(
    tmp_path: Path, versions: Versions[FileTests], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = next(one for one in _PYTHON if Path(one).name.startswith("test_"))
    checkout = write(tmp_path, {**FILES, path: f"{FILES[path]}\ndef test_more(): ...\n"})
    again: list[str] = []

    def noted(program: Program, one: str, conftests: Sequence[str]) -> list[HandwrittenTest]:
        again.append(one)
        return collect(program, one, conftests)

    monkeypatch.setattr("core.sources.handwritten.suite.collect", noted)
    suite = read_suite(checkout, ContentCache(Contents(tmp_path), versions))
    assert again == [path]
    assert f"{path}::test_more" in {test.node_id for test in suite.tests}
