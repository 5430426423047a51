# SPDX-License-Identifier: Apache-2.0
"""Export of a JAX model: jaxpr and StableHLO on the CPU, or the code that `tt_jax` generates."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..jax.devices import Pjrt
from ..jax.programs import keep
from ..jax.single import SingleDevice
from ..models.compile_options import CompileOptions


class Model:
    """A loader's model with its arguments, on one device."""

    def __init__(self, loader: Any, args: Any) -> None:
        self.single = SingleDevice(loader, training=args.mode == "training")

    def on(self, device: Any) -> tuple[list[Any], dict[str, Any]]:
        """The arguments on `device`."""
        return self.single.arguments(device)


def parts(directory: Path, *, tensors: bool) -> Mapping[str, Callable[[Model], None]]:
    """Functions that export programs, by the name of what they export; only the plugin exports tensors."""

    def programs(model: Model) -> None:
        device = Pjrt().hosts()[0]
        args, kwargs = model.on(device)
        with model.single.around(device):
            keep(directory, "forward", model.single.compiled(device, {}), args, kwargs)

    return {"jaxpr and StableHLO": programs}


def generate(model: Model, target: str, directory: Path, *, tensors: bool, options: CompileOptions) -> None:
    """Have `tt_jax` generate code into `directory`. Raises what the compiler raises."""
    write = getattr(importlib.import_module("tt_jax"), target)
    device = Pjrt().devices()[0]
    args, kwargs = model.on(device)
    more = {name: value for name, value in options.values.items() if not name.startswith("export_")}
    with model.single.around(device):
        write(
            model.single.forward.function,
            *args,
            export_path=str(directory),
            export_tensors=tensors,
            compiler_options=more,
            **kwargs,
        )
