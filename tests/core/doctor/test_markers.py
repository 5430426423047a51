# SPDX-License-Identifier: Apache-2.0
"""Doubtful markers of entries, and what their authors meant."""

import json
from pathlib import Path

import pytest

from core.ci import marker_names
from core.doctor.markers import marker_findings
from core.domain.model import Finding
from core.matrix import index
from core.sources.ci import read_jobs
from tests.support.tree import INFERENCE, LOADERS, write_checkout

ID = "alpha/pytorch-tiny-single_device-inference"


def _found(tmp_path: Path, markers: str) -> list[Finding]:
    checkout = write_checkout(tmp_path, LOADERS, {INFERENCE: f"test_config:\n  {ID}:\n    markers: {markers}\n"})
    checkout.presets.mkdir(parents=True, exist_ok=True)
    job = {"runs-on": "n150", "name": "x", "dir": "tests/runner", "test-mark": "n150 and extended"}
    (checkout.presets / "one.json").write_text(json.dumps([job]))
    (checkout.root / "pytest.ini").write_text("[pytest]\nmarkers =\n    push: each change\n    large: needs room\n")
    matrix = index(checkout)
    return list(marker_findings(matrix, marker_names(matrix, read_jobs(checkout)[0])))


@pytest.mark.parametrize(
    "markers", ["[push]", "push", "[large, notimeout]", "[extended]", "['nightly', \"weekly\"]", "[]"]
)
def test_markers_that_something_asks_for(tmp_path: Path, markers: str) -> None:
    assert _found(tmp_path, markers) == []


@pytest.mark.parametrize(
    "markers, says, meant",
    [
        ("[Push]", "Did you mean push?", ["push"]),
        ("[PUSH, large]", "Did you mean push?", ["push", "large"]),
        ("[pussh]", "Did you mean push?", ["push"]),
        ("[no_timeout]", "Did you mean notimeout?", ["notimeout"]),
        ("[no-time-out]", "Did you mean notimeout?", ["notimeout"]),
        ("['\\push']", "Did you mean push?", ["push"]),
        ("['\"large\"']", "Did you mean large?", ["large"]),
        ("['pytest.mark.large']", "Did you mean large?", ["large"]),
        ("['@pytest.mark.push']", "Did you mean push?", ["push"]),
        ("[' push']", "Did you mean push?", ["push"]),
        ("'push, large'", "is one marker, not 2", ["push", "large"]),
        ("[push large]", "is one marker, not 2", ["push", "large"]),
        ("'[push,large]'", "is one marker, not 2", ["push", "large"]),
        ("[push and large]", "is one marker, not 3", None),
        ("[n150]", "write n150 in supported_archs", None),
        ("[n300_llmbox]", "write n300-llmbox in supported_archs", None),
        ("[N300-LLMBox]", "write n300-llmbox in supported_archs", None),
        ("[expected_passing]", "write status: EXPECTED_PASSING", None),
        ("[KNOWN_FAILURE_XFAIL]", "write status: KNOWN_FAILURE_XFAIL", None),
        ("[xfail]", "write status: KNOWN_FAILURE_XFAIL", None),
        ("[skip]", "write status: NOT_SUPPORTED_SKIP", None),
        ("[failed_runtime]", "write bringup_status: FAILED_RUNTIME", None),
        ("[tensor_parallel]", "by their id or their loader", None),
        ("[red]", "by their id or their loader", None),
        ("[banana]", "Nothing asks for the marker 'banana'", None),
        ("['']", "is no name of a marker", None),
    ],
)
def test_each_doubt_says_what_to_write(tmp_path: Path, markers: str, says: str, meant: list[str] | None) -> None:
    found = _found(tmp_path, markers)
    assert [(one.kind, one.line, one.id) for one in found] == [("odd-marker", 3, ID)]
    assert says in found[0].message
    fixes = [{"op": "set", "id": ID, "file": INFERENCE, "path": ["markers"], "value": meant}] if meant else []
    assert list(found[0].fix) == fixes


def test_in_an_override_too(tmp_path: Path) -> None:
    entry = f"test_config:\n  {ID}:\n    arch_overrides:\n      n150:\n        markers: [pussh]\n"
    matrix = index(write_checkout(tmp_path, LOADERS, {INFERENCE: entry}))
    (one,) = marker_findings(matrix, marker_names(matrix, ()))
    assert one.line == 5 and one.fix[0]["path"] == ["arch_overrides", "n150", "markers"]
