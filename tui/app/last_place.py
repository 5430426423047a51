# SPDX-License-Identifier: Apache-2.0
"""The place where the app was left on a checkout: screen, view of the matrix, row under the cursor."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from core.base import files
from core.base.errors import TTMatrixError, UsageError
from core.matrix.view import ViewSpec
from tui.screens.matrix import Spot

FIRST_VIEW = ViewSpec(sort="entry")
"""The view at the first visit: the tests with an entry, then all others."""
_VERSION = 1


class LastPlace(NamedTuple):
    """The place where a person was."""

    screen: str = ""
    """The name of the screen in front; empty: the matrix."""
    view: ViewSpec = FIRST_VIEW
    spot: Spot = Spot()
    """In the matrix."""


def place_file(directory: Path, root: Path) -> Path:
    """The file of the last place on the checkout at `root`."""
    return directory / f"{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]}.json"


def read_place(file: Path) -> LastPlace | None:
    """The place stored in `file`; None if there is no file. Raises TTMatrixError if it cannot be read."""
    if not files.is_there(file):
        return None
    try:
        document = json.loads(files.read_text(file))
        if not isinstance(document, dict) or document.get("version") != _VERSION:
            raise ValueError(f"it is not of version {_VERSION}")
        view = document.get("view", {})
        if not isinstance(view, dict):
            raise ValueError("its view is not an object")
        return LastPlace(_text(document, "screen"), ViewSpec.from_json(view), _spot(document.get("spot", {})))
    except (ValueError, RecursionError, UsageError) as error:
        raise TTMatrixError(f"Cannot read the last view from {file}", str(error)) from error


def write_place(file: Path, place: LastPlace) -> None:
    """Replace the content of `file` atomically: another app sees the old or the new place. Raises TTMatrixError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise TTMatrixError(f"Cannot write {file}", error.strerror or str(error)) from error
    spot = {name: value for name, value in place.spot._asdict().items() if value}
    document = {"version": _VERSION, "screen": place.screen, "view": place.view.to_json(), "spot": spot}
    files.atomic_write(file, json.dumps(document) + "\n")


def _spot(parts: object) -> Spot:
    if not isinstance(parts, dict):
        raise ValueError("its spot is not an object")
    opened = parts.get("opened", [])
    if not isinstance(opened, list) or not all(isinstance(one, str) for one in opened):
        raise ValueError("its groups must be strings")
    return Spot(_text(parts, "cursor"), _number(parts, "above"), _number(parts, "column"), tuple(opened))


def _text(parts: Mapping[str, object], name: str) -> str:
    found = parts.get(name, "")
    if not isinstance(found, str):
        raise ValueError(f"{name} is not a string")
    return found


def _number(parts: Mapping[str, object], name: str) -> int:
    found = parts.get(name, 0)
    if type(found) is not int or found < 0:
        raise ValueError(f"{name} is not a number of rows")
    return found
