# SPDX-License-Identifier: Apache-2.0
"""The complete specification of a run, as data: nothing else is needed to run it or to show it."""

import hashlib
import json
import os
import re
import secrets
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from itertools import count
from operator import itemgetter
from pathlib import Path, PurePath

from core.base.files import Malformed, decoded_at_once, parsed, plain, typed
from core.domain.model import Entry, Function

VERSION = 2
STAGE_FILE = "._bringup_stage.txt"
"""The file of a checkout in which tt-xla's own runner notes the stage that a test has reached."""
RUN_VARIABLE = "TTMATRIX_RUN"
"""The environment variable that names the run in its processes."""

_BEGIN = f'{{\n  "version": {VERSION},\n'
"""How `spec_to_json` begins a spec of this version."""
_DEBUGGER = re.compile(r"(?:[\w.]+-)*(?:[cu]?gdb|lldb)(?:-[\d.]+)?")
_TELLING_DIGITS = 6
_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")

_RARE = ("prefix", "needs", "paths", "boards", "claims", "requirements")
"""Fields that are only written if they are set."""
_OF_CASES = ("cases", "manifests")
"""Fields that are only written for runs of op cases."""

GRACES = (10.0, 5.0, 5.0)


class ResultFormat(StrEnum):
    """How the process of a run reports the result of the test."""

    LINE = "line"
    """The last line of its output with the nonce; see `core.payload.cpu_repro`."""
    JUNIT = "junit"
    """`junit.xml` in the directory of the run, as pytest writes it."""
    CASES = "cases"
    """`results.jsonl` in the directory of the run, with a line for each op case as soon as its result is known."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One execution of one test id, or of a batch of op cases, planned."""

    run_id: str
    """Sorts by time: `20261121-073215-ab12cd`, in UTC."""
    test_id: str
    """For a batch of op cases, its name."""
    function: Function
    kind: str
    """How the test is executed: a name of `core.runs.planning.kinds`."""
    arch: str | None
    """Arch whose cell the run is meant for; None: any. For op cases, the backend."""
    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Variables set on top of the environment in which the run is requested."""
    cwd: Path
    timeout: float
    """Seconds from the start of the process after which it is stopped; 0: never."""
    created: str
    """ISO 8601, UTC."""
    nonce: str
    """Repeated by the child in its result line, so that no output of the model can be mistaken for it."""
    slots: str
    """Name of the slots that the run competes for."""
    slot_count: int
    """How many runs may hold one of these slots at a time; 0: as many as their devices allow."""
    report: ResultFormat = ResultFormat.LINE
    devices: tuple[str, ...] = ()
    """Devices that the run needs for itself; `*`: all of the machine's."""
    memory: int = 0
    """Bytes that must be free before the run starts beside others."""
    hang_timeout: float = 0.0
    """Seconds without output and without work after which it is stopped; 0: never."""
    graces: tuple[float, ...] = GRACES
    """Seconds it is given to end after an interrupt, after a termination and after a kill."""
    batch: str = ""
    """The common name of the runs of one request; sorts by time, like run ids."""
    parent: str = ""
    """The batch of which this one reruns a part."""
    stop_on_failure: bool = False
    """Whether waiting runs of the batch are not started once one has failed."""
    estimate: float | None = None
    """Estimated duration in seconds, from earlier runs."""
    profile: str = ""
    """The profile of the settings that it was requested with."""
    log_limit: int = 0
    """The largest size of its log in bytes; 0: no limit."""
    entry: str = ""
    """Digest of the test's entry when it was planned (`entry_digest`); empty: not recorded."""
    prefix: tuple[str, ...] = ()
    """Words before `argv`: a debugger or a profiler with its options."""
    cases: str = ""
    """The ids of op cases, one a line; empty: it runs none.

    A single text, because the index holds the specs of all runs and is read when the app starts.
    """
    manifests: tuple[str, ...] = ()
    """The files of the op cases, relative to `cwd`, or absolute if they are elsewhere."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """By the name of a variable that is a list of directories: those to put before the others."""
    boards: tuple[str, ...] = ()
    """The archs that the test is for; a machine that can be none of them cannot run it. Empty: any can."""
    claims: tuple[str, ...] = ()
    """Files and directories that no other run may use meanwhile: their absolute paths."""
    requirements: tuple[str, ...] = ()
    """Directories of the loaders whose requirements the run installs into the environment of its interpreter."""
    needs: str = ""
    """A label that its host must have, such as an arch or the name of a host; empty: it runs on this machine."""

    @property
    def changes_packages(self) -> bool:
        """Whether it may install packages into the environment of its interpreter, which it then claims."""
        return any(PurePath(one).name != STAGE_FILE for one in self.claims)

    @property
    def command(self) -> tuple[str, ...]:
        """All words of the executed command."""
        return (*self.prefix, *self.argv)

    @property
    def case_ids(self) -> list[str]:
        """The op cases that it runs."""
        return self.cases.splitlines()


_SERIALIZE, _EAGER = "--serialize=", "--backend=eager"
DUMPING = 'backend = "inductor", "xla" or "tt" writes programs; --kind export writes them without a compiler'


def dumps_nothing(spec: RunSpec) -> bool:
    """Whether a run is to save its programs and its backend makes none: plain PyTorch compiles nothing."""
    return _EAGER in spec.argv and any(word.startswith(_SERIALIZE) for word in spec.argv) and "/jax" not in spec.test_id


def how_to_dump(spec: RunSpec) -> str:
    """What to do about a run that has left no programs."""
    if dumps_nothing(spec):
        return f"The backend eager compiles nothing, so that there is nothing to dump: {DUMPING}."
    return "Run it with a profile that dumps: docs/profiles.md"


def run_id(now: datetime, token: str) -> str:
    """A readable id that sorts by time: the second of `now` in UTC and six hex digits of `token`.

    With tokens of `new_token`, no two ids of a process are the same; if another process has taken one, the run gets
    another (`renamed`).
    """
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{token[:_TELLING_DIGITS]}"


def new_token() -> str:
    """32 random hex digits, of which the first six are those of no other token for 16 million calls."""
    number = (_first() + next(_calls)) % 16**_TELLING_DIGITS
    return f"{number:0{_TELLING_DIGITS}x}{secrets.token_hex(16)[_TELLING_DIGITS:]}"


_calls = count()


@cache
def _first() -> int:
    """Where this process begins to count."""
    return secrets.randbelow(16**_TELLING_DIGITS)


# A forked process counts from elsewhere.
os.register_at_fork(after_in_child=_first.cache_clear)


def renamed(spec: RunSpec, now: datetime) -> RunSpec:
    """The same run under a new id, with a new nonce, as if it was planned `now`."""
    token = new_token()
    name = run_id(now, token)

    def renewed(text: str) -> str:
        # Both are unique texts: a path with the time and random digits, and 32 random digits.
        return text.replace(spec.run_id, name).replace(spec.nonce, token)

    return replace(
        spec,
        run_id=name,
        argv=tuple(map(renewed, spec.argv)),
        prefix=tuple(map(renewed, spec.prefix)),
        env={key: renewed(value) for key, value in spec.env.items()},
        created=now.isoformat(),
        nonce=token,
    )


def is_run_id(text: str) -> bool:
    """Whether `text` has the form of a run id."""
    return _RUN_ID.fullmatch(text) is not None


def run_ids_in(text: str) -> frozenset[str]:
    """Every run id in a text."""
    return frozenset(_RUN_ID.findall(text))


def is_debugger(word: str) -> bool:
    """Whether a word of a command names a debugger of native code, which stops where a process crashes."""
    return _DEBUGGER.fullmatch(PurePath(word).name) is not None


def shell_command(spec: RunSpec) -> str:
    """The POSIX shell command that does by hand exactly what the run does."""
    plain = [_assigned(name, value) for name, value in spec.env.items() if name not in spec.paths]
    lists = [_put_before(name, first, spec.env.get(name, "")) for name, first in spec.paths.items()]
    assignments = [*plain, *lists]
    command = [*(["env", *assignments] if assignments else []), *map(shlex.quote, spec.command)]
    return f"cd {shlex.quote(str(spec.cwd))} && {' '.join(command)}"


def _assigned(name: str, value: str) -> str:
    """The assignment of a variable; the person's own PYTHONPATH comes before that of a run (`child_environment`)."""
    mine = '"${PYTHONPATH:+$PYTHONPATH:}"' if name == "PYTHONPATH" else ""
    return f"{name}={mine}{shlex.quote(value)}" if mine else shlex.quote(f"{name}={value}")


def _put_before(name: str, first: str, last: str) -> str:
    """The assignment that puts directories before, and others behind, those that the shell's variable has."""
    behind = shlex.quote(f":{last}") if last else ""
    return f'{name}={shlex.quote(first)}"${{{name}:+:${name}}}"{behind}'


def spec_to_json(spec: RunSpec) -> str:
    """The content of a run's `spec.json`."""
    return json.dumps({"version": VERSION, **spec_fields(spec)}, indent=2, allow_nan=False) + "\n"


def spec_fields(spec: RunSpec) -> dict[str, object]:
    """The fields of a spec for JSON."""
    empty = (name for name in _RARE if not getattr(spec, name))
    left_out = {*(() if spec.cases else _OF_CASES), *empty}
    return {name: value for name, value in plain(spec).items() if name not in left_out}


def spec_from_json(text: str) -> RunSpec:
    """The spec that `spec_to_json` wrote, of this or of an earlier version. Raises Malformed for anything else."""
    if text.startswith(_BEGIN):
        # In one go, in two thirds of the time: there are thousands.
        with suppress(Malformed):
            return decoded_at_once(text, RunSpec)
    raw = parsed(text)
    if not isinstance(raw, dict) or raw.get("version") != VERSION:
        raise Malformed(f"it is not of version {VERSION}")
    return typed(raw, RunSpec)


def entry_digest(entry: Entry | None) -> str:
    """Differs for entries with different contents; comments and order are ignored."""
    fields = None if entry is None else _sorted(entry.fields)
    return hashlib.sha1(json.dumps(fields, default=str).encode()).hexdigest()[:16]


def _sorted(value: object) -> object:
    """`value` in a canonical order; keys of YAML may have any type, so they are compared as texts."""
    match value:
        case Mapping():
            named = sorted(((str(key), one) for key, one in value.items()), key=itemgetter(0))
            return [[key, _sorted(one)] for key, one in named]
        case list() | tuple():
            return [_sorted(one) for one in value]
    return value
