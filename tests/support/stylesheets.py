# SPDX-License-Identifier: Apache-2.0
"""The style sheets of widgets and screens are parsed once, not once for every app that a test opens.

Half of what it takes to open the app on a small checkout is spent there. A rule is never changed after it is parsed:
Textual itself keeps those of an app, by the same key as here. What a text means also depends on the variables of the
theme.
"""

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_parse = Stylesheet._parse_rules
_parsed: dict[object, list[RuleSet]] = {}


def _parse_once(
    self: Stylesheet,
    css: str,
    read_from: tuple[str, str],
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    variables = frozenset(self._variables.items())
    key = (css, read_from, is_default_rules, tie_breaker, scope, variables)
    if key not in _parsed:
        _parsed[key] = _parse(self, css, read_from, is_default_rules, tie_breaker, scope)
    return _parsed[key]


def use() -> None:
    """Let all apps of this process share what is parsed."""
    Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
