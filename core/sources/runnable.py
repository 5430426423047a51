# SPDX-License-Identifier: Apache-2.0
"""Tests that the checkout's own conftest skips on one arch, whatever their entries say (spec 3.1, 4.1)."""

import ast
from pathlib import PurePosixPath

from core.model import Finding
from core.sources.checkout import Checkout
from core.sources.syntax import parse_python

CONFTEST = PurePosixPath("tests/runner/conftest.py")
LB_BLACKHOLE = "lb-blackhole"
_CONSTANT = "_LB_BLACKHOLE_SKIP_MODELS"


def read_skip_prefixes(checkout: Checkout) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Beginnings of the ids that are skipped on LB_BLACKHOLE, sorted.

    A checkout without the file or without the constant has no such rule, so there is nothing to fall back on.
    """
    path = checkout.root / CONFTEST
    try:
        tree = parse_python(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return (), ()
    except (OSError, SyntaxError, ValueError) as error:
        return (), (Finding("broken-schema", f"Cannot read what is skipped on {LB_BLACKHOLE}: {error}", str(CONFTEST)),)
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Set(elts=items) | ast.List(elts=items)) if (
                name == _CONSTANT
            ):
                return tuple(sorted(_texts(items))), ()
            case _:
                pass
    return (), ()


def _texts(items: list[ast.expr]) -> set[str]:
    return {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}
