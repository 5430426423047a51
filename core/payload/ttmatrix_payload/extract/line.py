# SPDX-License-Identifier: Apache-2.0
"""The end of an extraction run: add its cases to their manifest, and print the result line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..ops.load import read_text
from ..ops.writing import NotWritable, added

VERSION = 1
_MOST_LEFT_OUT = 20
"""Most reasons in the result line; the file of the run has all of them."""


class NotAdded(Exception):
    """The cases cannot be added to the existing manifest."""


def add_to(manifest: Path, extracted: Path) -> dict[str, Any]:
    """Append the cases of `extracted` that `manifest` lacks; returns the fields for the result line.

    A manifest that does not exist becomes a copy. Only this file is written, completely or not at all. Raises NotAdded.
    """
    found = extracted.read_text(encoding="utf-8")
    there = manifest.exists()
    text, new = found, len(read_text(found, manifest.name).cases)
    try:
        if there:
            # Keep the line ends.
            with manifest.open(encoding="utf-8", newline="") as before:
                text, new = added(before.read(), manifest.name, read_text(found, manifest.name).cases)
        if new or not there:
            _write(manifest, text)
    except (OSError, UnicodeDecodeError, NotWritable) as error:
        raise NotAdded(f"Nothing was added to {manifest}: {error}. The ops are in {extracted}.") from error
    read = read_text(text, manifest.name)
    return {"file": str(manifest), "model": read.model, "in_file": len(read.cases), "added": new, "merged": there}


def _write(file: Path, text: str) -> None:
    """Replace `file` by one with this text and the same mode."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with beside.open("x", encoding="utf-8", newline="") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        if file.exists():
            shutil.copymode(file, beside)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def result_line(result: Mapping[str, Any], nonce: str) -> dict[str, Any]:
    """The result line of an extraction; `problem`: why there is no manifest."""
    line: dict[str, Any] = {"version": VERSION, "nonce": nonce}
    if "cases" not in result:
        return {**line, "problem": {"kind": "extract", "message": result["problem"]}}
    left_out = dict(list(result["left_out"].items())[:_MOST_LEFT_OUT])
    names = ("cases", "calls", "file", "model", "in_file", "added", "merged")
    line |= {"message": _message(result), **{name: result[name] for name in names if name in result}}
    return {**line, "left_out": left_out or None, "failure": result["failure"] or None}


def _message(result: Mapping[str, Any]) -> str:
    what = f"{result['cases']:,} cases of {result['calls']:,} calls"
    if "added" in result:
        what += f", {result['added']:,} new in {Path(result['file']).name}, which has {result['in_file']:,}"
    return f"{what}; the model did not end: {result['failure']}" if result["failure"] else what
