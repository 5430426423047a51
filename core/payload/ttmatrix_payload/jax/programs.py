# SPDX-License-Identifier: Apache-2.0
"""JAX's intermediate forms of a model as files: the jaxpr and the StableHLO."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


def keep(
    directory: Path | None, name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Write `NAME.jaxpr` and `NAME.stablehlo.mlir` of one call into `directory`, which is created; None: write nothing.

    Raises what tracing raises.
    """
    if directory is None:
        return
    import jax

    traced = (function if hasattr(function, "trace") else jax.jit(function)).trace(*args, **kwargs)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.jaxpr").write_text(f"{traced.jaxpr}\n", encoding="utf-8")
    (directory / f"{name}.stablehlo.mlir").write_text(traced.lower().as_text(), encoding="utf-8")
