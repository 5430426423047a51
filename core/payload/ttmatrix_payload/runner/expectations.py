# SPDX-License-Identifier: Apache-2.0
"""The expectations of tests in YAML, resolved for one arch (docs/rules.md 2.1 to 2.5)."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

DIRECTORIES = ("torch", "jax", "torch_llm")
"""In the order of merging; the last entry of an id counts."""
PLACEHOLDERS = "test_config_placeholders.yaml"
ARCHS = ("galaxy-bh", "galaxy-wh-6u", "lb-blackhole", "n150", "n300", "n300-llmbox", "p150", "qb2-blackhole")
STATUSES = ("EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL", "NOT_SUPPORTED_SKIP", "UNSPECIFIED", "EXCLUDE_MODEL")
BRINGUP_STATUSES = (
    "FAILED_FE_COMPILATION",
    "FAILED_TTMLIR_COMPILATION",
    "FAILED_RUNTIME",
    "INCORRECT_RESULT",
    "PASSED",
    "UNKNOWN",
    "NOT_STARTED",
)
OPTIMIZATION_LEVELS = (0, 1, 2)


class BadExpectation(Exception):
    """An entry or a file is invalid; upstream's collection ends there as well."""


@dataclass(frozen=True, eq=False)
class Expectation:
    """The effective fields of an entry for one arch. Tests without an entry share one object, compared by identity."""

    status: str = "UNSPECIFIED"
    bringup_status: str | None = None
    reason: str | None = None
    markers: tuple[str, ...] = ()
    supported_archs: tuple[str, ...] = ()
    """Empty: upstream's default."""
    required_pcc: float | None = None
    assert_pcc: Any = None
    """Only the boolean false disables the check."""
    assert_atol: bool = False
    required_atol: float | None = None
    assert_allclose: bool = False
    allclose_rtol: float | None = None
    allclose_atol: float | None = None
    batch_size: int | None = None
    execution_pass: str | None = None
    filechecks: tuple[str, ...] = ()
    enable_weight_bfp8_conversion: bool = False
    optimization_level: int | None = None
    inject_custom_moe: bool = False
    emitpy_assert_exact: bool = True
    arch: str | None = field(default=None)
    """The arch it was resolved for."""


_FIELDS = {one.name for one in fields(Expectation)} - {"arch"}
_LISTS = ("markers", "supported_archs", "filechecks")


@dataclass(frozen=True)
class Expectations:
    """All entries of a test_config directory."""

    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By test id, checked for unknown fields."""
    placeholders: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, test_id: str, arch: str | None) -> Expectation:
        """The expectation of `test_id`; the default without an entry. Raises BadExpectation for a bad value."""
        return resolve(test_id, self.entries.get(test_id, {}), arch)


def read_expectations(directory: Path) -> Expectations:
    """Read all files below `directory`. Raises BadExpectation, which names file and entry."""
    entries: dict[str, Mapping[str, Any]] = {}
    for file in (file for name in DIRECTORIES for file in sorted((directory / name).glob("test_config_*.yaml"))):
        if file.name != PLACEHOLDERS:
            entries.update(_entries(file))
    placeholders = directory / DIRECTORIES[0] / PLACEHOLDERS
    found = _mapping(placeholders, "PLACEHOLDER_MODELS") if placeholders.is_file() else {}
    return Expectations(entries, {str(key): dict(value or {}) for key, value in found.items()})


def resolve(test_id: str, entry: Mapping[str, Any], arch: str | None) -> Expectation:
    """`entry` for `arch`: a key of the override counts even if its value is null. Raises BadExpectation."""
    override = _overrides(test_id, entry).get(arch) if arch else None
    values = {name: value for name, value in {**entry, **(override or {})}.items() if name in _FIELDS}
    for name in _LISTS:
        values[name] = _texts(values.get(name))
    for name, known in (("status", STATUSES), ("bringup_status", BRINGUP_STATUSES)):
        if name in values:
            values[name] = _member(test_id, name, values[name], known)
    level = values.get("optimization_level")
    if level is not None and level not in OPTIMIZATION_LEVELS:
        raise BadExpectation(f"{test_id}: optimization_level must be 0, 1 or 2, it is {level!r}")
    if values.get("reason") is not None:
        values["reason"] = str(values["reason"])
    return Expectation(**values, arch=arch)


def _entries(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key, value in _mapping(file, "test_config").items():
        where = f"{file}: {key}"
        if not isinstance(value, Mapping):
            raise BadExpectation(f"{where} must hold fields, it holds {value!r}")
        for mapping in (value, *_overrides(where, value).values()):
            unknown = sorted(str(name) for name in mapping if name not in _FIELDS | {"arch_overrides"})
            if unknown:
                raise BadExpectation(f"{where}: unknown field {unknown[0]!r}; known are {', '.join(sorted(_FIELDS))}")
        yield str(key), value


def _overrides(where: str, entry: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    overrides = entry.get("arch_overrides", {})
    if not isinstance(overrides, Mapping) or not all(isinstance(one, Mapping) for one in overrides.values()):
        raise BadExpectation(f"{where}: arch_overrides must map archs to fields")
    return overrides


def _mapping(file: Path, root: str) -> Mapping[Any, Any]:
    if not file.is_file():
        # Reading a device or a pipe would not end.
        raise BadExpectation(f"{file}: it is not a regular file")
    try:
        document = parse_yaml(file.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, YamlProblem) as error:
        raise BadExpectation(f"{file}: {error}") from error
    found = (document.get(root) or {}) if isinstance(document, Mapping) else None
    if not isinstance(found, Mapping):
        raise BadExpectation(f"{file}: {root} must be a mapping")
    return found


def _member(test_id: str, name: str, value: Any, known: tuple[str, ...]) -> str | None:
    """The name of an enum member. Upstream accepts any case; a given status must not be empty."""
    if value is None and name != "status":
        return None
    text = str(value).strip().upper()
    if text not in known:
        raise BadExpectation(f"{test_id}: {name} {value!r} is none of {', '.join(known)}")
    return text


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(one) for one in value if one) if isinstance(value, (list, tuple)) else ()


class YamlProblem(Exception):
    """The text is not valid YAML of this kind, or no YAML library is installed; the message has details."""


def parse_yaml(text: str) -> Any:
    """The value of `text`, read with ruamel.yaml (upstream's own) or PyYAML. Raises YamlProblem."""
    try:
        return with_ruamel(text)
    except ImportError:
        pass
    try:
        return with_pyyaml(text)
    except ImportError:
        raise YamlProblem("neither ruamel.yaml nor PyYAML is installed: pip install ruamel.yaml") from None


def with_ruamel(text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe").load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        raise YamlProblem(str(error)) from error


def with_pyyaml(text: str) -> Any:
    yaml: Any = importlib.import_module("yaml")
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """PyYAML's loader for YAML 1.1, adapted to 1.2 for the values that entries contain."""

        yaml_implicit_resolvers: ClassVar = {
            first: [(tag, pattern) for tag, pattern in rules if tag.endswith((":null", ":merge"))]
            for first, rules in base.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            double = next((key for index, key in enumerate(keys) if key in keys[:index]), None)
            if double is not None:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {double!r}", node.start_mark)
            return super().construct_mapping(node, deep)

    core_schema = {
        "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
        "int": (r"[-+]?[0-9]+", "-+0123456789"),
        "float": (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", None),
    }
    for name, (pattern, first) in core_schema.items():
        letters = list(first or "-+0123456789.")
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(f"(?:{pattern})$"), letters)
    Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node)))
    Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: _float(loader.construct_scalar(node)))
    try:
        return yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise YamlProblem(str(error)) from error


def _float(text: str) -> float:
    return float(re.sub(r"\.(?=inf|nan)", "", text.lower()))
