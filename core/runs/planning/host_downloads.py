# SPDX-License-Identifier: Apache-2.0
"""What runs on other machines download there, according to loaders. The caches of those machines are not known here."""

from collections.abc import Iterable, Sequence

from core.runs.planning.downloads import HUB_KINDS, Download, Kind, asked_packages, listed, requirement_places
from core.runs.planning.loader_downloads import asked_by
from core.runs.planning.preflight_checks import Level, Obstacle
from core.runs.spec import RunSpec
from core.sources import Checkout
from core.text import counted


def fetched_elsewhere(specs: Sequence[RunSpec]) -> list[Obstacle]:
    """The notes about runs that leave this machine and share a checkout; none if their loaders download nothing."""
    away = [spec for spec in specs if spec.needs and not spec.cases]
    found = wanted(Checkout(away[0].cwd), [spec.test_id for spec in away]) if away else []
    if not found:
        return []
    places = " and ".join(sorted({spec.needs for spec in away}))
    kinds = [(kind, [one.name for one in found if one.kind is kind]) for kind in Kind]
    words = "; ".join(f"{counted(len(names), kind)}: {listed(names)}" for kind, names in kinds if names)
    what = f"Runs on {places} download what is not there yet: {words}"
    remedy = "What those machines have is not known here, so you are not asked. The log of a run shows its downloads"
    return [Obstacle(Level.NOTE, what, remedy)]


def wanted(checkout: Checkout, tests: Iterable[str]) -> list[Download]:
    """All that the loaders of `tests` download with empty caches, as far as they name it; without sizes."""
    tests = list(dict.fromkeys(tests))
    found = [
        Download(Kind.PACKAGE, one) for place in requirement_places(checkout, tests) for one in asked_packages(place)
    ]
    for _, asked in asked_by(checkout, tests):
        found += (Download(HUB_KINDS[one.kind], one.name) for one in asked.hub)
        found += (
            Download(Kind.FILE, one.address) if one.address else Download(Kind.WEIGHTS, one.text)
            for one in asked.weights
        )
        found += (Download(Kind.FILE, one) for one in asked.files if one)
    return list(dict.fromkeys(found))
