# SPDX-License-Identifier: Apache-2.0
"""The lists of the pinned snapshot fit together."""

from core.sources import DEFAULT_ARCHS, Schema


def test_no_list_names_a_thing_twice() -> None:
    lists = {name: value for name, value in Schema()._asdict().items() if isinstance(value, tuple)}
    assert len(lists) > 10
    assert {name: value for name, value in lists.items() if len(set(value)) < len(value)} == {}


def test_what_one_list_takes_from_another_is_there() -> None:
    schema = Schema()
    assert {*DEFAULT_ARCHS} <= {*schema.archs}
    assert {*schema.torch_parameters} == {*schema.jax_parameters} == {*schema.parallelisms, *schema.modes}
    assert {"single_device"} <= {*schema.parallelisms} & {*schema.llm_parallelisms}
