# SPDX-License-Identifier: Apache-2.0
"""The test of a JAX model: on the CPU, and on one device or a mesh, in inference or training (docs/rules.md 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..backend import COMPILATION, EXECUTION, Stage
from ..execute.compare import compare_outputs
from ..settings import Comparison, Settings
from ..skeleton import ModelTest
from .arrays import leaves, tensors
from .mesh import MeshDevices, mesh_of
from .programs import keep
from .single import SingleDevice

PyTree = Any
_EASYDEL = "EASYDEL"
_NO_TRAINING = "JAX models cannot be trained on a mesh: upstream's tester fails there with an AssertionError."


class Devices(Protocol):
    """What a test needs of its backend."""

    name: str

    def devices(self) -> list[Any]:
        """The devices under test."""

    def hosts(self) -> list[Any]:
        """The CPU devices, which compute the references."""

    def device_count(self) -> int:
        """How many devices a model can be spread over."""

    def device_text(self, count: int) -> str:
        """The hardware that really runs a model on `count` devices, for people."""


class JaxTest(ModelTest):
    """A JAX model with its arguments, and the steps of its test."""

    def __init__(self, loader: Any, settings: Settings, backend: Devices, stage: Stage) -> None:
        count = backend.device_count() if settings.parallelism != "single_device" else 1
        super().__init__(settings, backend.name, backend.device_text(count))
        self.stage = stage
        # XLA's own compiler takes its options from XLA_FLAGS.
        self.options = settings.device_options() if backend.name == "tt" else {}
        # As upstream does: EasyDeL's models run on a mesh of one device, and cannot be trained there.
        easydel = settings.parallelism == "single_device" and _is_easydel(loader)
        self.training = settings.training and not easydel
        devices, hosts = backend.devices()[:count], backend.hosts()[:count]
        self.model: SingleDevice | MeshDevices
        if settings.parallelism == "single_device" and not easydel:
            self.model = SingleDevice(loader, training=self.training)
            self.host, self.device = hosts[0], devices[0]
        else:
            self.model = MeshDevices(loader, settings.parallelism, hosts, training=self.training)
            self.host, self.device = self.model.host_mesh, mesh_of(devices)
        self.say_inputs(leaf.shape for _, leaf in leaves(self.model.inputs) if getattr(leaf, "ndim", 0))
        if isinstance(self.model, SingleDevice):
            arrays = (leaf for _, leaf in leaves(self.model.forward.parameters) if hasattr(leaf, "nbytes"))
            self.say_parameters((int(leaf.size), int(leaf.nbytes)) for leaf in arrays)

    def infer(self) -> list[Comparison]:
        """Forward."""
        reference = self._forward(self.host, {})
        self.stage(COMPILATION)
        self._keep(self.device)
        ours = self._forward(self.device, self.options)
        return [compare_outputs(tensors(ours), tensors(reference), self.settings)]

    def train(self) -> list[Comparison]:
        """Forward and backward, from the same random gradient on both sides.

        On a mesh it raises the empty AssertionError that upstream's tester raises there (docs/rules.md 4.2).
        """
        import jax

        if isinstance(self.model, MeshDevices):
            print(_NO_TRAINING, flush=True)
            raise AssertionError
        reference, pull_back_reference = self._differentiated(self.model, self.host, {})
        self.stage(COMPILATION)
        self._keep(self.device)
        ours, pull_back = self._differentiated(self.model, self.device, self.options)
        with jax.default_device(jax.devices("cpu")[0]):
            gradient = jax.random.uniform(jax.random.PRNGKey(0), reference.shape, reference.dtype)
        expected, found = (
            self._pulled(pull_back_reference, gradient, reference),
            self._pulled(pull_back, gradient, ours),
        )
        # Unlike with torch, these include the gradients of the inputs, as upstream has it.
        backward = compare_outputs(tensors(found), tensors(expected), self.settings)
        forward = compare_outputs(tensors(ours), tensors(reference), self.settings)
        return [backward, forward]

    def _forward(self, place: Any, options: dict[str, str]) -> PyTree:
        import jax

        args, kwargs = self.model.arguments(place)
        with self.model.around(place):
            output = self.model.compiled(place, options)(*args, **kwargs)
            if place is self.device:
                self.stage(EXECUTION)
            return jax.block_until_ready(output)

    def _differentiated(
        self, model: SingleDevice, place: Any, options: dict[str, str]
    ) -> tuple[PyTree, Callable[[PyTree], PyTree]]:
        import jax

        args, kwargs = model.arguments(place)
        with model.around(place):
            output, pull_back = jax.vjp(model.wrapper(model.compiled(place, options)), args, kwargs)
            if place is self.device:
                self.stage(EXECUTION)
            return jax.block_until_ready(output), pull_back

    def _pulled(self, pull_back: Callable[[PyTree], PyTree], gradient: Any, output: Any) -> PyTree:
        import jax

        return jax.block_until_ready(pull_back(jax.device_put(gradient, output.sharding)))

    def _keep(self, place: Any) -> None:
        """Save the programs if the settings ask for it; forward and backward pass are one program in training."""
        if self.settings.serialize_to is None:
            return
        import jax

        args, kwargs = self.model.arguments(place)
        with self.model.around(place):
            function = self.model.compiled(place, {})
            keep(self.settings.serialize_to, "forward", function, args, kwargs)
            if self.training and isinstance(self.model, SingleDevice):
                wrapped = self.model.wrapper(function)

                def gradients(args: Any, kwargs: Any) -> PyTree:
                    output, pull_back = jax.vjp(wrapped, args, kwargs)
                    return pull_back(jax.numpy.ones_like(output))

                keep(self.settings.serialize_to, "backward", gradients, [args, kwargs], {})


def _is_easydel(loader: Any) -> bool:
    source = getattr(loader.get_model_info(loader._variant), "source", None)
    return getattr(source, "name", "") == _EASYDEL
