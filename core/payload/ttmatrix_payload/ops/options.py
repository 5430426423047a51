# SPDX-License-Identifier: Apache-2.0
"""The command line of the plugin, checked."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from .children import Settings
from .conditions import BACKEND_VARIABLE
from .memory import physical_bytes

BACKEND = "inductor"
_TIMEOUT = 300.0
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class Options(NamedTuple):
    """The requested options."""

    models: tuple[str, ...]
    """Models to run; none: all."""
    names: tuple[str, ...]
    """Parts of names of cases to run; none: all."""
    directories: tuple[Path, ...]
    root: Path | None
    """Files that cases name must be below it; None: below the directory of their manifest."""
    dedupe: bool
    include_template: bool
    results: Path | None
    show_skipped: bool
    run_skipped: bool
    """Also run what `skip_if` or a mark skips, to see whether the skip is still needed."""
    ids: tuple[str, ...]
    """Ids of cases from a file; none: all."""
    settings: Settings


def add_options(parser: pytest.Parser) -> None:
    """Declare the options. Values are texts and numbers, which pytest-xdist can pass to its workers."""
    add = parser.getgroup("ttmatrix_ops", "ops of models, from YAML").addoption
    many = {"action": "append", "default": []}
    add("--model", metavar="NAME", **many, help="only the cases of this model; repeatable")
    add("--test-name", metavar="TEXT", **many, help="only cases with this in their name; repeatable")
    add("--ops-dir", metavar="DIR", **many, help="collect the manifests in this directory; repeatable")
    add("--ops-root", metavar="DIR", help="files that cases name are below it; default: the manifest's directory")
    add("--include-template", action="store_true", help="collect *template.yaml as well")
    add("--dedupe", action="store_true", default=True, help="run equal cases of several models once; the default")
    add("--no-dedupe", action="store_false", dest="dedupe", help="run each case")
    add(
        "--compile-backend",
        metavar="NAME",
        help=f"eager (or none), aot_eager, inductor, xla, tt or any other of dynamo's; default: {BACKEND_VARIABLE} of "
        f"the environment, else {BACKEND}",
    )
    add("--test-device", metavar="DEVICE", default="", help="where the side under test runs; default: cpu")
    add("--no-device-replace", action="store_true", help="a recorded device means itself, not the one under test")
    add("--max-bytes", metavar="SIZE", help="skip cases that need more memory, such as 2G; default: half of the memory")
    add("--case-timeout", metavar="SECONDS", type=float, default=_TIMEOUT, help="for one case; default: %(default)g")
    add("--cases-from", metavar="FILE", help="run the cases that the JSON in FILE has as `cases`, ids one a line")
    add("--run-skipped", action="store_true", help="run cases that skip_if or a mark skips, too")
    add("--ops-json", metavar="FILE", help="write a line of JSON for each result")
    add("--ops-import", metavar="MODULE", **many, help="import it first, where cases run: it may bring a backend")
    add("--list-models", action="store_true", help="print the models and exit")
    add("--list-cases", action="store_true", help="print the selected cases and exit")
    add(
        "--list-cases-by-mark",
        metavar="EXPR",
        nargs="?",
        const="",
        help="print the selected cases of each mark, or those that EXPR selects, and exit",
    )
    add("--show-excluded", action="store_true", help="with --list-cases-by-mark: the others as well")
    add("--show-skipped", action="store_true", help="print skipped cases with their reasons at the end")


def read_options(config: pytest.Config, workers: int = 1) -> Options:
    """The options of `config`, for one of `workers` processes. Raises UsageError."""
    get = config.getoption
    here = config.invocation_params.dir
    max_bytes = _size(get("--max-bytes"))
    if get("--case-timeout") <= 0:
        raise pytest.UsageError("--case-timeout must be more than 0 seconds")
    settings = Settings(
        backend=get("--compile-backend") or os.environ.get(BACKEND_VARIABLE) or BACKEND,
        device=get("--test-device"),
        max_bytes=physical_bytes() // 2 // workers if max_bytes is None else max_bytes,
        skip_large=max_bytes is not None,
        timeout=get("--case-timeout"),
        replace_devices=not get("--no-device-replace"),
        modules=tuple(get("--ops-import")),
    )
    root, results = get("--ops-root"), get("--ops-json")
    if results and not (here / results).parent.is_dir():
        raise pytest.UsageError(f"--ops-json: there is no directory {(here / results).parent}")
    return Options(
        models=tuple(get("--model")),
        names=tuple(get("--test-name")),
        directories=tuple(_directory(here / one, "--ops-dir") for one in get("--ops-dir")),
        root=_directory(here / root, "--ops-root") if root else None,
        dedupe=get("dedupe"),
        include_template=get("--include-template"),
        results=here / results if results else None,
        show_skipped=get("--show-skipped"),
        run_skipped=get("--run-skipped"),
        ids=_ids(here / get("--cases-from")) if get("--cases-from") else (),
        settings=settings,
    )


def _ids(file: Path) -> tuple[str, ...]:
    """The ids in a file of `--cases-from`. Raises UsageError."""
    try:
        return tuple(json.loads(file.read_text(encoding="utf-8"))["cases"].splitlines())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise pytest.UsageError(f"--cases-from: {file} does not say which cases: {error}") from error


def _size(text: str | None) -> int | None:
    """Bytes, from `512M` or `1.5 GiB`. Raises UsageError."""
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not found:
        raise pytest.UsageError(f"--max-bytes: {text!r} is not a size such as 512M or 2G")
    return int(float(found[1]) * _UNITS[found[2]])


def _directory(path: Path, option: str) -> Path:
    if not path.is_dir():
        raise pytest.UsageError(f"{option}: there is no directory {path}")
    return path.resolve()
