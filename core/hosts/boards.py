# SPDX-License-Identifier: Apache-2.0
"""The boards of this machine, by `tt-smi -s` or by what the driver says, and the archs that they make."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, plain, read_bytes
from core.base.processes import boot_id, run_command
from core.base.text import counted
from core.hosts.model import DEVICE_NODES
from core.hosts.probe import parse_boards

DRIVER: Path = Path("/sys/class/tenstorrent")
"""Where the driver describes its devices."""
_SECONDS = 60.0
_TYPE = "tt_card_type"
_TOOL = "tt-smi"
_WORMHOLE, _BLACKHOLE = "wormhole", "blackhole"
_SIDE = re.compile(r"\s+[LR]$", re.IGNORECASE)
_CHIPS_OF_A_CARD = {"n300": 2, "p300": 2}


class Size(NamedTuple):
    """What a test on an arch needs of a machine."""

    family: str
    chips: int


_ARCHS = {
    "n150": Size(_WORMHOLE, 1),
    "n300": Size(_WORMHOLE, 2),
    "n300-llmbox": Size(_WORMHOLE, 8),
    "galaxy-wh-6u": Size(_WORMHOLE, 32),
    "p150": Size(_BLACKHOLE, 1),
    "qb2-blackhole": Size(_BLACKHOLE, 4),
    "lb-blackhole": Size(_BLACKHOLE, 8),
    "galaxy-bh": Size(_BLACKHOLE, 32),
}
"""tt-xla's archs, each with the smallest machine that has it."""


@dataclass(frozen=True, slots=True)
class Boards:
    """The Tenstorrent devices of a machine."""

    types: tuple[str, ...] = ()
    """The type of each chip, as tt-smi writes it: `n300 L`, `n300 R`, `p150a`. Empty: there are none, or none known."""

    @property
    def names(self) -> Sequence[str]:
        """The types of boards without side and revision, in lower case: `n300`."""
        return [re.sub(r"(?<=\d)[a-z]+$", "", _SIDE.sub("", one).strip().lower()) for one in self.types]

    @property
    def text(self) -> str:
        """For people: `n300 (2 chips)`."""
        return ", ".join(f"{name} ({counted(count, 'chip')})" for name, count in Counter(self.names).items())

    @property
    def arch(self) -> str:
        """The arch of the whole machine, as tt-xla names it; empty: it has none, or there are no boards."""
        size, kinds = self._size, set(self.names)
        if size is None:
            return ""
        if len(kinds) == 1 and (kind := kinds.pop()) in _ARCHS and size.chips < 4:
            return kind
        # Of several cards that each have an arch of their own, the machine may have no larger one.
        of_family = {name: one.chips for name, one in _ARCHS.items() if one.family == size.family}
        whole = next((name for name, chips in of_family.items() if chips == size.chips), "")
        return whole or next((name for name in of_family if name in self.names), "")

    def can(self, arch: str) -> bool:
        """Whether a test for an arch finds the chips that it needs; an arch that is not known here: no objection."""
        wanted, size = _ARCHS.get(arch), self._size
        if wanted is None or size is None:
            return True
        return wanted.family == size.family and wanted.chips <= size.chips

    @property
    def _size(self) -> Size | None:
        families = {_family(name) for name in self.names}
        return Size(families.pop(), len(self.types)) if len(families) == 1 else None


def _family(name: str) -> str:
    return _BLACKHOLE if name.startswith("p") or "bh" in name or "blackhole" in name else _WORMHOLE


@dataclass(frozen=True, slots=True)
class _Memory:
    """The last answer, with what it depends on."""

    key: str
    types: tuple[str, ...]


def boards_here(cache: Path, environ: Mapping[str, str], nodes: Path = DEVICE_NODES, driver: Path = DRIVER) -> Boards:
    """The boards of this machine; none are known if neither tt-smi nor the driver names them.

    tt-smi looks at every device, so its answer is stored below `cache` until devices or the machine change.
    """
    tool = shutil.which(_TOOL, path=environ.get("PATH"))
    there = sorted(one.name for one in nodes.iterdir()) if nodes.is_dir() else []
    if not (tool or there):
        return Boards()
    file, key = cache / "boards.json", json.dumps([boot_id(), there, tool, _stamp(tool)])
    with suppress(OSError, Malformed):
        known = decoded(read_bytes(file), _Memory)
        if known.key == key:
            return Boards(known.types)
    found = Boards((_told(tool) if tool else ()) or _of_driver(driver))
    if found.types:
        with suppress(OSError, TTMatrixError):
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_write(file, json.dumps(plain(_Memory(key, found.types))))
    return found


def _stamp(tool: str | None) -> int:
    try:
        return Path(tool).stat().st_mtime_ns if tool else 0
    except OSError:
        return 0


def _told(tool: str) -> tuple[str, ...]:
    try:
        done = run_command([tool, "-s"], cwd=Path("/"), timeout=_SECONDS)
    except TTMatrixError:
        return ()
    # It may say more before the snapshot.
    text = done.stdout[max(0, done.stdout.find("{")) :]
    return tuple(one for one in parse_boards(text) or () if one)


def _of_driver(driver: Path) -> tuple[str, ...]:
    types: list[str] = []
    for file in sorted(driver.glob(f"*/{_TYPE}")):
        with suppress(OSError):
            name = read_bytes(file).decode("utf-8", "replace").strip()
            types += [name] * _CHIPS_OF_A_CARD.get(name.lower()[:4], 1)
    return tuple(types)
