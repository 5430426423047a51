# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.parameters: ids and combinations, as ttmatrix has them without importing anything."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

from core.ci.jobs import llm_skip_reason
from core.domain.ids import TestId
from core.domain.model import Loader
from core.matrix.universe import collected_members, functions
from core.payload.ttmatrix_payload.runner.models import Model
from core.payload.ttmatrix_payload.runner.parameters import FUNCTIONS, Case, cases, placeholder
from core.sources import Schema


def model(
    directory: str = "a/b/pytorch", variant: str | None = "X-1/y", *, prefill: bool = False, decode: bool = True
) -> Model:
    loader: Any = type("ModelLoader", (), {"load_inputs_decode": None} if decode else {})
    return Model(directory, variant, loader, SimpleNamespace(group="red"), prefill)


def of(found: Model) -> list[Case]:
    return [*cases(found)]


def test_ids_and_functions_are_those_that_the_matrix_knows() -> None:
    loaders = [Loader("a/b/pytorch", ("X-1/y",), ("X-1/y",), has_decode=True), Loader("c/jax")]
    wanted = Counter(
        (str(function), one.id)
        for one in collected_members(loaders, Schema(), ["Place Holder"])
        for function in functions(one, Schema())
    )
    found = [
        *of(model()),
        *of(model(prefill=True)),
        *of(model("c/jax", None, decode=False)),
        placeholder("Place Holder"),
    ]
    assert Counter((case.function, case.id) for case in found) == wanted
    assert {case.function for case in found} == {*FUNCTIONS}


def test_ids_say_what_the_parameters_are() -> None:
    for case in (*of(model()), *of(model(prefill=True))):
        parsed = TestId.parse(case.id)
        assert parsed is not None
        assert (parsed.directory, parsed.variant, parsed.mode) == ("a/b/pytorch", "X-1/y", case.mode)
        assert parsed.parallelism.endswith(case.parallelism)
        if parsed.llm is None:
            assert (case.phase, case.batch_size, case.seq_len, case.mesh) == ("default", None, None, None)
            continue
        assert (case.phase, case.seq_len or 1) == (parsed.llm.phase, parsed.llm.seq_len)
        explicit = parsed.parallelism.count("-") > 0
        assert (case.strategy is not None) == explicit
        assert case.shard_inputs == ("-dp-" in parsed.parallelism)
        if case.mesh:
            assert parsed.llm.mesh == f"mesh_{case.mesh[0]}x{case.mesh[1]}"
        rows = case.mesh[0] if case.mesh and case.shard_inputs and case.phase == "llm_prefill" else 1
        assert parsed.llm.batch_size is not None
        assert case.batch_size == parsed.llm.batch_size * rows


def test_combinations_are_skipped_for_the_reasons_that_the_matrix_gives() -> None:
    found = [*of(model()), *of(model(prefill=True))]
    for case in found:
        parsed = TestId.parse(case.id)
        assert parsed is not None
        assert case.skip_reason == llm_skip_reason(parsed), case.id
    runs = Counter(case.phase for case in found if not case.skip_reason)
    assert (runs["llm_decode"], runs["llm_prefill"]) == (2, 300)


def test_a_prefill_class_has_llm_tests_only() -> None:
    assert {case.phase for case in of(model(prefill=True))} == {"llm_prefill"}
    assert {case.phase for case in of(model(decode=False))} == {"default"}
