# SPDX-License-Identifier: Apache-2.0
"""Every test id that loaders generate: as upstream's validator counts them, and as pytest collects them."""

from collections.abc import Collection, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from core.domain.model import Framework, Function, Loader
from core.sources import Schema

NO_SEQUENCE = 1
"""The `seq_N` of ids without a given sequence length."""


_Suffix = tuple[str, str, str, str]
"""The end of an id, with its phase, parallelism and mode."""


class Member(NamedTuple):
    """One id of the universe with the parts it was made of."""

    id: str
    directory: str
    phase: str
    parallelism: str
    mode: str


def validator_members(loaders: Iterable[Loader], schema: Schema) -> Iterator[Member]:
    """The ids that upstream's `validate_test_config.py` generates; one can occur twice.

    The validator does not import loaders, so a broken one counts here.
    """
    plain = _standard(schema)
    if not schema.jax_parameters:
        loaders = [loader for loader in loaders if loader.framework is not Framework.JAX]
    decode = _llms("llm_decode", [(NO_SEQUENCE, 1)], schema)
    prefill = _llms("llm_prefill", product(schema.llm_sequence_lengths, schema.llm_batch_sizes), schema)
    for loader in loaders:
        with_decode = loader.has_decode and schema.has_llm_tests
        yield from _members(loader, plain + decode if with_decode else plain, prefill if schema.has_llm_tests else [])


def collected_members(loaders: Iterable[Loader], schema: Schema, placeholders: Iterable[str]) -> Iterator[Member]:
    """Ids that pytest collects (docs/rules.md 1.5), without the loaders that cannot be imported.

    Op-by-op twins and the first decode tests share their ids with these: see `functions`.
    """
    plain = _standard(schema)
    torch, jax = (
        [one for one in plain if {*one[2:]} <= {*parameters}]
        for parameters in (schema.torch_parameters, schema.jax_parameters)
    )
    lengths = (NO_SEQUENCE, *schema.llm_sequence_lengths)
    sizes = list(product(lengths, schema.llm_batch_sizes))
    decode, prefill = _llms("llm_decode", sizes, schema), _llms("llm_prefill", sizes, schema)
    for loader in loaders:
        if not loader.broken:
            own = jax if loader.framework is Framework.JAX else torch
            with_decode = loader.has_decode and schema.has_llm_tests
            yield from _members(loader, own + decode if with_decode else own, prefill if schema.has_llm_tests else [])
    yield from (Member(key, "", "", "", "") for key in placeholders)


def functions(member: Member, schema: Schema, decoding: Collection[str] = ()) -> list[Function]:
    """The functions under which pytest collects an id, the one that runs the whole model first.

    `decoding` are the directories of the loaders that provide inputs for decoding.
    """
    if member.phase == "":
        return [Function.PLACEHOLDER]
    if member.phase != "default":
        return [Function.LLM]
    own = Function.JAX if member.directory.endswith(f"/{Framework.JAX}") else schema.torch_function
    found = [own]
    if member.directory in decoding and {member.parallelism, member.mode} <= {*schema.decode_parameters}:
        found.append(Function.LLM_DECODE)
    if schema.has_op_by_op_tests and member.parallelism == "single_device":
        found.append(Function.OP_BY_OP)
    return found


def _members(loader: Loader, suffixes: list[_Suffix], prefill: list[_Suffix]) -> list[Member]:
    groups = [(loader.variants, suffixes)]
    if loader.prefill_variants is not None:
        groups.append((loader.prefill_variants, prefill))
    directory = loader.directory
    return [
        Member(base + suffix, directory, phase, parallelism, mode)
        for variants, ends in groups
        for base in _bases(loader, variants)
        for suffix, phase, parallelism, mode in ends
    ]


def _bases(loader: Loader, variants: tuple[str, ...]) -> list[str]:
    return [f"{loader.directory}-{variant}" if variant else loader.directory for variant in variants or ("",)]


def _standard(schema: Schema) -> list[_Suffix]:
    full = "-full" if schema.full_in_ids else ""
    return [
        (f"-{parallelism}{full}-{mode}", "default", parallelism, mode)
        for parallelism, mode in product(schema.parallelisms, schema.modes)
    ]


def _llms(phase: str, sizes: Iterable[tuple[int, int]], schema: Schema) -> list[_Suffix]:
    """The ends of the LLM ids of a phase: without sizes if the checkout's tests have none, and without empty meshes."""
    shown = [f"-seq_{length}-batch_{batch}" for length, batch in sizes] if schema.llm_batch_sizes else [""]
    shapes = product(shown, schema.llm_parallelisms, schema.llm_meshes or ("",), schema.llm_modes)
    return [
        (f"-{phase}{size}-{parallelism}{mesh and f'-{mesh}'}-{mode}", phase, parallelism, mode)
        for size, parallelism, mesh, mode in shapes
    ]
