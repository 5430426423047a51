# SPDX-License-Identifier: Apache-2.0
"""TOML, which people write: few starts read any, and none writes it."""

import tomllib
from typing import Any

from core.base.files.codec import Malformed


def toml_tables(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises Malformed for invalid TOML, or for nesting deeper than ours ever is."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Malformed(str(error)) from error
    except RecursionError as error:
        raise Malformed("Its brackets nest too deeply") from error
