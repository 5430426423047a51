# SPDX-License-Identifier: Apache-2.0
"""The hosts file: read strictly, reporting the line of a mistake; changed by whole tables, keeping all other text."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.base.errors import TTMatrixError, UsageError
from core.base.files import Malformed, atomic_write, is_there, read_text, toml_tables
from core.base.locks import locked
from core.base.text import toml_text
from core.hosts.model import Host

_TABLE = "hosts"
_LOCAL = "local"
"""`local = true` instead of `ssh`: this machine."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_USER = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_MACHINE = r"(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])"
_TARGET = re.compile(rf"(?:{_USER}@)?{_MACHINE}(?::(\d{{1,5}}))?")
"""Excludes everything that ssh could take for an option."""
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HEADER = re.compile(r"""\s*\[\s*hosts\s*\.\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*\]\s*(?:\#.*)?""")
_ANY_HEADER = re.compile(r"\s*\[")
_MOST_SLOTS = 256
_LOCK_PATIENCE = 10.0


class _Wrong(ValueError):
    """A problem with the value of `key`."""

    def __init__(self, key: str, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.key = key
        self.problem = problem
        self.hint = hint


def read_hosts(file: Path) -> tuple[Host, ...]:
    """The hosts of a file, in its order; none if there is no file.

    Raises TTMatrixError with the line for invalid TOML, unknown names and values that make no sense.
    """
    return parse_hosts(read_text(file), file) if is_there(file) else ()


def chosen_hosts(hosts: Sequence[Host], names: Sequence[str]) -> list[Host]:
    """The hosts with these names; all hosts without names. Raises UsageError for an unknown one."""
    by_name = {one.name: one for one in hosts}
    for name in names:
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, 3) or sorted(by_name)
            known = f"Known: {', '.join(near)}." if near else "Add one: ttmatrix hosts add NAME --ssh user@host:port"
            raise UsageError(f"There is no host {name}", hint=known)
    return [by_name[name] for name in dict.fromkeys(names)] if names else list(hosts)


def parse_hosts(text: str, file: Path) -> tuple[Host, ...]:
    """The hosts in the text of `file`; raises TTMatrixError as `read_hosts` does."""
    try:
        raw = toml_tables(text)
    except Malformed as error:
        raise TTMatrixError(
            f"Cannot read {file}", str(error), "Correct it: every host is a table [hosts.NAME]."
        ) from error
    for name in raw:
        if name != _TABLE:
            raise _error(file, _line(text, name), f"{name!r} is unknown", "Every host is a table [hosts.NAME].")
    tables = raw.get(_TABLE, {})
    if not isinstance(tables, dict) or not all(isinstance(one, dict) for one in tables.values()):
        raise _error(file, _line(text, _TABLE), "'hosts' must hold tables", "Write [hosts.NAME].")
    found = []
    for name, table in tables.items():
        try:
            found.append(_host(name, table))
        except _Wrong as wrong:
            line = _line_in(text, name, wrong.key)
            raise _error(file, line, f"host {name!r}: {wrong.problem}", wrong.hint) from wrong
    here = [one.name for one in found if one.here]
    if len(here) > 1:
        problem = f"{' and '.join(here[:2])} are both this machine"
        raise _error(file, _line_in(text, here[1], _LOCAL), problem, "Only one host may have local = true.")
    return tuple(found)


def _error(file: Path, line: int, problem: str, hint: str) -> TTMatrixError:
    return TTMatrixError(f"Cannot read {file}", f"line {line}: {problem}" if line else problem, hint)


# One table


def _host(name: str, table: Mapping[str, Any]) -> Host:
    if not _NAME.fullmatch(name):
        raise _Wrong("", "the name must be letters, digits, dots, dashes and underscores")
    for key in table:
        if key not in _READERS:
            raise _Wrong(key, f"{key!r} is unknown", f"Known: {', '.join(sorted(_READERS))}.")
    values = {key: _READERS[key](key, value) for key, value in table.items()}
    local = values.pop(_LOCAL, False)
    if local and "ssh" in values:
        raise _Wrong(_LOCAL, "it has both 'ssh' and local = true", "Remove one of them.")
    if not local and "ssh" not in values:
        raise _Wrong("", "'ssh' is missing", 'Write ssh = "user@host:port", or local = true for this machine.')
    return Host(name, **values)


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise _Wrong(key, f"{key!r} must be text on one line, not {value!r}")
    return value


def _target(key: str, value: object) -> str:
    found = _TARGET.fullmatch(_text(key, value))
    if not found or not 0 < int(found[1] or 22) < 65_536:
        raise _Wrong(key, f"{value!r} is not an ssh target", 'Write ssh = "user@host:port", "host" or "user@host".')
    return str(value)


def _labels(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and _LABEL.fullmatch(one) for one in value):
        raise _Wrong(key, f"{key!r} must be a list of words, not {value!r}", f'Such as {key} = ["n150"].')
    return tuple(dict.fromkeys(value))


def _slots(key: str, value: object) -> int:
    if type(value) is not int or not 1 <= value <= _MOST_SLOTS:
        raise _Wrong(key, f"{key!r} must be a whole number from 1 to {_MOST_SLOTS}, not {value!r}")
    return value


def _expires(key: str, value: object) -> datetime:
    if not isinstance(value, datetime):
        raise _Wrong(key, f"{key!r} must be a date and time, not {value!r}", f"Such as {key} = 2026-11-23T18:00:00Z.")
    try:
        return value.astimezone() if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _Wrong(key, f"{key!r} is not a possible time: {value}") from error


def _truth(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(key, f"{key!r} must be true or false, not {value!r}")
    return value


def _directory(key: str, value: object) -> str:
    text = _text(key, value)
    if not text.startswith(("/", "~/")):
        raise _Wrong(key, f"{key!r} must begin with / or ~/, not {value!r}")
    return text


_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "ssh": _target,
    _LOCAL: _truth,
    "labels": _labels,
    "slots": _slots,
    "python": _directory,
    "checkout": _directory,
    "expires": _expires,
    "ssh_config": _directory,
    "worker": _directory,
    "reset": _text,
}


# Lines


def _line(text: str, key: str) -> int:
    """The line, counted from 1, of the first occurrence of a name outside a host; 0: none found."""
    pattern = re.compile(rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*[].=]""")
    return next((number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 0)


def _line_in(text: str, name: str, key: str) -> int:
    """The line of `key` in the table of a host, or of its header if the key is missing; 0: none found."""
    lines = text.splitlines()
    for begin, end in _spans(lines, name):
        pattern = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
        inside = (number + 1 for number in range(begin, end) if key and pattern.match(lines[number]))
        return next(inside, begin + 1)
    return 0


def _spans(lines: Sequence[str], name: str) -> Iterator[tuple[int, int]]:
    """Where tables of that name begin and end, in lines counted from 0."""
    for begin, line in enumerate(lines):
        found = _HEADER.fullmatch(line)
        if found and name in found.groups():
            rest = range(begin + 1, len(lines))
            yield begin, next((number for number in rest if _ANY_HEADER.match(lines[number])), len(lines))


# Changes


def change_hosts(file: Path, change: Callable[[str], str]) -> None:
    """Replace the text of the hosts file by the result of `change`, one process at a time.

    Raises TTMatrixError if the file is invalid or cannot be written, and what `change` raises.
    """
    with locked(file.with_suffix(".lock"), "changing the hosts file", wait=_LOCK_PATIENCE):
        before = read_text(file) if is_there(file) else ""
        after = change(before)
        if after != before:
            parse_hosts(after, file)
            atomic_write(file, after)


def with_host(text: str, host: Host, file: Path) -> str:
    """The text with a table for `host`: replacing the one of that name, else at the end.

    Other tables keep every byte, and this one keeps its comment lines. Raises UsageError for a host that the file
    cannot have, and TTMatrixError if the host is written in another form than a table.
    """
    hosts = parse_hosts(text, file)
    written = _checked(host)
    if not any(one.name == host.name for one in hosts):
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        after = f"{text}{gap}{written}"
        wanted = (*hosts, host)
    else:
        begin, end = _place(text, host.name, file)
        lines = text.splitlines(keepends=True)
        comments = [line for line in lines[begin + 1 : end] if line.lstrip().startswith("#")]
        after = "".join([*lines[:begin], written, *comments, *lines[end:]])
        wanted = tuple(host if one.name == host.name else one for one in hosts)
    return _proved(after, wanted, file, host.name)


def without_host(text: str, name: str, file: Path) -> str:
    """The text without the table of a host; every other byte stays. Raises TTMatrixError as `with_host` does."""
    hosts = parse_hosts(text, file)
    begin, end = _place(text, name, file)
    lines = text.splitlines(keepends=True)
    while begin and not lines[begin - 1].strip() and (end == len(lines) or not lines[end].strip()):
        begin -= 1
    after = "".join(lines[:begin] + lines[end:])
    return _proved(after, tuple(one for one in hosts if one.name != name), file, name)


def _place(text: str, name: str, file: Path) -> tuple[int, int]:
    """The lines of a table, without those between it and the next table: they may be a comment on the next one."""
    lines = text.splitlines()
    for begin, end in _spans(lines, name):
        while end > begin + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1
        return begin, end
    raise _by_hand(name, file)


def _proved(after: str, wanted: tuple[Host, ...], file: Path, name: str) -> str:
    if parse_hosts(after, file) != wanted:
        raise _by_hand(name, file)
    return after


def _by_hand(name: str, file: Path) -> TTMatrixError:
    return TTMatrixError(
        f"Cannot change host {name}", f"{file} has it in a form that only a person can change.", "Edit it."
    )


def _checked(host: Host) -> str:
    """The table of a host, which reads back as this host. Raises UsageError."""
    written = _written(host)
    try:
        # The name first: with another one the text need not be TOML.
        _host(host.name, {_LOCAL: True})
        _host(host.name, toml_tables(written)[_TABLE][host.name])
    except _Wrong as wrong:
        raise UsageError(f"Not a host: {host.name!r}", wrong.problem, wrong.hint) from wrong
    except Malformed as error:
        raise UsageError(f"Not a host: {host.name!r}", "Its values must be printable text on one line.") from error
    return written


def _written(host: Host) -> str:
    name = host.name if "." not in host.name else f'"{host.name}"'
    lines = [f"[hosts.{name}]"]
    for one in fields(Host):
        value = getattr(host, one.name)
        if one.name == "ssh":
            lines.append(f"ssh = {toml_text(value)}" if value else f"{_LOCAL} = true")
        elif one.name != "name" and value != one.default:
            lines.append(f"{one.name} = {_as_toml(value)}")
    return "\n".join([*lines, ""])


def _as_toml(value: object) -> str:
    match value:
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        case tuple():
            return f"[{', '.join(map(toml_text, value))}]"
        case str():
            return toml_text(value)
    return str(value)
