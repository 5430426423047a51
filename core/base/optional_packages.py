# SPDX-License-Identifier: Apache-2.0
"""The extras of ttmatrix: the packages of each, and the error for an extra that is not installed."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from core.base.errors import TTMatrixError

EXTRAS: Mapping[str, Sequence[str]] = {
    "dask": ("distributed", "cryptography"),
    "parquet": ("pyarrow",),
    "web": ("aiohttp", "textual_serve"),
}
"""The modules that each extra installs, by the name of the extra in pyproject.toml."""


def require_extra(extra: str, title: str, otherwise: str = "") -> None:
    """Raise TTMatrixError with `title` if a module of `extra` is missing; `otherwise`: what works without the extra."""
    missing = [module.replace("_", "-") for module in EXTRAS[extra] if find_spec(module) is None]
    if missing:
        remedy = f"Install it beside ttmatrix: pip install 'ttmatrix[{extra}]'"
        raise TTMatrixError(
            title,
            f"Not installed: {', '.join(missing)}.",
            f"{remedy}, or {otherwise}" if otherwise else remedy,
        )
