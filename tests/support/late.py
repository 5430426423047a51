# SPDX-License-Identifier: Apache-2.0
"""An answer that comes late: a function of a background thread that waits until a test lets it go on."""

import threading
from collections.abc import Callable
from typing import Any

_PATIENCE_SECONDS = 60


class Late:
    """Replaces `function`: a call ends only after `go_on` is set."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.asked = threading.Event()
        self.go_on = threading.Event()
        self.answered = False

    def __call__(self, *arguments: Any) -> Any:
        self.asked.set()
        self.go_on.wait(_PATIENCE_SECONDS)
        answer = self._function(*arguments)
        self.answered = True
        return answer
