# SPDX-License-Identifier: Apache-2.0
"""The syntax tree of Python files, within bounds: one that is too large or too deep must not stop the index."""

import ast

MOST_SOURCE = 16 * 2**20
"""Of one file, in bytes. The longest of all loaders has 350 thousand."""


def parse_python(source: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """The syntax tree of `source`; bytes are decoded as Python does it.

    Raises SyntaxError or ValueError (null bytes) where Python would, and SyntaxError beyond our bounds.
    """
    if len(source) > MOST_SOURCE:
        raise SyntaxError(f"it has {len(source):,} bytes; at most {MOST_SOURCE:,} are read")
    try:
        return ast.parse(source, filename=filename)
    except (MemoryError, RecursionError):
        # What Python's parser raises where its own stack is too small.
        raise SyntaxError("it nests too deeply") from None
