# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.expectations: one entry for one arch, as ttmatrix itself resolves it."""

from pathlib import Path
from typing import Any

import pytest

from core.domain.model import Provenance
from core.matrix import resolve as resolve_in_core
from core.payload.ttmatrix_payload.runner import expectations as ours
from core.payload.ttmatrix_payload.runner.expectations import BadExpectation, read_expectations, resolve
from core.sources import Checkout, Schema, read_expectations as read_in_core
from tests.support.sample import sample_checkout


def write(directory: Path, text: str, name: str = "torch/test_config_a.yaml") -> None:
    (directory / name).parent.mkdir(parents=True, exist_ok=True)
    (directory / name).write_text(text)


def test_an_override_replaces_a_field_even_by_nothing() -> None:
    entry = {
        "status": "expected_passing",
        "reason": "r",
        "markers": "push",
        "arch_overrides": {"n150": {"reason": None, "markers": ["a", "b"], "required_pcc": 0.9}},
    }
    base, here = resolve("x", entry, None), resolve("x", entry, "n150")
    assert (base.status, base.reason, base.markers, base.required_pcc) == ("EXPECTED_PASSING", "r", ("push",), None)
    assert (here.status, here.reason, here.markers, here.required_pcc) == ("EXPECTED_PASSING", None, ("a", "b"), 0.9)
    assert resolve("x", entry, "p150").reason == "r"
    assert resolve("x", {}, "p150").status == "UNSPECIFIED"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"status": "PASSING"}, "x: status 'PASSING' is none of EXPECTED_PASSING"),
        ({"status": None}, "status None"),
        ({"bringup_status": "nowhere"}, "bringup_status"),
        ({"optimization_level": 3}, "must be 0, 1 or 2, it is 3"),
        ({"arch_overrides": None}, "arch_overrides must map"),
        ({"arch_overrides": {"n150": None}}, "arch_overrides must map"),
    ],
)
def test_what_ends_upstreams_collection_is_refused_with_the_entry(entry: dict[str, Any], said: str) -> None:
    with pytest.raises(BadExpectation, match=r"^x: ") as caught:
        resolve("x", entry, "n150")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("test_config:\n  x:\n    satus: PASS\n", "x: unknown field 'satus'"),
        ("test_config:\n  x:\n    arch_overrides: {n150: {pcc: 1}}\n", "unknown field 'pcc'"),
        ("test_config:\n  x:\n", "x must hold fields"),
        ("test_config: [x]\n", "test_config must be a mapping"),
        ("- x\n", "test_config must be a mapping"),
        ("test_config: {x: {status: A}, x: {status: B}}\n", "duplicate key"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, text)
    with pytest.raises(BadExpectation) as caught:
        read_expectations(tmp_path)
    assert str(tmp_path / "torch/test_config_a.yaml") in str(caught.value)
    assert said in str(caught.value)


def test_the_last_directory_and_the_last_name_win(tmp_path: Path) -> None:
    for number, name in enumerate(
        ("torch_llm/test_config_a.yaml", "torch/test_config_b.yaml", "torch/test_config_a.yaml")
    ):
        write(tmp_path, f"test_config: {{x: {{reason: '{number}'}}}}", name)
    write(tmp_path, "PLACEHOLDER_MODELS: {A B/c: , d: {reason: soon}}", "torch/test_config_placeholders.yaml")
    found = read_expectations(tmp_path)
    assert found.of("x", None).reason == "0"
    assert found.placeholders == {"A B/c": {}, "d": {"reason": "soon"}}
    assert read_expectations(tmp_path / "absent").entries == {}


def test_lists_are_upstreams() -> None:
    schema = Schema()
    assert set(ours.ARCHS) == set(schema.archs)
    assert ours._FIELDS | {"arch_overrides"} == set(schema.fields)
    assert schema.placeholders_filename == ours.PLACEHOLDERS
    assert schema.config_directories == ours.DIRECTORIES


def test_the_sample_reads_as_ttmatrix_reads_it(tmp_path: Path) -> None:
    checkout: Checkout = sample_checkout(tmp_path / "sample")
    found = read_expectations(checkout.test_config)
    entries = {entry.id: entry for file in read_in_core(checkout, Schema()) for entry in file.entries}
    assert found.entries.keys() == entries.keys()
    for id, entry in entries.items():
        for arch in (None, "n150", "p150", "n300"):
            ended = found.of(id, arch)
            for field in ("required_pcc", "reason", "assert_pcc", "optimization_level", "batch_size"):
                wanted = resolve_in_core(entry, field, arch)
                told = None if wanted.provenance is Provenance.DEFAULT else wanted.value
                assert getattr(ended, field) == told, (id, field, arch)
