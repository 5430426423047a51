# SPDX-License-Identifier: Apache-2.0
"""How long tests took in CI, as pytest-split keeps it in `.test_durations`."""

import json
import sys
from collections.abc import Mapping

from core.errors import TTMatrixError
from core.files import read_text
from core.model import Finding
from core.sources.checkout import Checkout

DURATIONS = ".test_durations"


def read_durations(checkout: Checkout) -> tuple[Mapping[str, float], tuple[Finding, ...]]:
    """Seconds by pytest node id. Without the file there are none; a broken one is a finding."""
    path = checkout.root / DURATIONS
    if not path.is_file():
        return {}, ()
    try:
        document = json.loads(read_text(path))
    except (TTMatrixError, ValueError, RecursionError) as error:
        return {}, (Finding("broken-durations", f"Cannot be read: {error}", DURATIONS),)
    if isinstance(document, dict):
        pairs = list(document.items())
    elif isinstance(document, list):
        # What older releases of pytest-split wrote.
        pairs = [tuple(one) for one in document if isinstance(one, list) and len(one) == 2]
    else:
        return {}, (Finding("broken-durations", "Must be an object of seconds by node id", DURATIONS),)
    return {str(id): float(seconds) for id, seconds in pairs if _is_duration(seconds)}, ()


def _is_duration(value: object) -> bool:
    """JSON as Python reads it may hold what is no number at all, or one that no float can hold."""
    return type(value) in (int, float) and 0 <= value <= sys.float_info.max  # type: ignore[operator]
