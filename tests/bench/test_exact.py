# SPDX-License-Identifier: Apache-2.0
"""The exactness bench sees a difference, asks a checkout's own code, and reports what it could not ask."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import TestId
from core.matrix import NO_ARCH
from core.sources import Checkout
from tests.bench import exact
from tests.support.sample import sample_checkout
from tests.support.tree import sample

pytestmark = pytest.mark.slow("a checkout's own code is asked in processes")

RUNNER = """
import enum
import pytest, torch
from torch import nn

class Net(nn.Module):
    pass

class Entry:
    path = "alpha"
    def __init__(self, variant): self.variant_info = (variant, Loader)

class Loader:
    @classmethod
    def get_model_info(cls, variant):
        class Info: name, group = f"pytorch_{variant}", "red"
        return Info

@torch.no_grad()
@pytest.mark.model_test
@pytest.mark.parametrize("test_entry", [Entry("tiny"), Entry("gone")], ids=["tiny", "gone"])
def test_all_models_torch(test_entry): pass
"""
CONFTEST = """
import pytest
def _get_model_group_from_item(item): return None
def pytest_addoption(parser):
    parser.addoption("--arch", choices=["n150", "p150"], default=None)
def pytest_collection_modifyitems(config, items):
    arch = config.getoption("--arch")
    for item in items:
        item.add_marker(getattr(pytest.mark, f"on_{arch}"))
    items[:] = [item for item in items if "gone" not in item.name or arch != "p150"]
"""
GENERATOR = "import json\ndef read_preset_test_entries(path): return json.load(open(path))\n"
PRESET = """[{"runs-on": "n150", "dir": "tests/runner", "test-mark": "on_n150", "contains": "TINY", "forge-models": true},
            {"runs-on": "n150", "dir": "tests/runner/test_models.py::test_all_models_torch", "test-mark": "on_None"},
            {"runs-on": "p150", "dir": "tests/torch", "test-mark": "", "forge-models": true}]"""


def test_the_checkouts_own_code_is_asked(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    for path, text in {
        "tests/__init__.py": "",
        "tests/runner/test_models.py": RUNNER,
        "tests/runner/conftest.py": CONFTEST,
        ".github/scripts/generate_test_matrix.py": GENERATOR,
        ".github/workflows/test-matrix-presets/one.json": PRESET,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    answers = exact.ask_upstream(checkout)
    assert "validate_test_config" in answers["validator"]["failed"]
    found = answers["collected"]
    tiny, gone = found["items"]
    assert (tiny, gone) == ("test_all_models_torch[tiny]", "test_all_models_torch[gone]")
    markers = {
        arch: [found["sets"][code] if code >= 0 else None for code in codes] for arch, codes in found["markers"].items()
    }
    both = ["model_test", "parametrize"]
    assert markers == {
        "": [sorted([*both, "on_None"])] * 2,
        "n150": [sorted([*both, "on_n150"])] * 2,
        "p150": [sorted([*both, "on_p150"]), None],
    }
    assert found["selected"] == {"one.json 0": [0], "one.json 1": [0, 1], "one.json 2": []}
    assert found["infos"] == {"tiny": ["pytorch_tiny", "red"], "gone": ["pytorch_gone", "red"]}


def _answers(ours: exact.Ours) -> dict[str, Any]:
    """Upstream's answers about a checkout if ours were all right."""
    items = sorted(item for item, _ in ours.items())
    sets: dict[frozenset[str], int] = {}
    markers = {}
    for arch in (NO_ARCH, *ours.matrix.schema.archs):
        known = dict(ours.markers(arch))
        markers[arch] = [-1 if (found := known[item]) is None else sets.setdefault(found, len(sets)) for item in items]
    numbers = {item: number for number, item in enumerate(items)}
    ids = {row: item.partition("[")[2][:-1] for item, row in ours.items()}
    of_model = {exact._key(id): id for id in ids.values() if TestId.parse(id)}
    infos = {of_model[key]: [info.name, info.group] for key, info in ours.infos.known.items() if key in of_model}
    return {
        "validator": ours.matrix.universe(),
        "collected": {
            "items": items,
            "sets": [sorted(one) for one in sets],
            "markers": markers,
            "selected": {name: [numbers[item] for item in found] for name, found in ours.jobs().items()},
            "infos": infos,
        },
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla")


@pytest.fixture(scope="module")
def ours(checkout: Checkout) -> exact.Ours:
    """Our view of the checkout, shared by all tests: a test changes upstream's answers."""
    ours = exact.Ours(checkout)
    vars(ours)["markers"] = cache(ours.markers)
    return ours


@pytest.fixture(scope="module")
def answers(ours: exact.Ours) -> dict[str, Any]:
    return _answers(ours)


def _report(ours: exact.Ours, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[bool, list[str]]:
    monkeypatch.setattr(exact, "ask_upstream", lambda _: answers)
    monkeypatch.setattr(exact, "Ours", lambda _: ours)
    lines: list[str] = []
    return exact.report(exact.outcomes(ours.checkout, "0123456789"), lines.append), lines


def test_what_is_equal_is_ok_and_what_nobody_knows_is_said(
    ours: exact.Ours, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    equal, lines = _report(ours, answers, monkeypatch)
    assert equal
    states = [line[:12].strip() for line in lines]
    assert states == ["ok"] * (len(lines) - 1) + ["not checked"]
    assert len(lines) > 12


@pytest.mark.parametrize("part", ["validator", "items", "markers", "selected", "infos"])
def test_one_difference_anywhere_is_seen(
    ours: exact.Ours, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    collected = dict(answers["collected"])
    changed = {**answers, "collected": collected}
    if part == "validator":
        changed["validator"] = answers["validator"][1:]
    elif part == "items":
        collected["items"] = ["test_all_models_torch[other]", *collected["items"][1:]]
    elif part == "markers":
        collected["markers"] = {**collected["markers"], "p150": [-1, *collected["markers"]["p150"][1:]]}
    elif part == "selected":
        name = max(collected["selected"], key=lambda name: len(collected["selected"][name]))
        collected["selected"] = {**collected["selected"], name: collected["selected"][name][1:]}
    else:
        id = next(iter(collected["infos"]))
        collected["infos"] = {**collected["infos"], id: ["name", "vulcan"]}
    equal, lines = _report(ours, changed, monkeypatch)
    assert not equal
    assert any(line.startswith("DIFFERS") for line in lines)
