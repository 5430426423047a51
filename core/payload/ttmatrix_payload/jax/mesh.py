# SPDX-License-Identifier: Apache-2.0
"""A model spread over a mesh of devices, as its loader specifies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any

from . import infra_names
from .forward import checked, input_parameters, is_nnx, merged, set_mode

AXIS = "X"
PyTree = Any


class Parallelism(Enum):
    """How a test spreads its model, with the names that loaders use."""

    SINGLE_DEVICE = "single_device"
    DATA_PARALLEL = "data_parallel"
    TENSOR_PARALLEL = "tensor_parallel"

    def __str__(self) -> str:
        return self.value


class MeshDevices:
    """A loader's model with its arguments, to run on a mesh of `devices` or of the same number of CPU devices.

    Raises what the loader raises, and AttributeError if it does not specify how to spread its model.
    """

    def __init__(self, loader: Any, parallelism: str, hosts: Sequence[Any], *, training: bool) -> None:
        infra_names.provide()
        self.how = Parallelism(parallelism)
        self.host_mesh = mesh_of(hosts)
        self.model = checked(self._load(loader, len(hosts), training))
        set_mode(self.model, training=training)
        self.inputs = loader.load_inputs(mesh=self.host_mesh)
        self.input_specs = loader.get_input_activations_partition_spec(
            self.host_mesh, axis_name=AXIS, parallelism=self.how
        )
        self.parameter_specs = loader.load_parameters_partition_spec(
            model_for_multichip=self.model,
            cpu_mesh=self.host_mesh,
            input_activations_partition_specs=self.input_specs,
            inputs=self.inputs,
            parallelism=self.how,
        )
        self.parameters = self._parameters(loader, training)

    def compiled(self, mesh: Any, options: Mapping[str, str]) -> Callable[..., PyTree]:
        """The call as one program for all devices of `mesh`; each device gets the whole output."""
        import jax
        from jax.sharding import NamedSharding, PartitionSpec

        whole = NamedSharding(mesh, PartitionSpec())
        return jax.jit(self._function(mesh), out_shardings=whole, compiler_options=dict(options) or None)  # type: ignore[no-any-return]

    def arguments(self, mesh: Any) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, spread over `mesh`."""
        parameters = _spread(self.parameters, self.parameter_specs, mesh)
        if not is_nnx(self.model):
            return [parameters, _spread(self.inputs, self.input_specs[0], mesh)], {}
        specs = iter(self.input_specs)
        inputs = {name: _spread(value, next(specs), mesh) for name, value in self.inputs.items()}
        return [], {"params": parameters, **inputs}

    @contextmanager
    def around(self, mesh: Any) -> Any:
        """A context for each run: nnx models that know their mesh get this one."""
        with ExitStack() as stack:
            if is_nnx(self.model):
                _tell_mesh(self.model, mesh)
                stack.enter_context(mesh)
            yield

    def _load(self, loader: Any, count: int, training: bool) -> Any:
        if hasattr(loader, "load_multichip_model"):
            return loader.load_multichip_model(axis_name=AXIS, num_devices=count, train_mode=training)
        return loader.load_model()

    def _parameters(self, loader: Any, training: bool) -> PyTree:
        if not hasattr(loader, "load_parameters"):
            return input_parameters(loader, self.model, training=training)
        return loader.load_parameters(
            train=training,
            inputs=self.inputs,
            model_for_multichip=self.model,
            cpu_mesh=self.host_mesh,
            input_activations_partition_specs=self.input_specs,
            input_parameters_partition_specs=self.parameter_specs,
        )

    def _function(self, mesh: Any) -> Callable[..., PyTree]:
        if not is_nnx(self.model):
            return infra_names.over_mesh(self.model.apply, mesh, (self.parameter_specs, *self.input_specs))
        return merged(self.model)


def mesh_of(devices: Sequence[Any]) -> Any:
    """A mesh of all `devices` in one row, with the axis `AXIS`."""
    import jax

    return jax.make_mesh((len(devices),), (AXIS,), devices=list(devices))


def _spread(value: PyTree, specs: PyTree, mesh: Any) -> PyTree:
    """`value` on `mesh`, each leaf by its spec; scalars have no dimension to split."""
    import jax
    from flax import linen
    from jax.sharding import NamedSharding, PartitionSpec

    def put(spec: Any, leaf: Any) -> Any:
        return jax.device_put(leaf, NamedSharding(mesh, PartitionSpec() if getattr(leaf, "ndim", 1) == 0 else spec))

    return jax.tree.map(
        lambda spec, part: jax.tree.map(lambda leaf: put(spec, leaf), part),
        specs,
        value,
        is_leaf=lambda one: isinstance(one, (PartitionSpec, linen.Partitioned)),
    )


def _tell_mesh(model: Any, mesh: Any) -> None:
    """Set the mesh of an EasyDeL model, which reads it from its configuration and those of its submodules.

    Raises AttributeError for a model without one, as upstream does: there, other nnx models do not run on a mesh.
    """
    model.config.set_model_mesh(mesh)
    for name in ("text_config", "vision_config"):
        if within := getattr(model.config, name, None):
            within.set_model_mesh(mesh)
