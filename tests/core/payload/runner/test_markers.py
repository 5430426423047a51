# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.markers: the markers that ttmatrix expects pytest to find."""

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest

from core.ci.markers import Traits, markers
from core.domain.model import Entry, Function
from core.payload.ttmatrix_payload.runner.expectations import resolve
from core.payload.ttmatrix_payload.runner.markers import known_markers, marker_names
from core.payload.ttmatrix_payload.runner.models import Model
from core.payload.ttmatrix_payload.runner.parameters import LLM, Case, cases, placeholder

ENTRIES: list[dict[str, Any]] = [
    {},
    {"status": "KNOWN_FAILURE_XFAIL", "bringup_status": "FAILED_RUNTIME"},
    {"markers": ["push"], "supported_archs": ["n300-llmbox", "galaxy-wh-6u"]},
    {"markers": "nightly", "arch_overrides": {"n150": {"status": "NOT_SUPPORTED_SKIP", "markers": []}}},
]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("arch", [None, "n150"])
@pytest.mark.parametrize("group", ["red", "priority", "generality", "vulcan"])
def test_the_matrix_and_the_plugin_agree(entry: dict[str, Any], arch: str | None, group: str) -> None:
    loader: Any = type("ModelLoader", (), {"load_inputs_decode": None})
    for case in cases(Model("a/pytorch", "X", loader, SimpleNamespace(group=group))):
        traits = Traits(Function(case.function), case.parallelism, case.mode, group, False)
        wanted = markers(traits, Entry("x", "f", 1, 1, entry), arch)
        assert frozenset(marker_names(case, resolve("x", entry, arch))) == wanted


def test_a_placeholder_has_no_status() -> None:
    names = marker_names(placeholder("x"), resolve("x", {"status": "EXPECTED_PASSING"}, None))
    assert frozenset(names) == markers(Traits(Function.PLACEHOLDER, "", "", None, False), None, None)


def test_every_marker_but_an_entrys_own_is_registered() -> None:
    known = {line.partition(":")[0] for line in known_markers()}
    for entry in ENTRIES:
        found = marker_names(Case(LLM, "x", None), resolve("x", entry, None))
        assert {*found} - known <= {"push", "parametrize"}
    assert asdict(resolve("x", ENTRIES[2], None))["markers"] == ("push",)
