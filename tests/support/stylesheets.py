# SPDX-License-Identifier: Apache-2.0
"""Parse the style sheets of widgets and screens once, not for every app that a test opens; and find themes' colours once.

Half of the time to open the app on a small checkout is spent there. A rule is never changed after parsing:
Textual itself caches those of an app, with the same key as here. The meaning of a text also depends on the variables
of the theme. The variables depend on nothing but the colours that a theme names.
"""

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.design import ColorSystem

_parse = Stylesheet._parse_rules
_parsed: dict[object, list[RuleSet]] = {}
_generate = ColorSystem.generate
_generated: dict[str, dict[str, str]] = {}


def _parse_once(
    self: Stylesheet,
    css: str,
    read_from: tuple[str, str],
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    # They are replaced with the theme, never changed.
    known, variables = getattr(self, "_with_variables", (None, frozenset()))
    if known is not self._variables:
        variables = frozenset(self._variables.items())
        self._with_variables = self._variables, variables  # type: ignore[attr-defined]
    key: object = (css, read_from, is_default_rules, tie_breaker, scope, variables)
    if key not in _parsed:
        _parsed[key] = _parse(self, css, read_from, is_default_rules, tie_breaker, scope)
    return _parsed[key]


def _generate_once(self: ColorSystem) -> dict[str, str]:
    key = repr(vars(self))
    if key not in _generated:
        _generated[key] = _generate(self)
    return {**_generated[key]}


def use() -> None:
    """Share parsed style sheets and the variables of themes between all apps of this process."""
    ColorSystem.generate = _generate_once  # type: ignore[method-assign]
    Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
