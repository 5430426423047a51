# SPDX-License-Identifier: Apache-2.0
"""What may be asked of known values: equality, membership, truth and text, as Python answers."""

from core.sources.evaluator_values import Dictionary, Lazy, Member, Unknown, Value

MAX_TEXT = 10_000
"""Characters a text may grow to; no name is that long, and doubling would fill the memory."""


def find(mapping: Dictionary, key: Value) -> Lazy | None:
    """What `mapping` holds under `key`; of equal keys the last counts. None: nothing."""
    return next((value for own, value in reversed(mapping.items) if equal(own, key)), None)


def equal(left: Value, right: Value) -> bool:
    """`left == right`. Raises Unknown where that hangs on more than the values seen here."""
    if not _is_plain(left) or not _is_plain(right):
        raise Unknown("compares what is neither a constant nor an enum member")
    for member, text in ((left, right), (right, left)):
        if isinstance(member, Member) and isinstance(text, str):
            if member.is_text is None:
                raise Unknown("compares an enum member with a text")
            return member.is_text and member.text == text
    return left == right


def same(left: Value, right: Value) -> bool:
    """`left is right`, for values of which there is only one."""
    if not any(value is None or isinstance(value, bool | Member) for value in (left, right)):
        raise Unknown("asks whether two values are one object")
    return type(left) is type(right) and left == right


def contains(container: Value, item: Value) -> bool:
    """`item in container`."""
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, Dictionary):
        return find(container, item) is not None
    if isinstance(container, tuple):
        return any(equal(item, one) for one in container)
    raise Unknown("asks for membership in what is neither a text nor a collection")


def truth(value: Value) -> bool:
    """`bool(value)`. An enum member is always true, as upstream's enums inherit from Enum alone."""
    if isinstance(value, Dictionary):
        return bool(value.items)
    if _is_plain(value) or isinstance(value, tuple):
        return bool(value)
    raise Unknown("asks whether something is true that is neither a constant nor a collection")


def text(value: Value) -> str:
    """`str(value)`; the text of an enum member is its value (spec 1.2)."""
    if isinstance(value, Member):
        return value.text
    if _is_plain(value):
        return limited(str(value))
    raise Unknown("makes a text of what is neither a constant nor an enum member")


def limited(made: str) -> str:
    """`made`, unless it grew beyond all measure."""
    if len(made) > MAX_TEXT:
        raise Unknown(f"makes a text of more than {MAX_TEXT} characters")
    return made


def _is_plain(value: Value) -> bool:
    return value is None or isinstance(value, bool | int | float | str | Member)
