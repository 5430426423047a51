# SPDX-License-Identifier: Apache-2.0
"""The test of a PyTorch model: loaded, run on the CPU and through a backend, in inference or training."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import torch

from ..backend import COMPILATION, EXECUTION, Backend, Stage
from ..models.compile_options import ALL_HONOURED
from ..models.widen import host_numerics
from ..models.workload import call_arguments, load_inputs, load_model
from ..settings import Comparison, Settings
from ..skeleton import ModelTest
from .artefacts import Artefacts
from .block_formats import round_weights
from .compare import compare_gradients, compare_outputs, tensors
from .parallel import Sharding, batched
from .placing import copied, place_model

WARM_UPS = 3
TIMED = 2

_CPU = torch.device("cpu")


class _CompileClock:
    """Forwards the stages of a test, and adds up the time from each compilation to the execution after it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._since: float | None = None
        self.seconds: float | None = None
        """None: nothing has been compiled yet."""

    def stage(self, name: str) -> None:
        """A stage begins."""
        now = time.perf_counter()
        if name == COMPILATION:
            self._since = now
        elif name == EXECUTION and self._since is not None:
            self.seconds = (self.seconds or 0.0) + now - self._since
            self._since = None
        self._stage(name)


class PyTorchTest(ModelTest):
    """A PyTorch model with its inputs, and the steps of its test."""

    def __init__(self, loader: Any, settings: Settings, backend: Backend, stage: Stage) -> None:
        super().__init__(settings, backend.name, backend.device_text())
        self.backend = backend
        self.clock = _CompileClock(stage)
        self.stage = self.clock.stage
        self.loader = loader
        torch._dynamo.reset()
        _seed()
        self.model = load_model(loader, torch.bfloat16)
        if not isinstance(self.model, torch.nn.Module):
            raise AssertionError(f"load_model gave {type(self.model).__name__}, which is no torch.nn.Module")
        self.model.train(settings.training)
        inputs = self._load_inputs()
        self.args, self.kwargs = call_arguments(inputs)
        self.sharding: Sharding | None = None
        if settings.parallelism != "single_device":
            self.sharding = Sharding(loader, settings, backend.device_count())
        self.artefacts = Artefacts(settings, backend)
        self.say_parameters((one.numel(), one.nbytes) for one in self.model.parameters())
        self.say_inputs(tensor.shape for _, tensor in tensors([self.args, self.kwargs]))

    def infer(self) -> list[Comparison]:
        """Forward, without gradients."""
        with torch.no_grad():
            reference = self._reference()
            run = self._on_device()
            outputs = run(self.stage)
            self.execution.compile_seconds = self.clock.seconds
            if self.settings.measure:
                self.execution.samples += self._timed(run)
        ours = copied(outputs, _CPU)
        self.execution.filechecks = self.artefacts.check()
        return [compare_outputs(ours, reference, self.settings, self._mask())]

    def train(self) -> list[Comparison]:
        """Forward and backward, from the same random gradient on both sides."""
        unpack = self.loader.unpack_forward_output
        reference = unpack(self._reference())
        gradient = torch.randn(reference.shape, dtype=reference.dtype)
        with host_numerics():
            reference.backward(gradient=gradient)
        expected = self._gradients()
        self.model.zero_grad()
        output = unpack(self._on_device()(self.stage))
        self.execution.compile_seconds = self.clock.seconds
        with self.backend.numerics():
            output.backward(gradient=gradient.to(self.backend.device()))
        if self.sharding:
            self.sharding.mark_gradients(self.model)
        grads = [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        self.artefacts.save("backward", grads)
        self.backend.settle(grads, self.stage)
        self.execution.compile_seconds = self.clock.seconds
        self.execution.filechecks = self.artefacts.check()
        forward = compare_outputs(output, reference, self.settings, self._mask())
        return [compare_gradients(self._gradients(), expected, self.settings), forward]

    def _load_inputs(self) -> Any:
        asked = self.settings
        inputs = load_inputs(
            self.loader,
            torch.bfloat16,
            phase=asked.phase,
            training=asked.training,
            batch_size=asked.batch_size,
            seq_len=asked.seq_len,
        )
        return batched(inputs, self.backend.device_count()) if asked.parallelism == "data_parallel" else inputs

    def _reference(self) -> Any:
        args, kwargs = copied((self.args, self.kwargs), _CPU)
        _seed()
        with host_numerics():
            return self.model(*args, **kwargs)

    def _on_device(self) -> Callable[[Stage], Any]:
        """A function that runs the model once on the device, reports the stages, and waits for it."""
        device = self.backend.device()
        if self.backend.name != ALL_HONOURED:
            self._round_weights()
        model = place_model(self.model, device)
        compiled = self.backend.compile(model, self.settings, self.stage)

        def run(stage: Stage) -> Any:
            args, kwargs = copied((self.args, self.kwargs), device)
            if self.sharding:
                self.sharding.mark(model, args, kwargs)
            _seed()
            with self.backend.numerics():
                output = compiled(*args, **kwargs)
            results = [tensor for _, tensor in tensors(output)]
            self.artefacts.save("forward", results)
            self.backend.settle(results, stage)
            return output

        return run

    def _round_weights(self) -> None:
        """Round weights to the block formats of the profile: the host can emulate their values only."""
        rounded = round_weights(self.model, self.settings.compile_options.weight_dtypes())
        if rounded:
            self.execution.weights_dtype = ", ".join(sorted(set(rounded.values())))
            print(f"Weights rounded to block formats: {len(rounded)}", flush=True)

    def _timed(self, run: Callable[[Stage], Any]) -> list[float]:
        samples = []
        for _ in range(WARM_UPS + TIMED):
            begin = time.perf_counter()
            run(lambda _: None)
            samples.append(time.perf_counter() - begin)
        return samples[WARM_UPS:]

    def _gradients(self) -> dict[str, torch.Tensor]:
        named = self.model.named_parameters()
        return {name: one.grad.detach().cpu().clone() for name, one in named if one.grad is not None}

    def _mask(self) -> torch.Tensor | None:
        """A mask of the tokens of a prefill that are not padding."""
        mask = self.kwargs.get("attention_mask") if self.settings.phase == "llm_prefill" else None
        return mask.to(torch.bool) if isinstance(mask, torch.Tensor) else None


def _seed() -> None:
    """Make dropout and random inputs the same on every run."""
    random.seed(0)
    torch.manual_seed(0)
