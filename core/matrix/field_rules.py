# SPDX-License-Identifier: Apache-2.0
"""The valid values of each field of an entry, and the probable correction of an invalid one.

See docs/rules.md 2.2 to 2.4.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.domain.model import BringupStatus, Status

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _no_repair(value: object) -> object:
    return None


@dataclass(frozen=True, slots=True)
class Rule:
    """The values of one field that upstream can interpret."""

    wanted: str
    """The end of the sentence "must be ..."."""
    fits: Callable[[object], bool]
    repair: Callable[[object], object] = _no_repair
    """The value that an invalid one was certainly meant to be; None: unknown."""
    null: bool = True
    """Whether upstream treats a null like an unwritten field."""

    def allows(self, value: object) -> bool:
        return self.null if value is None else self.fits(value)

    def repaired(self, value: object) -> object:
        """A valid value in place of an invalid one; None: a person must decide."""
        better = self.repair(value)
        return better if better is not None and self.fits(better) else None


def is_flag(field: str) -> bool:
    """Whether `field` is either true or false."""
    return RULES.get(field) in (_FLAG, _STRICT_FLAG)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_pcc(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_level(value: object) -> bool:
    return not isinstance(value, bool) and value in (0, 1, 2)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_texts(value: object) -> bool:
    return _is_text(value) or _is_text_list(value)


def _as_flag(value: object) -> object:
    return _WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _as_number(value: object) -> object:
    try:
        number = float(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return int(number) if number is not None and number.is_integer() else number


def _as_text(value: object) -> object:
    return str(value) if _is_number(value) else None


def _as_texts(value: object) -> object:
    items = value if isinstance(value, list) else [value]
    return [item if isinstance(item, str) else _as_text(item) for item in items]


def _enum(kind: type[StrEnum], *, null: bool) -> Rule:
    """Upstream accepts a name in any case, with spaces around it."""

    def fits(value: object) -> bool:
        return isinstance(value, str) and value.strip().upper() in kind.__members__

    def nearest(value: object) -> object:
        text = value.strip().upper() if isinstance(value, str) else ""
        return next(iter(difflib.get_close_matches(text, kind.__members__, 1, 0.8)), None)

    return Rule(f"one of {', '.join(kind)}", fits, nearest, null)


_FLAG = Rule("true or false", lambda value: isinstance(value, bool), _as_flag)
_STRICT_FLAG = Rule("true or false", lambda value: isinstance(value, bool), _as_flag, null=False)
"""True unless written otherwise: a null counts as false."""
_NUMBER = Rule("a number", _is_number, _as_number)
_TEXT = Rule("text", _is_text, _as_text)
_TEXTS = Rule("text or a list of text", _is_texts, _as_texts)
_FILES = Rule("a list of file names", _is_text_list, _as_texts)

RULES: Mapping[str, Rule] = {
    "status": _enum(Status, null=False),
    "bringup_status": _enum(BringupStatus, null=True),
    "reason": _TEXT,
    "execution_pass": _TEXT,
    "markers": _TEXTS,
    "supported_archs": _TEXTS,
    "filechecks": _FILES,
    "required_pcc": Rule("a number from 0 to 1", _is_pcc, _as_number),
    "required_atol": _NUMBER,
    "allclose_rtol": _NUMBER,
    "allclose_atol": _NUMBER,
    "assert_pcc": _FLAG,
    "assert_atol": _FLAG,
    "assert_allclose": _FLAG,
    "enable_weight_bfp8_conversion": _FLAG,
    "inject_custom_moe": _FLAG,
    "emitpy_assert_exact": _STRICT_FLAG,
    "batch_size": Rule("a whole number above 0", _is_count, _as_number),
    "optimization_level": Rule("0, 1 or 2", _is_level, _as_number),
}
"""By field. A field without a rule accepts any value."""
LISTS = tuple(name for name, rule in RULES.items() if rule in (_TEXTS, _FILES))
"""Fields that hold several values."""
