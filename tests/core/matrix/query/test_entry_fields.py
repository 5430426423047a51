# SPDX-License-Identifier: Apache-2.0
"""Every field that entries can have can be asked for, shown as a column and set in the form."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.edits import EntryForm, entry_fields
from core.matrix import Matrix, all_kinds, index
from core.matrix.query import FIELDS, Query, lacking_words, select
from core.matrix.query.fields import field_of
from core.matrix.view import TABLE_FIELDS
from tests.support.tree import INFERENCE, LOADERS, write_checkout

ID = "alpha/pytorch-tiny-single_device-inference"
OTHER = "alpha/pytorch-tiny-single_device-training"
_ENTRY = """\
test_config:
  alpha/pytorch-tiny-single_device-inference:
    status: EXPECTED_PASSING
    optimization_level: 1
    enable_weight_bfp8_conversion: true
    batch_size: 4
    execution_pass: FORWARD
    filechecks: [add.ttnn.mlir, matmul.mlir]
    assert_allclose: true
    allclose_rtol: 0.05
    arch_overrides:
      p150:
        optimization_level: 2
        batch_size: 1
"""
_NAMED_OTHERWISE = {
    "status",
    "bringup_status",
    "reason",
    "markers",
    "supported_archs",
    "required_pcc",
    "arch_overrides",
}
"""They have a field and a column of another name."""


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(write_checkout(tmp_path, LOADERS, {INFERENCE: _ENTRY}))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("optimization_level:1", True),
        ("optimization_level:>=2 arch:p150", True),
        ("optimization_level:>=2 arch:n150", False),
        ("optimization:1 arch:n150", True),
        ("bfp8:true", True),
        ("enable_weight_bfp8_conversion:false", False),
        ("batch_size:4", True),
        ("batch_size:>4", False),
        ("execution_pass:forward", True),
        ("filechecks:matmul", True),
        ("filechecks:sub", False),
        ("allclose:true", True),
        ("allclose_rtol:>0.01", True),
        ("allclose_atol:0.01", True),
        ("assert_atol:false", True),
        ("emitpy_assert_exact:true", True),
        ("inject_custom_moe:true", False),
        ("required_atol:0.16", True),
    ],
)
def test_the_effective_value_is_found(matrix: Matrix, query: str, found: bool) -> None:
    assert (matrix.rows[ID] in select(matrix, Query.parse(query))) is found


def test_without_a_value_it_is_none_or_the_default(matrix: Matrix) -> None:
    other = matrix.rows[OTHER]
    for query in ("optimization_level:none", "batch_size:none", "bfp8:false", "allclose:false"):
        assert other in select(matrix, Query.parse(query))


def test_every_field_of_the_schema_is_in_query_columns_and_form(matrix: Matrix) -> None:
    columns = {one.name for one in TABLE_FIELDS}
    for name in {*matrix.schema.fields} - _NAMED_OTHERWISE:
        assert field_of(matrix, name) is not None and name in columns, name
    assert {field.name for field in entry_fields(matrix.schema)} == {*matrix.schema.fields} - {"arch_overrides"}


def test_a_field_that_is_new_in_the_checkout_is_there_at_once(matrix: Matrix) -> None:
    newer = replace(matrix, schema=matrix.schema._replace(fields=(*matrix.schema.fields, "fabric_config")))
    assert "fabric_config" in {field.name for field in entry_fields(newer.schema)}
    assert EntryForm(newer, [ID]).read("fabric_config", "true") is True
    assert select(newer, Query.parse("fabric_config:x")) == []


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("optimization_level", "2", 2),
        ("batch_size", "4", 4),
        ("enable_weight_bfp8_conversion", "true", True),
        ("filechecks", "a.mlir, b.mlir", ["a.mlir", "b.mlir"]),
        ("execution_pass", "forward", "FORWARD"),
        ("allclose_rtol", "0.05", 0.05),
        ("batch_size", "", None),
    ],
)
def test_the_form_reads_them(matrix: Matrix, name: str, text: str, value: object) -> None:
    form = EntryForm(matrix, [ID])
    assert form.read(name, text) == value
    operations = form.operations("", {name: text})
    assert [(op.path, op.value) for op in operations if op.path == (name,)] in ([((name,), value)], [])


@pytest.mark.parametrize(("name", "text"), [("optimization_level", "3"), ("batch_size", "many"), ("batch_size", "0")])
def test_the_form_refuses_what_upstream_would(matrix: Matrix, name: str, text: str) -> None:
    with pytest.raises(UsageError, match=name):
        EntryForm(matrix, [ID]).read(name, text)


def test_other_names_of_fields(matrix: Matrix) -> None:
    assert str(Query.parse("mark:push required_pcc:0.9 bringup_status:passed")) == "marker:push pcc:0.9 bringup:passed"


def test_what_a_kind_has_not_is_named() -> None:
    said = ["op: is a field of op rows only, so it matches nothing here"]
    assert lacking_words(Query.parse("kind:handwritten op:torch.add")) == said
    assert lacking_words(Query.parse("op:torch.add"), "handwritten") == said
    assert lacking_words(Query.parse("kind:handwritten level:op")) == []
    assert lacking_words(Query.parse("op:torch.add")) == []
    left = ["op: is a field of op rows only, so it excludes nothing here"]
    assert lacking_words(Query.parse("kind:handwritten !op:torch.add")) == left
    assert lacking_words(Query.parse("kind:handwritten !op:none")) == said


def test_what_no_row_has_matches_nothing_and_is_named(matrix: Matrix) -> None:
    for text in ("op:torch.add", "op:anything", "op:none", "op~add", "!op:none"):
        assert select(matrix, Query.parse(text)) == []
        assert [one.partition(":")[0] for one in lacking_words(Query.parse(text), matrix=matrix)] == ["op"]
    assert len(select(matrix, Query.parse("!op:torch.add"))) == len(matrix.ids)
    assert lacking_words(Query.parse("status:xfail"), matrix=matrix) == []


def test_a_dash_before_a_field_excludes() -> None:
    assert Query.parse("-mark:push llama -seq -a::b") == Query.parse("!marker:push llama -seq -a::b")
    assert str(Query.parse("-status:xfail")) == "!status:xfail"


def test_each_field_is_defined_once() -> None:
    assert len(FIELDS) == len({one.name for one in FIELDS})
    shared = {name for kind in all_kinds().values() for name in kind.fields}
    assert shared <= {one.name for one in FIELDS}
