# SPDX-License-Identifier: Apache-2.0
"""The place where the app was left on a checkout: screen, view of the matrix, row under the cursor."""

import hashlib
import json
import os
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, structs

from core.base import files
from core.base.errors import TTMatrixError, UsageError
from core.matrix.view import ViewSpec
from tui.screens.matrix import Spot

FIRST_VIEW = ViewSpec(sort="entry")
"""The view at the first visit: the tests with an entry, then all others."""
_VERSION: Literal[1] = 1


class LastPlace(NamedTuple):
    """The place where a person was."""

    screen: str = ""
    """The name of the screen in front; empty: the matrix."""
    view: ViewSpec = FIRST_VIEW
    spot: Spot = Spot()
    """In the matrix."""


class _Spot(Struct, omit_defaults=True, frozen=True):
    cursor: str = ""
    above: Annotated[int, Meta(ge=0)] = 0
    column: Annotated[int, Meta(ge=0)] = 0
    opened: tuple[str, ...] = ()


class _Stored(Struct, frozen=True):
    version: Literal[1]
    screen: str = ""
    view: dict[str, object] = {}
    spot: _Spot = _Spot()


def place_file(directory: Path, root: Path) -> Path:
    """The file of the last place on the checkout at `root`."""
    return directory / f"{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]}.json"


def read_place(file: Path) -> LastPlace | None:
    """The place stored in `file`; None if there is no file. Raises TTMatrixError if it cannot be read."""
    if not files.is_there(file):
        return None
    try:
        stored = files.decoded(files.read_text(file), _Stored)
        return LastPlace(stored.screen, ViewSpec.from_json(stored.view), Spot(*structs.astuple(stored.spot)))
    except (files.Malformed, UsageError) as error:
        raise TTMatrixError(f"Cannot read the last view from {file}", str(error)) from error


def write_place(file: Path, place: LastPlace) -> None:
    """Replace the content of `file` atomically: another app sees the old or the new place. Raises TTMatrixError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise TTMatrixError(f"Cannot write {file}", error.strerror or str(error)) from error
    stored = _Stored(_VERSION, place.screen, place.view.to_json(), _Spot(*place.spot))
    files.atomic_write(file, json.dumps(files.plain(stored)) + "\n")
