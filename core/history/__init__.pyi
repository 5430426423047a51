# SPDX-License-Identifier: Apache-2.0
from .commit_page import commit_link as commit_link, show_commit as show_commit
from .commits import entry_edits as entry_edits
from .diff import field_changes as field_changes
from .history import History as History, read_history as read_history
from .stats import (
    Every as Every,
    Point as Point,
    Split as Split,
    Week as Week,
    age as age,
    ages as ages,
    by_arch as by_arch,
    by_group as by_group,
    by_status as by_status,
    changes_of_status as changes_of_status,
    flips as flips,
    trend as trend,
    weeks as weeks,
)
from .timelines import Step as Step, Timeline as Timeline
from .words import day_of as day_of, step_lines as step_lines, what as what
