# SPDX-License-Identifier: Apache-2.0
"""What runs of tt-xla's own runner share beside devices, and cannot: the file with the stage, and the environment.

The plugin writes the stage to one file of the checkout (docs/rules.md 4.5). The runner installs what a loader asks for
into the environment of the interpreter, and before each test removes what was not there when its session began: also
the packages of another session.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from core.runs.environment import environment_of
from core.runs.planning.downloads import requirement_places
from core.runs.spec import STAGE_FILE, RunSpec
from core.sources import Checkout

_LEAVES_PACKAGES_ALONE = "TT_XLA_DISABLE_MODEL_REQS"


def with_claims(spec: RunSpec, tests: Iterable[str], environ: Mapping[str, str] = os.environ) -> RunSpec:
    """The run of `tests` with what it must have for itself, if tt-xla's own runner runs it."""
    python, checkout = Path(spec.argv[0]), Checkout(spec.cwd)
    claims = [str(checkout.root.absolute() / STAGE_FILE)]
    if {**environ, **spec.env}.get(_LEAVES_PACKAGES_ALONE) == "1":
        return replace(spec, claims=tuple(claims))
    claims.append(str(environment_of(python)))
    places = requirement_places(checkout, tests)
    return replace(spec, claims=tuple(claims), requirements=tuple(str(place.absolute()) for place in places))
