# SPDX-License-Identifier: Apache-2.0
"""A model on one device: its arguments placed there, its call compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .forward import Forward, checked, forward_of, set_mode

PyTree = Any


class SingleDevice:
    """A loader's model, loaded once with its arguments, to run on any device."""

    def __init__(self, loader: Any, *, training: bool) -> None:
        self.model = checked(loader.load_model())
        set_mode(self.model, training=training)
        self.inputs = loader.load_inputs()
        self.forward: Forward = forward_of(loader, self.model, self.inputs, training=training)
        self.wrapper = self.forward.wrapper

    def compiled(self, device: Any, options: Mapping[str, str]) -> Callable[..., PyTree]:
        """The call as one program; `options` are the compiler's."""
        import jax

        return jax.jit(self.forward.function, compiler_options=dict(options) or None)  # type: ignore[no-any-return]

    def arguments(self, device: Any) -> tuple[list[Any], dict[str, Any]]:
        """The arguments on `device`; values that cannot be placed there stay unchanged."""
        args = [_put(value, device) for value in self.forward.args]
        return args, {name: _put(value, device) for name, value in self.forward.kwargs.items()}

    def around(self, device: Any) -> Any:
        """A context for each run: values that the call itself creates are also on `device`."""
        import jax

        return jax.default_device(device)


def _put(value: Any, device: Any) -> Any:
    import jax

    try:
        return jax.device_put(value, device)
    except (TypeError, ValueError):
        return value
