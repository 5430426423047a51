# SPDX-License-Identifier: Apache-2.0
from .blamed import all_closed as all_closed, closed_for as closed_for, expects_no_pass as expects_no_pass
from .states import (
    IssueState as IssueState,
    State as State,
    ask as ask,
    read_states as read_states,
    states_on as states_on,
)
