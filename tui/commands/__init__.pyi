# SPDX-License-Identifier: Apache-2.0
from .command import Command as Command, Where as Where
from .table import (
    COMMANDS as COMMANDS,
    bindings as bindings,
    commands as commands,
    screen_commands as screen_commands,
    tab_commands as tab_commands,
)
