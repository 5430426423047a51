# SPDX-License-Identifier: Apache-2.0
"""What the extra `web` brings, and what to say where it is not installed."""

from importlib.util import find_spec

from core.errors import TTMatrixError

_NEEDED = ("aiohttp", "textual_serve")


def check_extra() -> None:
    """Raise TTMatrixError where a package of the extra is missing."""
    missing = [name.replace("_", "-") for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise TTMatrixError(
            "The app cannot be served",
            f"Not installed: {', '.join(missing)}.",
            "Install it: pip install 'ttmatrix[web]'",
        )
