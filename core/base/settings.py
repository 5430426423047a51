# SPDX-License-Identifier: Apache-2.0
"""Where ttmatrix keeps its state, and the user's settings."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import platformdirs

from core.base import files
from core.base.checked_numbers import finite
from core.base.errors import TTMatrixError, together

HOME_VARIABLE = "TTMATRIX_HOME"

Scalar = bool | int | float | str
"""A scalar value of TOML: no list, table or time."""


class Paths(NamedTuple):
    """Directories of the user's state. They are created when something is first written."""

    config: Path
    state: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.toml"

    @property
    def hosts_file(self) -> Path:
        """The machines that the person has added."""
        return self.config / "hosts.toml"

    @property
    def runs(self) -> Path:
        return self.state / "runs"

    @property
    def views_file(self) -> Path:
        return self.state / "views.json"

    @property
    def issues_file(self) -> Path:
        """Cached states of issues on GitHub."""
        return self.cache / "issues.json"

    @property
    def policy_file(self) -> Path:
        """The policy for checkouts that have none of their own."""
        return self.config / "policy.toml"

    @property
    def evidence(self) -> Path:
        """Ingested reports, a file for each checkout."""
        return self.state / "evidence"

    @property
    def errors(self) -> Path:
        """Tracebacks of mistakes in the app, a file for each run of it that met one."""
        return self.state / "errors"

    @property
    def places(self) -> Path:
        """Where the app was when it was closed, a file for each checkout."""
        return self.state / "places"

    @property
    def journal(self) -> Path:
        """Pending changes, a journal for each checkout."""
        return self.state / "journal"


DEFAULT_PROFILE = "default"
"""The name under which lists show runs without a profile; no profile may have it."""
_PROFILE_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Profile:
    """A named way to run tests: a table `[profiles.NAME]`."""

    arguments: tuple[str, ...] = ()
    """Added to the command; `{artefacts}` is replaced by the directory of the run."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables to set; `{artefacts}` is replaced in their values too."""
    timeout: float | None = None
    """Seconds; None: the timeout that the settings give for the kind of run."""
    backend: str = ""
    """What the built-in runner compiles with; empty: the backend of the settings."""
    batch_size: int | None = None
    """Batch size that loaders are asked for instead of the entry's; LLM ids have their own. None: the entry's."""
    options: Mapping[str, Scalar] = field(default_factory=dict)
    """Compile options, by upstream's names."""
    weights: Mapping[str, str] = field(default_factory=dict)
    """Dtypes of weights, by patterns of parameter names: `"*.fc2.weight" = "bfp_bf8"`."""
    dump: bool = False
    """Whether the programs that the compilers read and write are saved with the run."""
    prefix: tuple[str, ...] = ()
    """Words before the command, as a list, not a shell line: `["gdb", "--args"]`."""

    @property
    def compiles(self) -> bool:
        """Whether it asks for something that only a run which compiles can do."""
        return bool(self.options or self.weights or self.dump or self.backend)


@dataclass(frozen=True, slots=True)
class Settings:
    """What `settings.toml` may set."""

    python: str = ""
    """Interpreter that runs models; empty: the checkout's venv, else the one ttmatrix runs in."""
    backend: str = "auto"
    """What device runs compile with where the checkout brings no runner: auto, xla, inductor, eager or tt."""
    cpu_slots: int = 2
    """How many CPU repros run at the same time; the rest wait."""
    cpu_timeout: float = 1800.0
    """Seconds after which a CPU repro is stopped; 0: never."""
    cpu_memory: float = 4.0
    """GiB that must be free before a CPU repro starts beside others."""
    device_timeout: float = 14400.0
    """Seconds after which a device run is stopped; 0: never."""
    hang_timeout: float = 1200.0
    """Seconds without output and without work after which any run is stopped; 0: never."""
    log_gib: float = 2.0
    """Largest size, in GiB, of the log of one run; its beginning and its end are stored; 0: any size."""
    theme: str = "auto"
    """Colours of the app: dark, light, contrast, terminal, mono, or auto, the best that the terminal can show."""
    ascii: bool = False
    """Whether the app sends nothing but ASCII to the terminal."""
    restore: bool = True
    """Whether the app starts where it was last closed on this checkout."""
    keymap: str = "vim"
    """Keys for moving: vim or emacs."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys of commands, by command id; several are separated by commas."""
    notify: str = "bell"
    """How the end of a batch is announced: bell, osc9 (a desktop notification) or off."""
    fetch_minutes: float = 0.0
    """How often the app asks GitHub for new runs of CI, in minutes, while it is open; 0: never."""
    keep_runs: int = 0
    """How many ended runs `prune` keeps; 0: all."""
    keep_days: float = 0.0
    """Age, in days, up to which `prune` keeps ended runs; 0: any age."""
    keep_gib: float = 0.0
    """Space, in GiB, that the ended runs which `prune` keeps may take; 0: any."""
    ops_dirs: tuple[str, ...] = ("tests/op_manifests",)
    """Directories of op manifests, relative to the checkout; those that do not exist are passed over."""
    enabled_ops: tuple[str, ...] = ()
    """Ops that a backend shall support, against which coverage is measured; empty: the ops of the cases."""
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    """Named ways to run tests."""


def paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """State directories: all under $TTMATRIX_HOME if that is set, else the platform's own."""
    home = environ.get(HOME_VARIABLE)
    if home:
        root = Path(home).expanduser().absolute()
        return Paths(root / "config", root / "state", root / "cache")
    own = platformdirs.PlatformDirs("ttmatrix", appauthor=False)
    return Paths(own.user_config_path, own.user_state_path, own.user_cache_path)


def load_settings(file: Path) -> Settings:
    """Read `file`; without one, return the defaults.

    Raises TTMatrixError with all that is wrong: bad TOML, unknown names, wrong types.
    """
    found, problems = read_settings(file)
    if problems:
        raise together(problems, f"settings in {file} are wrong")
    return found


def read_settings(file: Path) -> tuple[Settings, tuple[TTMatrixError, ...]]:
    """What is right in `file`, and what is wrong in it."""
    if not os.path.lexists(file):
        return Settings(), ()
    try:
        text = files.read_bytes(file).decode("utf-8")
        # Importing it takes 4 ms of every start, and most people have no such file.
        import tomllib

        raw = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        why = "Its brackets nest too deeply" if isinstance(error, RecursionError) else str(error)
        return Settings(), (TTMatrixError(f"Cannot read settings from {file}", why, "Correct or remove it."),)
    except TTMatrixError as error:
        return Settings(), (error,)
    profiles, of_profiles = _profiles(raw.pop("profiles", {}), file)
    values, wrong = _checked(raw, Settings, for_processes=True)
    own = [TTMatrixError(f"Setting {one.name!r} in {file} {one.problem}", one.hint) for one in wrong]
    return replace(Settings(), **values, profiles=profiles), (*own, *of_profiles)


class SettingsFile:
    """The settings file while a program runs: a person adds a profile and wants to use it."""

    def __init__(self, file: Path) -> None:
        """What it says now is known."""
        self._file = file
        self._seen = self._stamp()

    def changed(self) -> Settings | None:
        """The settings, if the file has changed since the last call; else None. Raises as `load_settings`."""
        stamp = self._stamp()
        if stamp == self._seen:
            return None
        self._seen = stamp
        return load_settings(self._file)

    def _stamp(self) -> object:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def read_profiles(tables: object, file: Path) -> dict[str, Profile]:
    """The profiles of the table `profiles` of a TOML `file`. Raises TTMatrixError with all mistakes."""
    found, problems = _profiles(tables, file)
    if problems:
        raise together(problems, f"settings of profiles in {file} are wrong")
    return found


def _profiles(tables: object, file: Path) -> tuple[dict[str, Profile], list[TTMatrixError]]:
    if not isinstance(tables, dict) or not all(isinstance(one, dict) for one in tables.values()):
        return {}, [TTMatrixError(f"Setting 'profiles' in {file} must hold tables", hint="Write [profiles.NAME].")]
    found: dict[str, Profile] = {}
    problems: list[TTMatrixError] = []
    for name, table in tables.items():
        if name == DEFAULT_PROFILE or not _PROFILE_NAME.fullmatch(name):
            hint = f"Letters, digits, - and _; {DEFAULT_PROFILE} means no profile."
            problems.append(TTMatrixError(f"A profile in {file} cannot be called {name!r}", hint=hint))
            continue
        values, wrong = _checked(table, Profile, for_processes=True)
        wrong += _variable_problems(values.get("environment", {}))
        where = f"of profile {name!r} in {file}"
        problems += [TTMatrixError(f"Setting {one.name!r} {where} {one.problem}", one.hint) for one in wrong]
        if not wrong:
            found[name] = replace(Profile(), **values)
    return found, problems


def _has_nul(value: object) -> bool:
    """Whether a value has a text in it that no process can be given."""
    texts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return any(isinstance(one, str) and "\0" in one for one in texts)


def _variable_problems(names: Iterable[str]) -> "list[TableError]":
    return [
        TableError("environment", f"cannot set the variable {name!r}", "A name has no = and no NUL in it.")
        for name in names
        if not name or "=" in name or "\0" in name
    ]


class TableError(ValueError):
    """A wrong name or value in a TOML table: `problem` continues a sentence that begins with `name`."""

    def __init__(self, name: str, problem: str, hint: str = "") -> None:
        super().__init__(f"{name} {problem}")
        self.name = name
        self.problem = problem
        self.hint = hint


def table_values(table: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """The values of a TOML table, checked against the annotations of the dataclass `kind`. Raises TableError."""
    values, problems = _checked(table, kind)
    if problems:
        raise problems[0]
    return values


def _checked(
    table: Mapping[str, Any], kind: type, *, for_processes: bool = False
) -> tuple[dict[str, Any], list[TableError]]:
    """The values that are right, and what is wrong with the others; `for_processes`: processes may get the texts."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    problems: list[TableError] = []
    for name, value in table.items():
        if name not in hints:
            problems.append(TableError(name, "is unknown", f"Known: {', '.join(sorted(hints))}."))
        elif for_processes and _has_nul(value):
            problems.append(TableError(name, "has a NUL in it", "No process can be given one."))
        else:
            try:
                values[name] = _taken(name, value, hints[name])
            except TableError as error:
                problems.append(error)
    return values, problems


_WORDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    float | None: "a finite number",
    str: "text",
    tuple[str, ...]: "a list of strings",
    Mapping[str, str]: "a table of strings",
    Mapping[str, Scalar]: "a table of strings, numbers, true and false",
    int | None: "a whole number",
}


def _taken(name: str, value: Any, hint: Any) -> object:
    if hint in (float, float | None) and (number := finite(value)) is not None:
        return number
    if hint == tuple[str, ...] and isinstance(value, list) and _all_text(value):
        return tuple(value)
    if hint == Mapping[str, str] and isinstance(value, dict) and _all_text(value.values()):
        return value
    if hint == Mapping[str, Scalar] and isinstance(value, dict) and all(map(_is_scalar, value.values())):
        return value
    if hint is not float and (type(value) is hint or (hint == int | None and type(value) is int)):
        return value
    raise TableError(name, f"must be {_WORDS[hint]}, not {value!r}")


def _is_scalar(value: object) -> bool:
    return isinstance(value, bool | int | float | str)


def _all_text(values: Iterable[object]) -> bool:
    return all(isinstance(one, str) for one in values)
