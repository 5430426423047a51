# SPDX-License-Identifier: Apache-2.0
"""Notice that somebody changes the checkout: a pull, an editor, another instance."""

import threading
from collections.abc import Callable, Set

import watchfiles

from core.sources import Checkout

_ENDINGS = (".yaml", ".py", ".json", ".yml")
_DEBOUNCE_MS = 400
"""A pull changes many files; they are told as one change once it is quiet for so long."""
_STOP_MS = 500


def watch_checkout(checkout: Checkout, stop: threading.Event, changed: Callable[[Set[str]], None]) -> None:
    """Call `changed` with the paths of each burst of changes to what is indexed, until `stop` is set. Blocks."""
    places = [place for place in (checkout.test_config, checkout.models, checkout.presets) if place.is_dir()]
    for changes in watchfiles.watch(
        *places,
        watch_filter=lambda _, path: path.endswith(_ENDINGS),
        debounce=_DEBOUNCE_MS,
        rust_timeout=_STOP_MS,
        stop_event=stop,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        changed({path for _, path in changes})
