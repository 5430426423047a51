# SPDX-License-Identifier: Apache-2.0
from .driver import EndAsked as EndAsked, Ending as Ending, TerminalDriver as TerminalDriver
from .editor import edit as edit, editor_command as editor_command
from .repaint import Repaint as Repaint
from .state import put_right as put_right
