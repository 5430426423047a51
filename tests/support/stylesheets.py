# SPDX-License-Identifier: Apache-2.0
"""Parse the style sheets of widgets and screens once, not for every app that a test opens.

Half of the time to open the app on a small checkout is spent there. A rule is never changed after parsing:
Textual itself caches those of an app, with the same key as here. The meaning of a text also depends on the variables
of the theme.
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
    """Share parsed style sheets between all apps of this process."""
    Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
