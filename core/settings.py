# SPDX-License-Identifier: Apache-2.0
"""Where ttmatrix keeps its state, and what the user has set."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import platformdirs

from core.errors import TTMatrixError

HOME_VARIABLE = "TTMATRIX_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
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
    def journal(self) -> Path:
        """Pending changes, a journal for each checkout."""
        return self.state / "journal"


@dataclass(frozen=True, slots=True)
class Settings:
    """What `settings.toml` may set."""

    python: str = ""
    """Interpreter that runs models; empty: the checkout's venv, else the one ttmatrix runs in."""
    cpu_slots: int = 2
    """How many CPU repros run at the same time; the rest wait."""
    cpu_timeout: float = 1800.0
    """Seconds after which a CPU repro is stopped; 0: never."""


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
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TTMatrixError(f"Cannot read settings from {file}", str(error), "Mend or remove it.") from error
    known = {field.name: type(field.default) for field in fields(Settings)}
    for name, value in raw.items():
        if name not in known:
            allowed = ", ".join(sorted(known))
            raise TTMatrixError(f"Unknown setting {name!r} in {file}", f"Known settings: {allowed}.")
        number = known[name] is float and type(value) is int
        if type(value) is not known[name] and not number:
            wanted = known[name].__name__
            raise TTMatrixError(f"Setting {name!r} in {file} must be of type {wanted}", f"It is {value!r}.")
    return Settings(**raw)
