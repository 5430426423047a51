# SPDX-License-Identifier: Apache-2.0
"""What loaders download, by directory and variant; many answers are cached for the next plan of the same code."""

import time
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from core.base.settings import paths
from core.domain.ids import TestId
from core.matrix import load, store
from core.sources import Checkout
from core.sources.downloads import Code, Fetched, code_of, fetched_by

_WORTH_KEEPING = 20
"""Following the code of fewer variants than this takes a tenth of a second."""
_RACY_NS = 2_000_000_000
"""A file that was changed so recently may change again without a new stamp."""

_Cached = Mapping[tuple[str, str], tuple[Code, Fetched]]
"""By directory and variant, with the files that the answer was found in."""


def asked_by(checkout: Checkout, tests: Iterable[str]) -> list[tuple[str, Fetched]]:
    """By directory: what its loader downloads, once for each of its variants in `tests`."""
    wanted = sorted({(one.directory, one.variant or "") for test in tests if (one := TestId.parse(test))})
    if len(wanted) < _WORTH_KEEPING:
        return [(directory, fetched_by(checkout.models, directory, variant)) for directory, variant in wanted]
    file = _file(checkout)
    cached = _load(file)
    codes = {directory: code_of(checkout.models, directory) for directory, _ in wanted}
    found = {
        (directory, variant): known[1]
        if (known := cached.get((directory, variant))) and known[0] == codes[directory]
        else fetched_by(checkout.models, directory, variant)
        for directory, variant in wanted
    }
    answers = {one: (codes[one[0]], fetched) for one, fetched in found.items() if _is_settled(codes[one[0]])}
    if any(cached.get(one) != answer for one, answer in answers.items()):
        store(file, {**cached, **answers})
    return [(directory, fetched) for (directory, _), fetched in found.items()]


def _file(checkout: Checkout) -> Path:
    return paths().cache / "downloads" / f"{sha256(str(checkout.models.absolute()).encode()).hexdigest()[:16]}.pickle"


def _load(file: Path) -> _Cached:
    cached = load(file)
    return cached if isinstance(cached, dict) else {}


def _is_settled(code: Code) -> bool:
    border = time.time_ns() - _RACY_NS
    return all(stamp is None or max(stamp[:2]) < border for _, stamp in code)
