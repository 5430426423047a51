# SPDX-License-Identifier: Apache-2.0
"""The keys of op cases as their manifests spell them: without defaults, and each by its first name."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from core.base.files import read_bytes
from core.ops.op_tests import OpCase

_FIRST_NAMES = {"mark": "marks", "expected_errors": "expects_error"}


def written_cases(root: Path, rows: Iterable[OpCase]) -> dict[str, Mapping[str, object]]:
    """By id; cases of a file that can no longer be read are absent. `root` is the checkout."""
    files: dict[str, dict[str, Mapping[str, object]]] = {}
    found: dict[str, Mapping[str, object]] = {}
    for row in rows:
        path = row.manifest.path
        if path not in files:
            files[path] = _cases(root / path)
        if row.case.name in files[path]:
            found[row.id] = files[path][row.case.name]
    return found


def _cases(file: Path) -> dict[str, Mapping[str, object]]:
    try:
        raw = YAML(typ="safe").load(read_bytes(file))
    except (OSError, ValueError, YAMLError, RecursionError):
        return {}
    cases = raw.get("cases") if isinstance(raw, dict) else None
    found: dict[str, Mapping[str, object]] = {}
    for one in cases if isinstance(cases, list) else ():
        if isinstance(one, dict):
            fields = {_FIRST_NAMES.get(str(key), str(key)): value for key, value in one.items()}
            found.setdefault(str(fields.get("name", fields.get("op", raw.get("op")))), fields)
    return found
