# SPDX-License-Identifier: Apache-2.0
"""The extras of ttmatrix: the packages each brings, and what to say where they are not installed."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from core.errors import TTMatrixError

EXTRAS: Mapping[str, Sequence[str]] = {
    "dask": ("distributed", "cryptography"),
    "parquet": ("pyarrow",),
    "web": ("aiohttp", "textual_serve"),
}
"""The modules that a person gets with an extra, by its name in pyproject.toml."""


def require_extra(extra: str, title: str, otherwise: str = "") -> None:
    """Raise TTMatrixError with `title` where a module of `extra` is missing; `otherwise`: what can be done without."""
    missing = [module.replace("_", "-") for module in EXTRAS[extra] if find_spec(module) is None]
    if missing:
        remedy = f"Install it beside ttmatrix: pip install 'ttmatrix[{extra}]'"
        raise TTMatrixError(
            title,
            f"Not installed: {', '.join(missing)}.",
            f"{remedy}, or {otherwise}" if otherwise else remedy,
        )
