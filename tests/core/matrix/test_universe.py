# SPDX-License-Identifier: Apache-2.0
"""The ids that loaders generate."""

from core.domain.ids import TestId
from core.domain.model import Function, Loader
from core.matrix import Member
from core.matrix.universe import collected_members, functions, validator_members
from core.sources import Schema

PLAIN = Loader("a/pytorch", ("x", "y"))
LLM = Loader("b/pytorch", ("1B",), ("1B",), has_decode=True)
JAX = Loader("c/jax")


def test_a_plain_loader_gives_six_ids_a_variant() -> None:
    ids = [member.id for member in validator_members([PLAIN], Schema())]
    assert len(ids) == 12
    assert ids[0] == "a/pytorch-x-single_device-inference"


def test_llm_counts_of_the_validator() -> None:
    phases = [member.phase for member in validator_members([LLM], Schema())]
    assert (phases.count("default"), phases.count("llm_decode"), phases.count("llm_prefill")) == (6, 72, 720)


def test_llm_counts_of_collection() -> None:
    phases = [member.phase for member in collected_members([LLM], Schema(), [])]
    assert (phases.count("default"), phases.count("llm_decode"), phases.count("llm_prefill")) == (6, 864, 864)


def test_each_id_parses_to_the_parts_it_was_made_of() -> None:
    for member in collected_members([PLAIN, LLM, JAX], Schema(), []):
        parsed = TestId.parse(member.id)
        assert parsed is not None
        phase = parsed.llm.phase if parsed.llm else "default"
        assert (parsed.directory, phase, parsed.parallelism, parsed.mode) == member[1:]
        assert parsed.function is functions(member, Schema())[0]


def test_the_validator_counts_a_broken_loader_and_collection_does_not() -> None:
    broken = Loader("a/pytorch", ("x",), broken="imports what is not there")
    assert len(list(validator_members([broken], Schema()))) == 6
    assert list(collected_members([broken], Schema(), [])) == []


def test_op_by_op_twins_are_single_device_only() -> None:
    both = [Function.JAX, Function.OP_BY_OP]
    found = {member.parallelism: functions(member, Schema()) for member in validator_members([JAX], Schema())}
    assert found == {"single_device": both, "data_parallel": [Function.JAX], "tensor_parallel": [Function.JAX]}


def test_the_first_decode_tests_share_the_ids_of_plain_ones() -> None:
    schema = Schema(has_llm_tests=False, decode_parameters=("single_device", "tensor_parallel", "inference"))
    members = collected_members([PLAIN, LLM], schema, ())
    found = {member.id for member in members if Function.LLM_DECODE in functions(member, schema, {LLM.directory})}
    assert found == {f"b/pytorch-1B-{parallelism}-inference" for parallelism in ("single_device", "tensor_parallel")}
    (single,) = (member for member in collected_members([LLM], schema, ()) if member.id == min(found))
    assert functions(single, schema, {LLM.directory}) == [Function.TORCH, Function.LLM_DECODE, Function.OP_BY_OP]


def test_placeholders_are_collected_under_their_own_function() -> None:
    (member,) = collected_members([], Schema(), ["org/Some Model"])
    assert member == Member("org/Some Model", "", "", "", "")
    assert functions(member, Schema()) == [Function.PLACEHOLDER]


def test_ids_of_earlier_times() -> None:
    early = Schema(full_in_ids=True, has_llm_tests=False)
    ids = [member.id for member in validator_members([LLM], early)]
    assert ids[0] == "b/pytorch-1B-single_device-full-inference"
    assert len(ids) == len(set(ids)) == 6
    later = Schema(llm_meshes=(), llm_parallelisms=("single_device",), llm_modes=("inference",))
    llm = [member.id for member in validator_members([LLM], later) if member.phase == "llm_decode"]
    assert llm == ["b/pytorch-1B-llm_decode-seq_1-batch_1-single_device-inference"]
    without_sizes = later._replace(llm_sequence_lengths=(), llm_batch_sizes=())
    for members in (validator_members([LLM], without_sizes), collected_members([LLM], without_sizes, ())):
        assert [member.id for member in members if member.phase != "default"] == [
            "b/pytorch-1B-llm_decode-single_device-inference",
            "b/pytorch-1B-llm_prefill-single_device-inference",
        ]


def test_checkouts_without_op_by_op_tests_have_no_twins() -> None:
    schema = Schema(has_op_by_op_tests=False)
    assert {len(functions(member, schema)) for member in validator_members([JAX], schema)} == {1}


def test_before_jax_was_tested_there_are_no_ids_of_it() -> None:
    schema = Schema(torch_function=Function.MODELS, torch_parameters=("single_device", "training"), jax_parameters=())
    (member,) = collected_members([LLM._replace(has_decode=False, prefill_variants=None), JAX], schema, ())
    assert member.id == "b/pytorch-1B-single_device-training"
    assert functions(member, schema)[0] is Function.MODELS
    assert {one.directory for one in validator_members([PLAIN, JAX], schema)} == {PLAIN.directory}


def test_jax_tests_are_collected_with_the_parameters_of_the_checkout() -> None:
    schema = Schema(jax_parameters=("single_device", "tensor_parallel", "inference"))
    members = list(collected_members([JAX], schema, ()))
    assert {(one.parallelism, one.mode) for one in members} == {
        ("single_device", "inference"),
        ("tensor_parallel", "inference"),
    }
    assert len(list(validator_members([JAX], schema))) > len(members)
