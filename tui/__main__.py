# SPDX-License-Identifier: Apache-2.0
"""The `ttmatrix` command: headless commands answer at once, the app is imported only when it is to open."""

import gc
import os
import sys
from collections.abc import Sequence

# Nothing built while starting becomes garbage; collecting in between only costs time.
gc.disable()

from core.base.errors import TTMatrixError  # noqa: E402
from core.base.optional_packages import require_extra  # noqa: E402
from core.base.permissions import keep_private  # noqa: E402
from core.base.settings import Settings, paths  # noqa: E402
from core.cli import AppRequest, main as run_command_line  # noqa: E402
from tui import app, terminal, web  # noqa: E402

_PLAIN_TERMINALS = ("", "dumb", "unknown")
"""Values of TERM where there is no terminal but paper: editors' shells, logs, cron."""
_HEADLESS = "ttmatrix --help lists the commands that do without, such as list, show, run and logs -f."


def main() -> None:
    """Entry point of the console script."""
    keep_private(paths())
    terminal.put_right()
    code = run_command_line(sys.argv[1:], _open_app, _app_problems)
    # On its way out the interpreter collects once more; we end anyway.
    gc.freeze()
    sys.exit(code)


def _app_problems(settings: Settings) -> Sequence[TTMatrixError]:
    plain = Settings()
    if (settings.theme, settings.keymap, settings.keys) == (plain.theme, plain.keymap, plain.keys):
        # A headless command imports nothing of the app where there is nothing to check.
        return ()
    return app.app_problems(settings)


def _open_app(request: AppRequest) -> int:
    if request.serve is not None:
        require_extra("web", "The app cannot be served")
        return web.serve(request, request.serve)
    if terminal.in_browser(os.environ):
        return app.open_app(request)
    # Textual reads from the one and writes to the other; without a terminal it would wait for keys for ever.
    if not all(stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stderr__)):
        raise TTMatrixError("The app needs a terminal", hint=_HEADLESS)
    kind = os.environ.get("TERM", "")
    if kind in _PLAIN_TERMINALS:
        raise TTMatrixError(
            "The app needs a terminal whose cursor it can move", f"TERM is {kind or 'not set'}.", _HEADLESS
        )
    return app.open_app(request)


if __name__ == "__main__":
    main()
