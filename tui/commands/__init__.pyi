# SPDX-License-Identifier: Apache-2.0
from .declare import HasCommands as HasCommands, command as command
from .index import (
    all_commands as all_commands,
    commands as commands,
    needs_of as needs_of,
    refusal as refusal,
    screen_commands as screen_commands,
    tab_commands as tab_commands,
)
from .record import Changes as Changes, Command as Command, Hint as Hint, Need as Need, Where as Where
