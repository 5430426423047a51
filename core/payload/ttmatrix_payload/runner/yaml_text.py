# SPDX-License-Identifier: Apache-2.0
"""Read YAML text as upstream's runner does: version 1.2, and a duplicate key is an error."""

from __future__ import annotations

import importlib
import re
from typing import Any, ClassVar


class YamlProblem(Exception):
    """The text is not valid YAML of this kind, or no YAML library is installed; the message has details."""


def parse_yaml(text: str) -> Any:
    """The value of `text`, read with ruamel.yaml (upstream's own) or PyYAML. Raises YamlProblem."""
    try:
        return _with_ruamel(text)
    except ImportError:
        pass
    try:
        return _with_pyyaml(text)
    except ImportError:
        raise YamlProblem("neither ruamel.yaml nor PyYAML is installed: pip install ruamel.yaml") from None


def _with_ruamel(text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe").load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        raise YamlProblem(str(error)) from error


def _with_pyyaml(text: str) -> Any:
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
