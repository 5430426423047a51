# SPDX-License-Identifier: Apache-2.0
"""A made-up history of real files: typical edits, made by cutting and pasting lines as people do."""

import random
import re
from collections.abc import Callable, Iterator, Mapping

from tests.support.edit_laws import parsed

Change = tuple[str, str, str]
"""File, its text before and its text after."""


def commits(texts: Mapping[str, str], seed: int, count: int) -> Iterator[list[Change]]:
    """`count` commits on top of `texts`, the same for the same seed."""
    rng = random.Random(seed)
    now = dict(texts)
    for number in range(count):
        before = dict(now)
        if number % 7 == 6 and len(now) > 1:
            _move(rng, now)
        else:
            name = rng.choice(sorted(now))
            now[name] = _edited(rng, now[name], number)
        changed = [(name, before[name], now[name]) for name in sorted(now) if before[name] != now[name]]
        if changed:
            yield changed


def _edited(rng: random.Random, text: str, number: int) -> str:
    file = parsed(text)
    lines = text.split("\n")
    chosen = rng.sample(sorted(file.entries), min(rng.randint(1, 8), len(file.entries)))
    # From the last to the first, so that earlier line numbers stay valid.
    for identifier in sorted(chosen, key=lambda one: -file.entries[one].line):
        span = file.span(identifier)
        lines[span.start : span.stop] = rng.choice(_ENTRY_EDITS)(rng, lines[span.start : span.stop])
        if rng.random() < 0.08 and len(file.entries) > 3:
            _cut(lines, span.start)
    if rng.random() < 0.2:
        _append(lines, _entry(f"made_up/pytorch-{number}-single_device-inference"))
    if rng.random() < 0.1:
        lines.insert(rng.randrange(len(lines) - 1), "  # a note of its own")
    return "\n".join(lines)


def _entry(identifier: str) -> list[str]:
    return [f"  {identifier}:", "    status: KNOWN_FAILURE_XFAIL", '    reason: "New - see the issue"']


def _append(lines: list[str], entry: list[str]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
    lines += ["", *entry, ""]


def _cut(lines: list[str], start: int) -> list[str]:
    """Cut out the entry whose key is on line `start`, with the blank line after it, else the one before."""
    stop = start + 1
    while stop < len(lines) and lines[stop].startswith("    ") and not lines[stop].lstrip().startswith("#"):
        stop += 1
    entry = lines[start:stop]
    if stop < len(lines) - 1 and not lines[stop].strip():
        stop += 1
    elif start and not lines[start - 1].strip():
        start -= 1
    del lines[start:stop]
    return entry


def _move(rng: random.Random, now: dict[str, str]) -> None:
    source, target = rng.sample(sorted(now), 2)
    file = parsed(now[source])
    free = sorted(set(file.entries) - set(parsed(now[target]).entries))
    if len(free) < 2:
        return
    lines, others = now[source].split("\n"), now[target].split("\n")
    _append(others, _cut(lines, file.entries[rng.choice(free)].line - 1))
    now[source], now[target] = "\n".join(lines), "\n".join(others)


def _flip(rng: random.Random, entry: list[str]) -> list[str]:
    status = rng.choice(["EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL", "NOT_SUPPORTED_SKIP"])
    return [re.sub(r"^(    status: )\w+", rf"\g<1>{status}", line) for line in entry]


def _drop(rng: random.Random, entry: list[str]) -> list[str]:
    fields = [
        at for at, line in enumerate(entry) if re.match(r"    (reason|bringup_status|required_pcc|assert_pcc):", line)
    ]
    if not fields or sum(bool(re.match(r"    \w", line)) for line in entry) < 2:
        return entry
    gone = rng.choice(fields)
    return entry[:gone] + entry[gone + 1 :]


def _put(rng: random.Random, entry: list[str]) -> list[str]:
    name, value = rng.choice(
        [("reason", '"Hangs \\"here\\" - https://x/1"'), ("assert_pcc", "false"), ("required_pcc", "0.95")]
    )
    if any(line.lstrip().startswith((f"{name}:", "arch_overrides:")) for line in entry):
        return [re.sub(rf"^(    {name}: )[^#\s][^#]*?(\s*)(#.*)?$", rf"\g<1>{value}\g<2>\g<3>", line) for line in entry]
    return [*entry, f"    {name}: {value}"]


def _mark(rng: random.Random, entry: list[str]) -> list[str]:
    item = rng.choice(["extra_a", "extra_b"])
    return [
        re.sub(r"^(    markers: \[[^\]]+)\]", rf"\g<1>, {item}]", line) if item not in line else line for line in entry
    ]


def _rename(rng: random.Random, entry: list[str]) -> list[str]:
    return [re.sub(r"^(  \S+?)-((?:\S+-)?\w+:)", rf"\g<1>-v{rng.randrange(10**6)}-\g<2>", entry[0]), *entry[1:]]


def _override(rng: random.Random, entry: list[str]) -> list[str]:
    arch, key = rng.choice(["n150", "p150"]), "    arch_overrides:"
    if key not in entry:
        return [*entry, key, f"      {arch}:", "        status: NOT_SUPPORTED_SKIP", '        reason: "Too large"']
    at = entry.index(key)
    return entry[:at] if at > 1 else entry


def _note(rng: random.Random, entry: list[str]) -> list[str]:
    return [*entry[:-1], entry[-1] if "#" in entry[-1] else f"{entry[-1]} # noted"]


_ENTRY_EDITS: tuple[Callable[[random.Random, list[str]], list[str]], ...] = (
    _flip,
    _flip,
    _drop,
    _put,
    _put,
    _mark,
    _rename,
    _override,
    _note,
)
