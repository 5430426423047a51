# SPDX-License-Identifier: Apache-2.0
"""Names that loaders import from upstream's test infrastructure, for checkouts without it."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

PyTree = Any
_TENSOR_AXIS = "tp"


def provide() -> None:
    """Provide `infra.utilities` with the names that JAX loaders use, unless the module exists."""
    if "infra" in sys.modules or importlib.util.find_spec("infra") is not None:
        return
    package, utilities = ModuleType("infra"), ModuleType("infra.utilities")
    package.__path__ = []
    for one in (
        initialize_flax_linen_parameters_on_cpu,
        make_flax_linen_parameters_partition_specs_on_cpu,
        make_easydel_parameters_partition_specs,
    ):
        setattr(utilities, one.__name__, one)
    sys.modules.update({"infra": package, "infra.utilities": utilities})


def over_mesh(
    function: Callable[..., PyTree], mesh: Any, in_specs: Sequence[PyTree], out_specs: PyTree = None
) -> Callable[..., PyTree]:
    """`function` run by each device of `mesh` on its shard; by default each device returns the whole result."""
    import jax
    from jax.sharding import PartitionSpec

    out = PartitionSpec() if out_specs is None else out_specs
    # JAX cannot tell for a result gathered inside that all devices have the same value.
    return jax.shard_map(function, mesh=mesh, in_specs=tuple(in_specs), out_specs=out, check_vma=False)  # type: ignore[no-any-return]


def initialize_flax_linen_parameters_on_cpu(
    model: Any, inputs_specs: Any, cpu_inputs: Any, params_specs: PyTree, cpu_mesh: Any, rng_seed: int
) -> PyTree:
    """Parameters of a linen model, made on the mesh where its collectives have an axis."""
    import jax

    make = over_mesh(model.init, cpu_mesh, (None, *inputs_specs), params_specs)
    return make(jax.random.PRNGKey(rng_seed), cpu_inputs)


def make_flax_linen_parameters_partition_specs_on_cpu(
    model: Any, cpu_mesh: Any, inputs_specs: Any, cpu_inputs: Any
) -> PyTree:
    """The sharding of a linen model's parameters, from its own annotations (`with_partitioning`)."""
    import jax
    from flax import linen

    make = over_mesh(model.init, cpu_mesh, (None, *inputs_specs))
    return linen.get_partition_spec(jax.eval_shape(make, jax.random.PRNGKey(0), cpu_inputs))


def make_easydel_parameters_partition_specs(
    model_state: PyTree, partition_rules: Sequence[tuple[str, Any]], axis_name: str = "X"
) -> PyTree:
    """The sharding of an EasyDeL model's parameters: by the first rule whose pattern occurs in their path.

    Only a rule's axis of tensor parallelism counts; it becomes `axis_name`.
    """
    import jax

    from .arrays import leaves

    _, tree = jax.tree_util.tree_flatten(model_state)
    return jax.tree_util.tree_unflatten(
        tree, [_spec_of(path, partition_rules, axis_name) for path, _ in leaves(model_state)]
    )


def _spec_of(path: str, rules: Sequence[tuple[str, Any]], axis_name: str) -> Any:
    from jax.sharding import PartitionSpec

    found = next((spec for pattern, spec in rules if re.search(pattern, path)), None)
    axes = () if found is None else found
    return PartitionSpec(*(axis_name if _is_tensor_axis(axis) else None for axis in axes))


def _is_tensor_axis(axis: Any) -> bool:
    return axis == _TENSOR_AXIS or (isinstance(axis, tuple) and _TENSOR_AXIS in axis)
