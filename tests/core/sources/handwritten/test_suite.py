# SPDX-License-Identifier: Apache-2.0
"""Collection without importing anything finds what pytest collects."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.sources import Checkout
from core.sources.handwritten import Suite, read_suite
from tests.core.sources.handwritten.corpus import FILES
from tests.support.warm_pytest import Session, warm_pytest

_PLUGIN = """
import json, os

def pytest_collection_finish(session):
    found = [(item.nodeid, sorted({mark.name for mark in item.iter_markers()})) for item in session.items]
    with open(os.environ["COLLECTED"], "w") as out:
        json.dump(found, out)
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with warm_pytest() as run:
        yield run


def write(root: Path, files: Mapping[str, str]) -> Checkout:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Checkout(root)


def collected(session: Session, root: Path, *paths: str) -> dict[str, frozenset[str]]:
    """Node ids and markers according to pytest itself."""
    (root / "told.py").write_text(_PLUGIN)
    (root / "pytest.ini").write_text("[pytest]\n")
    out = root / "collected.json"
    done = session(
        ["--collect-only", "-q", "-p", "told", "-p", "no:cacheprovider", *paths],
        root,
        {"PYTHONPATH": f"{root}:{root}/tests", "COLLECTED": str(out), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert out.exists(), done.stdout + done.stderr
    return {id: frozenset(marks) for id, marks in json.loads(out.read_text())}


def known(suite: Suite) -> dict[str, frozenset[str]]:
    return {test.node_id: test.markers for test in suite.tests if not test.unknown}


def test_as_pytest_collects(tmp_path: Path, session: Session) -> None:
    checkout = write(tmp_path, FILES)
    ours = known(suite := read_suite(checkout))
    theirs = collected(session, tmp_path, "tests/torch", "tests/jax")
    assert {one.kind for one in suite.findings} == {"lost-test"}, "some have no values, one class has an __init__"
    assert [test for test in suite.tests if test.unknown] == []
    assert sorted(ours) == sorted(theirs)
    assert ours == theirs
    assert len(theirs) > 200


def test_what_is_known_of_a_test(tmp_path: Path) -> None:
    tests = {test.node_id: test for test in read_suite(write(tmp_path, FILES)).tests}
    graph = tests["tests/torch/ops/test_marks.py::test_graph[llmbox]"]
    assert (graph.level, graph.parameters, graph.line) == ("graph", {"arch": "llmbox"}, 18)
    properties = next(mark.given for mark in graph.marks if mark.name == "record_test_properties")
    assert properties == {"category": "graph_test", "shlo_op_name": "stablehlo.add"}
    skipped = tests["tests/torch/ops/test_values.py::test_param_marks[1]"]
    assert skipped.marks[0] == ("skip", {"reason": "op_test: skip"})
    assert tests["tests/torch/ops/test_values.py::test_idfn[-1]"].level == "op", "through a helper"
    assert tests["tests/torch/other_test.py::test_suffix"].level == ""


def test_files_that_were_read(tmp_path: Path) -> None:
    read = read_suite(write(tmp_path, FILES)).read
    assert {"tests/utils.py", "tests/torch/conftest.py", "tests/package/inner.py"} <= set(read)
    assert "tests/torch/helpers.py" not in read
