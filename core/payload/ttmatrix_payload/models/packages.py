# SPDX-License-Identifier: Apache-2.0
"""A loader's packages, available while it runs outside pytest."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ..requirements.install import DISABLE, RequirementsError, applied
from .loader import MODELS, Problem


@contextmanager
def packages(args: argparse.Namespace) -> Iterator[None]:
    """Provide the packages that files beside loader.py ask for (docs/rules.md 6). Raises Problem if that fails."""
    with ExitStack() as stack:
        try:
            layer = stack.enter_context(applied(args.checkout / MODELS / args.loader))
        except (RequirementsError, OSError, ValueError) as error:
            said = f"The packages that the loader asks for cannot be had ({DISABLE}=1 leaves them out): {error}"
            raise Problem("requirements", said) from error
        if layer is not None:
            print(f"packages that the loader asks for: {layer}", flush=True)
        yield
