# SPDX-License-Identifier: Apache-2.0
"""Where ttmatrix keeps its state, and what the user has set."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from core.errors import TTMatrixError

HOME_VARIABLE = "TTMATRIX_HOME"


class Paths(NamedTuple):
    """Directories of the user's state. None of them need exist before something is written."""

    config: Path
    state: Path
    cache: Path

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.toml"

    @property
    def runs(self) -> Path:
        return self.state / "runs"

    @property
    def views_file(self) -> Path:
        return self.state / "views.json"

    @property
    def issues_file(self) -> Path:
        """What was found out about issues on GitHub."""
        return self.cache / "issues.json"

    @property
    def policy_file(self) -> Path:
        """The policy for checkouts that bring none."""
        return self.config / "policy.toml"

    @property
    def evidence(self) -> Path:
        """Reports that were ingested, a file for each checkout."""
        return self.state / "evidence"

    @property
    def journal(self) -> Path:
        """Pending changes, a journal for each checkout."""
        return self.state / "journal"


@dataclass(frozen=True, slots=True)
class Profile:
    """A named way to run tests: a table `[profiles.NAME]`."""

    arguments: tuple[str, ...] = ()
    """Added to the command; `{artefacts}` stands for the directory of the run."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set; their values know `{artefacts}` too."""
    timeout: float | None = None
    """Seconds; None: what the settings say for the kind."""


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
    """How large, in GiB, the log of one run may grow; its beginning and its end are kept; 0: any size."""
    notify: str = "bell"
    """How the end of a batch is told: bell, osc9 (a desktop notification) or off."""
    keep_runs: int = 0
    """How many ended runs `prune` keeps; 0: all."""
    keep_days: float = 0.0
    """How old, in days, an ended run may be that `prune` keeps; 0: any age."""
    keep_gib: float = 0.0
    """How much room, in GiB, the ended runs may take that `prune` keeps; 0: any."""
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    """Named ways to run tests."""


def paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """State directories: all under $TTMATRIX_HOME where that is set, else the platform's own."""
    home = environ.get(HOME_VARIABLE)
    if home:
        root = Path(home).expanduser().absolute()
        return Paths(root / "config", root / "state", root / "cache")
    own = platformdirs.PlatformDirs("ttmatrix", appauthor=False)
    return Paths(own.user_config_path, own.user_state_path, own.user_cache_path)


def load_settings(file: Path) -> Settings:
    """Read `file`; absent means defaults. Raises TTMatrixError on bad TOML, unknown names or wrong types."""
    try:
        text = file.read_text(encoding="utf-8")
        # Imported here because most people have set nothing.
        import tomllib

        raw = tomllib.loads(text)
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        raise TTMatrixError(f"Cannot read settings from {file}", str(error), "Mend or remove it.") from error
    profiles = raw.pop("profiles", {})
    if not isinstance(profiles, dict) or not all(isinstance(one, dict) for one in profiles.values()):
        raise TTMatrixError(f"Setting 'profiles' in {file} must hold tables", hint="Write [profiles.NAME].")
    _check(raw, Settings(), f"setting {{name!r}} in {file}")
    for name, table in profiles.items():
        _check(table, _PLAIN_PROFILE, f"{{name!r}} of profile {name!r} in {file}")
    return replace(Settings(**raw), profiles={name: _profile(table) for name, table in profiles.items()})


_PLAIN_PROFILE = Profile(timeout=0.0)


def _check(raw: Mapping[str, Any], default: object, what: str) -> None:
    """Every name of `raw` must be a field of `default`, and of the same type."""
    known = {one.name: getattr(default, one.name) for one in fields(default)}  # type: ignore[arg-type]
    for name, value in raw.items():
        said = what.format(name=name)
        if name not in known:
            allowed = ", ".join(sorted(known))
            raise TTMatrixError(f"Unknown {said}", f"Known are: {allowed}.")
        wanted = type(known[name])
        if wanted is tuple and _all_text(value, list):
            continue
        if wanted is dict and _all_text(value, dict) and _all_text(list(value.values()), list):
            continue
        number = wanted is float and type(value) is int
        if (type(value) is not wanted and not number) or wanted in (dict, tuple):
            raise TTMatrixError(f"{said[0].upper()}{said[1:]} must be {_word(wanted)}", f"It is {value!r}.")


def _word(wanted: type[object]) -> str:
    if wanted is tuple:
        return "a list of texts"
    return "a table of texts" if wanted is dict else f"of type {wanted.__name__}"


def _all_text(value: object, kind: type[list[Any]] | type[dict[Any, Any]]) -> bool:
    return isinstance(value, kind) and all(isinstance(one, str) for one in value)


def _profile(table: Mapping[str, Any]) -> Profile:
    return replace(Profile(), **{**table, "arguments": tuple(table.get("arguments", ()))})
