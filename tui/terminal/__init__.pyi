# SPDX-License-Identifier: Apache-2.0
from .browser import BrowserDriver as BrowserDriver, page_size as page_size
from .driver import (
    AsciiDriver as AsciiDriver,
    EndAsked as EndAsked,
    Ending as Ending,
    TerminalDriver as TerminalDriver,
    lend_terminal as lend_terminal,
    stop_as_job as stop_as_job,
)
from .editor import edit as edit, editor_command as editor_command
from .repaint import Repaint as Repaint
from .state import in_browser as in_browser, put_right as put_right
