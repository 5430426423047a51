# SPDX-License-Identifier: Apache-2.0
"""The keys of commands: those of their records, of a preset for moving, and of a person's settings."""

import difflib
import re
import string
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from core.base.errors import TTMatrixError, together
from tui.commands import Command, Need, Where, all_commands, commands, refusal
from tui.key_names import KEY_NAMES, key_text

PRESETS: Mapping[str, Mapping[str, str]] = {
    "vim": {},
    "emacs": {
        "table.down": "ctrl+n,down",
        "table.up": "ctrl+p,up",
        "table.page_down": "ctrl+v,pagedown",
        "lines.down": "ctrl+n,down",
        "lines.up": "ctrl+p,up",
        "lines.page_down": "ctrl+v,space,pagedown",
        "text.down": "ctrl+n,down",
        "text.up": "ctrl+p,up",
        "text.page_down": "ctrl+v,pagedown",
        "app.back": "escape,ctrl+g",
        "app.commands": "colon",
        "matrix.unmark": "U",
    },
}
"""Keys for moving, by the setting `keymap`. `vim` is what the records of the commands have."""

_ROWS, _GROUPS = (Where.TABLE,), (Where.TABLE, Where.TREE)
_LINES, _LOG, _TEXT = (Where.LINES,), (Where.LINES, Where.LOG), (Where.TEXT,)
_PARTS: Mapping[Where, Sequence[tuple[Where, ...]]] = {
    Where.RUNS: ((Where.RUN_TABLE, *_ROWS), _LOG, _TEXT),
    Where.TRIAGE: ((Where.TRIAGE_TABLE, *_GROUPS), _LINES),
    Where.CLUSTERS: (_ROWS, _LINES),
    Where.COMPARE: (_GROUPS, _LINES),
    Where.DIFF: ((Where.DIFF_TABLE, *_GROUPS), _LINES),
    Where.NIGHTLY: (_GROUPS, _LINES),
    Where.PROFILES: ((Where.PROFILE_TABLE, *_ROWS), _LINES),
    Where.PROGRAMS: ((Where.PROGRAM_TABLE, *_ROWS), _LOG, _TEXT),
    Where.REVIEW: (_GROUPS, _LINES),
    Where.DOCTOR: (_GROUPS, _TEXT),
    Where.WORKFLOWS: (_ROWS, _TEXT),
    Where.HOSTS: (_ROWS, _TEXT),
    Where.PLAN: (_ROWS, _TEXT),
}
"""The places of the list, then of each text, on a screen with a list beside a text."""
_SHARED: Mapping[Where, tuple[Where, ...]] = {
    **dict.fromkeys((Where.CLUSTERS, Where.DOCTOR), (Where.FILTERED,)),
    **dict.fromkeys((Where.TRIAGE, Where.REVIEW), (Where.FILTERED, Where.DECISIONS)),
}
"""The places that several of these screens share."""

TOGETHER: tuple[tuple[Where, ...], ...] = (
    (Where.MATRIX, *_GROUPS),
    (Where.MATRIX, Where.TABLE, Where.GRID, Where.CELLS),
    # Their keys win over those of the matrix around them.
    (Where.FACETS, Where.TABLE),
    (Where.MATRIX, *_TEXT),
    (Where.OVERVIEW, Where.TABLE, Where.CELLS),
    (Where.REPORT, *_ROWS),
    (Where.JOB_LOG, *_LOG),
    *(
        (screen, Where.LIST_AND_TEXT, *_SHARED.get(screen, ()), *part)
        for screen, parts in _PARTS.items()
        for part in parts
    ),
)
"""Places that a person is in at the same time, beside `Where.APP`: there a key must mean one thing."""

TERMINAL_KEYS = frozenset({f"ctrl+{letter}" for letter in "basqhijm"} | {"ctrl+backslash", "ctrl+left_square_bracket"})
"""Prefixes of tmux and screen, flow control, and codes that terminals send for other keys."""

_NAMED = {
    *("space", "enter", "tab", "shift+tab", "escape", "delete", "insert", "backspace"),
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *(f"f{number}" for number in range(1, 13)),
    *(f"ctrl+{letter}" for letter in string.ascii_lowercase),
}
_COMMAND = re.compile(r"\{([\w.]+)\}")
_SIGNS = {shown: name for name, shown in KEY_NAMES.items()}


_LISTS = ("runs", "triage", "clusters", "compare", "profiles", "programs", "review", "workflows", "hosts", "plan")
_DECISIONS = (
    *("accept", "reject", "accept_rest", "reject_rest", "next", "previous"),
    *("threshold", "undo", "redo", "group"),
)
_RENAMED = {
    **{"matrix.last": "app.last", "matrix.zoom": "app.zoom", "runs.zoom": "app.zoom"},
    **{f"{screen}.pane": "list.pane" for screen in _LISTS},
    **{f"{screen}.open": "app.page" for screen in ("clusters", "compare", "nightly", "job_log")},
    **{f"{screen}.filter": "list.filter" for screen in ("triage", "clusters", "review", "doctor")},
    **{f"{screen}.{name}": f"decide.{name}" for screen in ("triage", "review") for name in _DECISIONS},
    **{"triage.skip": "decide.next", "review.skip": "decide.next"},
    **{"triage.go": "decide.go", "review.enter": "decide.go"},
}
"""Ids that settings written for an earlier version may have."""


class Keymap:
    """The keys of every command."""

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        """`keys` are those that differ from the table, by command id, in Textual's names."""
        self.changed = dict(keys or {})

    @cached_property
    def _commands(self) -> Mapping[str, Command]:
        return {one.id: self._with_keys(one) for one in all_commands()}

    def _with_keys(self, command: Command) -> Command:
        keys = self.changed.get(command.id)
        return command._replace(keys=keys) if keys else command

    def applied(self, found: Iterable[Command]) -> list[Command]:
        """The commands with the keys that they have now."""
        return [self._commands[one.id] for one in found]

    def key(self, id: str) -> str:
        """The first key of a command, as a person reads it."""
        return key_text(self._commands[id]).split()[0]

    def clash(self) -> tuple[str, Command, Command] | None:
        """A key with two meanings at once, and the two commands; None: there is none."""
        for places in TOGETHER:
            seen: dict[str, Command] = {}
            for command in self.applied(commands(Where.APP, *places)):
                for key in command.keys.split(","):
                    if key in seen:
                        return key, seen[key], command
                    seen[key] = command
        return None


def with_keys(words: str, keymap: Keymap) -> str:
    """Words in which `{matrix.group}` is the key of that command."""
    return _COMMAND.sub(lambda found: keymap.key(found[1]), words)


def advice(words: str, keymap: Keymap, *, read_only: bool) -> str:
    """Words with the key that helps; a read-only app that refuses this key says only the part before it."""
    if any(refusal(id, read_only=read_only) for id in _COMMAND.findall(words)):
        return f"{words.partition('{')[0].rstrip(' .:')}."
    return with_keys(words, keymap)


def need_words(need: Need, keymap: Keymap, *, read_only: bool = False) -> str:
    """The words of a need with the present keys of commands, as `advice`."""
    return advice(need.value, keymap, read_only=read_only)


def read_keymap(preset: str, keys: Mapping[str, str]) -> Keymap:
    """The keymap that settings ask for. Raises TTMatrixError that names all that is wrong.

    `keys` has keys by command id, separated by commas, as they are shown (`?`, `^d`, `pgdn`) or in Textual's names.
    """
    keymap, problems = _read(preset, keys)
    if problems:
        raise together(problems, "settings of keys are wrong")
    return keymap


def keymap_problems(preset: str, keys: Mapping[str, str]) -> Sequence[TTMatrixError]:
    """The problems of a keymap that settings ask for."""
    return _read(preset, keys)[1]


def _read(preset: str, keys: Mapping[str, str]) -> tuple[Keymap, list[TTMatrixError]]:
    problems: list[TTMatrixError] = []
    if preset not in PRESETS:
        problems.append(TTMatrixError(f"There is no keymap {preset!r}", hint=f"Keymaps: {', '.join(PRESETS)}."))
    known = {one.id for one in all_commands()}
    asked: dict[str, str] = {}
    for written, text in keys.items():
        id = _RENAMED.get(written, written)
        try:
            if id not in known:
                raise _unknown(id, known)
            asked[id] = ",".join(_key(id, key) for key in _split(text))
        except TTMatrixError as error:
            problems.append(error)
    keymap = Keymap({**PRESETS.get(preset, {}), **asked})
    if found := keymap.clash():
        key, one, other = found
        problems.append(
            TTMatrixError(
                f"The key {KEY_NAMES.get(key, key)} would mean two things",
                f"{one.id} ({one.help}) and {other.id} ({other.help}).",
                "Give one of them another key in the table [keys] of settings.toml.",
            )
        )
    return keymap, problems


def _unknown(id: str, known: Collection[str]) -> TTMatrixError:
    nearest = difflib.get_close_matches(id, known, 1)
    hint = f"Nearest: {nearest[0]}." if nearest else "docs/keys.md lists them all."
    return TTMatrixError(f"There is no command {id!r} to give a key", "In the table [keys] of settings.toml.", hint)


def _split(text: str) -> list[str]:
    """The keys of a text; a comma alone is a key itself."""
    return [text] if text.strip() == "," else [part.strip() for part in text.split(",")]


def _key(id: str, text: str) -> str:
    """Textual's name of a key. Raises TTMatrixError for what is none, or belongs to the terminal."""
    key = _SIGNS.get(text, text.replace("^", "ctrl+") if len(text) == 2 else text)
    if key in TERMINAL_KEYS:
        raise TTMatrixError(f"{id} cannot have the key {text}", "The terminal, tmux or screen uses it.")
    if key not in _NAMED and key not in KEY_NAMES and not (len(key) == 1 and key.isalnum() and key.isascii()):
        raise TTMatrixError(
            f"{id} cannot have the key {text!r}: there is none", hint="Examples: x, X, ctrl+x, f5, space, pgdn, ?."
        )
    return key
