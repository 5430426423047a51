# SPDX-License-Identifier: Apache-2.0
"""What loaders import from upstream's test infrastructure, for checkouts that do not have it."""

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
    """Make `infra.utilities` importable with what loaders of JAX models use, unless there is one."""
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
    """`function` run by each device of `mesh` on its part; by default each gives the whole result."""
    import jax
    from jax.sharding import PartitionSpec

    out = PartitionSpec() if out_specs is None else out_specs
    # Of a result that is gathered within, JAX cannot tell that all devices have the same.
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
    """How the parameters of a linen model are split, by what the model itself says (`with_partitioning`)."""
    import jax
    from flax import linen

    make = over_mesh(model.init, cpu_mesh, (None, *inputs_specs))
    return linen.get_partition_spec(jax.eval_shape(make, jax.random.PRNGKey(0), cpu_inputs))


def make_easydel_parameters_partition_specs(
    model_state: PyTree, partition_rules: Sequence[tuple[str, Any]], axis_name: str = "X"
) -> PyTree:
    """How the parameters of an EasyDeL model are split: by the first rule whose pattern is found in their path.

    Of a rule's axes only that of tensor parallelism counts; it becomes `axis_name`.
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
