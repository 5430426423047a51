# SPDX-License-Identifier: Apache-2.0
from .command import Command as Command, Need as Need, Where as Where
from .table import (
    COMMANDS as COMMANDS,
    bindings as bindings,
    commands as commands,
    needs_of as needs_of,
    refusal as refusal,
    screen_commands as screen_commands,
    tab_commands as tab_commands,
)
