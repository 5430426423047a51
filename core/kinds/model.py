# SPDX-License-Identifier: Apache-2.0
"""Tests of models: ids that loaders generate, and entries. What they are made of is in `core.matrix` itself."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core import kinds
from core.domain.model import node_id
from core.kinds.kind import EVERY, Kind, Launch, Written
from core.matrix import MODEL_KIND, RUN, Column, FlagColumn, Matrix, OwnLayout
from core.matrix.query import (
    FAILED_ON,
    FIRST_BAD,
    FLAKY,
    LAST,
    NIGHT,
    TURNED,
    Choice,
    FromFacts,
    Number,
    Scope,
    Text,
    assert_pcc_column,
    day,
    days,
    decimal,
    family_column,
    field_column,
    has_column,
    llm_column,
    made,
    required_pcc_column,
    stored,
    variant_column,
)

if TYPE_CHECKING:
    from core.kinds.records import Row
    from core.workspace import Workspace


def _entry_values(name: str) -> Callable[[Scope], FlagColumn]:
    """The effective values of a field of entries."""
    return lambda scope: field_column(scope.matrix, name, scope.arch)


def _llm(part: str) -> Callable[[Scope], Column]:
    """A part of LLM ids."""
    return lambda scope: llm_column(scope.matrix, part)


class ModelKind(Kind):
    """The rows that every matrix has."""

    name = MODEL_KIND
    noun = "test"
    written_in = "the loaders"
    listed = True
    fields = (*EVERY, "bringup", "marker", "group", "name", "job", "verdict", "function")
    own_fields = (
        Choice("arch", "marked for this arch; also use the values for this arch", stored("arch")),
        Choice("mode", "inference or training", stored("mode")),
        Choice("parallelism", "how devices share the model", stored("parallelism")),
        Choice("framework", "pytorch or jax", stored("framework")),
        Choice("phase", "default, llm_decode or llm_prefill", stored("phase")),
        Number(
            "pcc",
            "effective required_pcc on the shown arch, or on any supported one",
            lambda scope: required_pcc_column(scope.matrix, scope.arch),
        ),
        Choice(
            "assert_pcc",
            "true or false: whether PCC is asserted there",
            lambda scope: assert_pcc_column(scope.matrix, scope.arch),
        ),
        Number(
            "optimization_level", "its level there; none: not set", _entry_values("optimization_level"), int, ("1", "2")
        ),
        Choice(
            "bfp8",
            "true or false: whether weights are compiled as bfp8 there",
            _entry_values("enable_weight_bfp8_conversion"),
        ),
        Number(
            "batch_size", "batch size of the entry there; none: not set", _entry_values("batch_size"), int, ("1", "4")
        ),
        Text("execution_pass", "forward or backward, as the entry has it", _entry_values("execution_pass")),
        Text("filechecks", "part of the name of a file of patterns that the entry lists", _entry_values("filechecks")),
        Choice(
            "assert_allclose", "true or false: whether the entry turns that check on", _entry_values("assert_allclose")
        ),
        Number(
            "allclose_rtol", "its relative tolerance there", _entry_values("allclose_rtol"), decimal, ("0.01", "0.05")
        ),
        Number(
            "allclose_atol", "its absolute tolerance there", _entry_values("allclose_atol"), decimal, ("0.01", "0.05")
        ),
        Choice("assert_atol", "true or false: whether the entry turns that check on", _entry_values("assert_atol")),
        Number("required_atol", "its required_atol there", _entry_values("required_atol"), decimal, ("0.16", "0.5")),
        Choice("inject_custom_moe", "true or false: whether it is there", _entry_values("inject_custom_moe")),
        Choice(
            "emitpy_assert_exact",
            "true or false: whether it is, with --emitpy, there",
            _entry_values("emitpy_assert_exact"),
        ),
        Choice("has", "entry, override, reason, issue (a link in the reason) or pcc", made(has_column)),
        Text("loader", "part of the loader's directory", stored("loader")),
        Text("family", "part of the family: the first part of the loader's directory", made(family_column)),
        Text("variant", "part of the variant", made(variant_column)),
        Choice("task", "task of the model", FromFacts("models", "task")),
        Choice("source", "origin of the model", FromFacts("models", "source")),
        Choice(
            LAST,
            "newest result there, or on any arch: passed, as-expected, unexpected",
            FromFacts("runs", LAST),
        ),
        Choice(
            NIGHT,
            "as last, of the last day that has results: tests that did not run then have none",
            FromFacts("runs", NIGHT),
        ),
        Choice("turned", "broke or fixed since the night before, there or on any arch", FromFacts("runs", TURNED)),
        Number(
            "first_bad",
            "day on which it began to fail, there or on any arch",
            FromFacts("runs", FIRST_BAD),
            day,
            ("2026-11-01", "2026-11-20"),
        ),
        Number(
            "flaky",
            "how often its newest 30 results change, 0 to 1 (as ttmatrix since)",
            FromFacts("runs", FLAKY),
            decimal,
            ("0.2", "0.5"),
        ),
        Text(
            "failed_on",
            "part of a machine's name on which it failed in the last four weeks",
            FromFacts("runs", FAILED_ON),
        ),
        Number(
            "samples_per_s",
            "newest throughput, there or on any arch",
            FromFacts("runs", "samples_per_s"),
            decimal,
            ("10", "100"),
        ),
        Number("run_s", "newest seconds of one timed run", FromFacts("runs", "run_s"), decimal, ("0.1", "1")),
        Number("compile_s", "newest seconds of compilation", FromFacts("runs", "compile_s"), decimal, ("10", "60")),
        Number(
            "peak_mb", "newest peak memory of the host in MiB", FromFacts("runs", "peak_mb"), decimal, ("1000", "8000")
        ),
        Number("age", "days since a status of the entry was set", FromFacts("history", "age"), days, ("30d", "90d")),
        Number("flips", "how often a status of the entry has changed", FromFacts("history", "flips"), int, ("1", "3")),
        Number("seq", "sequence length of an LLM id; 1: not given", _llm("seq"), int, ("1", "128")),
        Number("batch", "batch size of an LLM id, per device", _llm("batch"), int, ("1", "4")),
        Choice("mesh", "mesh of an LLM id", _llm("mesh")),
    )
    columns = ("id", "status", "archs", "bringup", RUN, "reason")
    facets = (
        "status",
        "arch",
        "mode",
        "parallelism",
        "framework",
        "phase",
        "bringup",
        "marker",
        "group",
        "task",
        "job",
    )
    launch = Launch.TEST
    written = Written.ENTRY
    id_title = "test id"
    no_ops = ""
    own_table = False
    layouts = (
        OwnLayout("loaders", "loader", "arch", "loaders by arch"),
        OwnLayout("variants", "variant", "arch", "variants by arch"),
        OwnLayout("families", "family", "arch", "families by arch"),
        OwnLayout("groups", "group", "arch", "groups of models by arch"),
        OwnLayout("tasks", "task", "arch", "tasks of models by arch"),
        OwnLayout("loader-work", "loader", "work", "loaders by parallelism and mode"),
        OwnLayout("variant-work", "variant", "work", "variants by parallelism and mode"),
        OwnLayout("parallelism", "parallelism", "arch", "parallelisms by arch"),
        OwnLayout("work", "parallelism", "mode", "parallelisms by mode"),
    )

    def add(self, matrix: Matrix, on: "Workspace") -> Matrix:
        return matrix

    def find(self, text: str, on: "Workspace") -> str:
        """None: what names no row of another kind is looked for among these (`core.matrix.resolve_id`)."""
        return ""

    def chosen(self, text: str, on: "Workspace") -> Sequence[str]:
        """The text itself, as no other kind knows it: many are resolved at once."""
        return (text,)

    def records(
        self, matrix: Matrix, ids: Sequence[str], on: "Workspace", arch: str = "", *, broken: bool = False
    ) -> "Sequence[Row]":
        rows = map(matrix.rows.__getitem__, ids)
        return [kinds.model_test(matrix, row, arch, matrix.function(row)) for row in rows]

    def node_id(self, id: str, matrix: Matrix) -> str:
        return node_id(matrix.function(matrix.rows[id]), id)


KIND = ModelKind()
