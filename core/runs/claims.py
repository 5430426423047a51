# SPDX-License-Identifier: Apache-2.0
"""Who has something of this machine to themselves: a file of processes and what they claim; the dead claim nothing."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from core.errors import TTMatrixError
from core.files import atomic_write
from core.proc import ProcessIdentity, is_alive

EVERYTHING = "*"
"""The claim that goes against every other."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Some names, and the process that has them for as long as it lives."""

    owner: ProcessIdentity
    names: frozenset[str]
    user: str = ""
    """Whose process it is; empty: our own."""

    def against(self, names: frozenset[str]) -> bool:
        """Whether `names` cannot be claimed beside this."""
        return EVERYTHING in self.names | names or not self.names.isdisjoint(names)


class Claims:
    """The claims kept in `file`, which several processes of one user may share; for users see `core.runs.devices`."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def claim(
        self, names: Iterable[str], owner: ProcessIdentity, instead_of: ProcessIdentity | None = None
    ) -> Claim | None:
        """Give `names` to `owner`; returns whose claim stands against that, None where it was granted.

        What `owner` and `instead_of` had before, they have no more. Raises TTMatrixError where the file cannot be
        written.
        """
        wanted = frozenset(names)
        with self._guard():
            others = [one for one in self._read() if one.owner not in (owner, instead_of)]
            against = next((one for one in others if one.against(wanted)), None)
            if against is None:
                self._write([*others, Claim(owner, wanted)])
            return against

    def release(self, owner: ProcessIdentity) -> None:
        """Take from `owner` all it has. Raises TTMatrixError where the file cannot be written."""
        with self._guard():
            self._write([one for one in self._read() if one.owner != owner])

    def held(self) -> list[Claim]:
        """The claims of living processes."""
        return self._read()

    def _guard(self) -> FileLock:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            return FileLock(f"{self._file}.lock")
        except OSError as error:
            raise TTMatrixError(f"Cannot claim in {self._file}", error.strerror or str(error)) from error

    def _read(self) -> list[Claim]:
        try:
            data = self._file.read_bytes()
        except OSError:
            return []
        return [claim for claim in parse_claims(data) if is_alive(claim.owner)]

    def _write(self, claims: Iterable[Claim]) -> None:
        atomic_write(self._file, print_claims(claims))


def parse_claims(data: bytes) -> list[Claim]:
    """What `print_claims` gave. A file that says nothing holds nobody back: whoever claims writes it anew."""
    try:
        return [_claim(one) for one in json.loads(data)]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return []


def print_claims(claims: Iterable[Claim]) -> str:
    """The content of a file of claims."""
    return json.dumps([{**asdict(claim.owner), "names": sorted(claim.names)} for claim in claims])


def _claim(raw: dict[str, object]) -> Claim:
    names = raw["names"]
    if not isinstance(names, list):
        raise TypeError("names")
    owner = ProcessIdentity(int(str(raw["pid"])), float(str(raw["start_time"])))
    return Claim(owner, frozenset(map(str, names)))
