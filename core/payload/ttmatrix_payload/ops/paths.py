# SPDX-License-Identifier: Apache-2.0
"""Paths that manifests name: relative, plain, and below an allowed root."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

SUFFIXES = (".pt", ".pth", ".npy", ".safetensors")
"""Suffixes of files with tensors."""


class Outside(ValueError):
    """The path leads outside the allowed directory."""


def path_refusal(path: str) -> str:
    """Why a path in a manifest is refused before any lookup; empty if it is not."""
    if not path.strip() or any(ord(letter) < 32 or ord(letter) == 127 for letter in path):
        return "the path is empty or has control characters"
    if "://" in path or path.startswith(("~", "file:")) or "\\" in path or ":" in path.split("/")[0]:
        return f"{path[:80]!r} is not a path relative to the manifest"
    pure = PurePosixPath(path)
    if pure.is_absolute():
        return f"{path[:80]!r} is absolute; write it relative to the manifest"
    if ".." in pure.parts:
        return f"{path[:80]!r} leads out of the directory of the manifest"
    if pure.suffix not in SUFFIXES:
        return f"{path[:80]!r} must end in {', '.join(SUFFIXES)}"
    return ""


def resolve(path: str, manifest: Path, root: Path) -> Path:
    """The file that a manifest names, with all symbolic links resolved. Raises Outside if it is not below `root`.

    Raises OSError if it does not exist.
    """
    if reason := path_refusal(path):
        raise Outside(reason)
    found = (manifest.parent / path).resolve(strict=True)
    if not found.is_relative_to(root.resolve(strict=True)):
        raise Outside(f"{path[:80]!r} leads out of {root}")
    if not found.is_file():
        raise Outside(f"{path[:80]!r} is not a regular file")
    return found
