# SPDX-License-Identifier: Apache-2.0
"""All checks together: complete, in order, and silent if nothing is wrong."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.doctor import examine, kinds
from core.doctor.check import Check
from core.doctor.doctor import CHECKS, diagnose
from core.domain.model import Finding
from core.matrix import Matrix, index, texts as strings
from core.matrix.cache import Cache
from core.sources import parse_expectations
from tests.support.findings import assert_mend_heals
from tests.support.sample import sample_checkout
from tests.support.tree import INFERENCE, LOADERS, TRAINING, sample, write_checkout


def test_the_sample_has_its_one_dead_override(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path))
    (one,) = diagnose(matrix)
    assert (one.kind, one.id) == (
        "dead-override",
        "graph_conv/node_classification/pytorch-Ring_16-single_device-inference",
    )
    assert_mend_heals(matrix, one)


def test_findings_of_reading_and_of_checks_come_by_file_and_line(tmp_path: Path) -> None:
    yaml = {
        INFERENCE: "test_config:\n  b:\n    x: 1\n    x: 2\n    status: NONE\n  a:\n    reason: r\n",
        TRAINING: "test_config: [\n",
    }
    found = diagnose(index(write_checkout(tmp_path, LOADERS | {"bad/pytorch": "class ("}, yaml)))
    assert [(one.kind, one.line) for one in found] == [
        ("unknown-id", 2),
        ("duplicate-key", 4),
        ("unknown-field", 4),
        ("bad-value", 5),
        ("no-status", 6),
        ("unknown-id", 6),
        ("broken-yaml", 2),
        ("broken-loader", 1),
    ]


def test_one_more_kind_is_one_more_check(tmp_path: Path) -> None:
    more = Check("my-kind", "help", lambda matrix: [Finding("my-kind", "found", "a-file")])
    matrix = index(sample(tmp_path))
    assert diagnose(matrix, (more,)) == (Finding("my-kind", "found", "a-file"),)
    assert kinds((more,)) == {"my-kind": "help"}


def test_no_two_checks_share_a_kind() -> None:
    assert len(kinds()) == len(CHECKS)
    assert all(text and text[0].islower() and not text.endswith(".") for text in kinds().values())


@pytest.fixture
def upstream(shared_test_config: Path, tmp_path: Path) -> Matrix:
    """The snapshot's entries. Its loaders are not available, so every id counts as known."""
    texts = {
        path.relative_to(shared_test_config).as_posix(): path.read_text()
        for path in shared_test_config.glob("*/*.yaml")
    }
    patterns = tmp_path / "tests" / "filecheck"
    patterns.mkdir(parents=True)
    for name in {name for text in texts.values() for name in _filechecks(text)}:
        (patterns / name).touch()
    matrix = index(write_checkout(tmp_path, LOADERS, texts))
    return replace(matrix, strays=frozenset())


def _filechecks(text: str) -> list[str]:
    return [name for entry in parse_expectations(text, "f").entries for name in strings(entry.fields.get("filechecks"))]


def test_what_is_known_to_be_wrong_upstream(upstream: Matrix) -> None:
    """docs/rules.md 2.8."""
    found = diagnose(upstream)
    assert Counter(one.kind for one in found) == {
        "dead-override": 5,
        # the two tests of Llama with 70 B parameters on several chips
        "default-arch": 2,
        "duplicate-key": 1,
        "misfiled": 2,
        "no-status": 2,
        # 10 entries whose overrides are all the same, 6 overrides that repeat the entry's status
        "redundant-override": 10 + 6,
        # required_pcc, assert_pcc
        "redundant-default": 34 + 3,
        # at the entry, in an override
        "pcc-conflict": 2 + 3,
    }
    assert len({one.id for one in found if one.kind == "dead-override"}) == 3
    one_of_each = {one.kind: one for one in found if one.fix}
    assert one_of_each.keys() == {one.kind for one in found} - {"default-arch", "no-status"}
    for one in one_of_each.values():
        assert_mend_heals(upstream, one)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.kind)
def test_a_sound_checkout_has_no_finding_of_any_kind(check: Check, tmp_path: Path) -> None:
    yaml = {INFERENCE: "test_config:\n  alpha/pytorch-tiny-single_device-inference:\n    status: EXPECTED_PASSING\n"}
    assert list(check.find(index(write_checkout(tmp_path, LOADERS, yaml)))) == []


def test_what_takes_longer_is_reported_too_and_saved(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    loader = checkout.models / "deep_sets" / "pytorch" / "loader.py"
    loader.write_text("from ...tools.utils import no_such_name\n" + loader.read_text())
    (checkout.presets / "model-test-push.json").write_text("[")
    (checkout.root / "tests/torch").mkdir(exist_ok=True)
    (checkout.root / "tests/torch/test_gone.py").write_text("SHAPES = no_such_name\ndef test_a(): ...\n")
    cache, matrix = Cache(checkout, tmp_path / "cache"), index(checkout)
    first = examine(cache, matrix)
    assert {"no-job", "broken-preset", "broken-loader", "broken-test", "dead-override"} == {one.kind for one in first}
    assert examine(cache, matrix) == first


def test_entries_of_a_loader_that_raises_have_no_finding_of_their_own(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    before = {one.id for one in examine(Cache(checkout, tmp_path / "one"), index(checkout)) if one.kind == "no-job"}
    loader = checkout.models / "deep_sets" / "pytorch" / "loader.py"
    loader.write_text(loader.read_text().replace("ModelTask.", "ModelTask.NO_", 1))
    found = examine(Cache(checkout, tmp_path / "two"), index(checkout))
    assert any(one.kind == "raising-loader" and one.id == "deep_sets/pytorch" for one in found)
    assert {one.id for one in found if one.kind == "no-job"} <= before
