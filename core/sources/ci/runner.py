# SPDX-License-Identifier: Apache-2.0
"""Tests that the checkout's own conftest skips on one arch, regardless of their entries (docs/rules.md 3.1, 4.1)."""

import json
import sys
from collections.abc import Mapping
from pathlib import PurePosixPath

from core.base.errors import TTMatrixError
from core.base.files import is_there, read_text
from core.domain.model import Finding
from core.python import Program, Resolver, Unknown
from core.sources.checkout import Checkout

CONFTEST = PurePosixPath("tests/runner/conftest.py")
LB_BLACKHOLE = "lb-blackhole"
_CONSTANT = "_LB_BLACKHOLE_SKIP_MODELS"


def read_skip_prefixes(checkout: Checkout) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Beginnings of the ids that are skipped on LB_BLACKHOLE, sorted.

    A checkout without the file or the constant has no such rule, so there is no built-in default.
    """
    if not is_there(checkout.root / CONFTEST):
        return (), ()
    program = Program(Resolver(checkout.root), lenient=True)
    try:
        conftest = program.module(str(CONFTEST))
        if _CONSTANT not in conftest.names:
            return (), ()
        found = program.module_attribute(str(CONFTEST), _CONSTANT)
        texts = found if isinstance(found, set | frozenset) else program.expressions.elements(found)
    except (Unknown, RecursionError) as error:
        return (), (Finding("broken-schema", f"Cannot read what is skipped on {LB_BLACKHOLE}: {error}", str(CONFTEST)),)
    return tuple(sorted({one for one in texts if isinstance(one, str)})), ()


DURATIONS = ".test_durations"


def read_durations(checkout: Checkout) -> tuple[Mapping[str, float], tuple[Finding, ...]]:
    """Seconds by pytest node id; empty if there is no file. A broken file is a finding."""
    path = checkout.root / DURATIONS
    if not is_there(path):
        return {}, ()
    try:
        document = json.loads(read_text(path))
    except (TTMatrixError, ValueError, RecursionError) as error:
        return {}, (Finding("broken-durations", f"Cannot be read: {error}", DURATIONS),)
    if isinstance(document, dict):
        pairs = list(document.items())
    elif isinstance(document, list):
        # The format of older releases of pytest-split.
        pairs = [tuple(one) for one in document if isinstance(one, list) and len(one) == 2]
    else:
        return {}, (Finding("broken-durations", "Must be an object of seconds by node id", DURATIONS),)
    return {str(id): float(seconds) for id, seconds in pairs if _is_duration(seconds)}, ()


def _is_duration(value: object) -> bool:
    """Whether a JSON value is a usable number: Python also reads NaN, and integers that no float can hold."""
    return type(value) in (int, float) and 0 <= value <= sys.float_info.max  # type: ignore[operator]
