# SPDX-License-Identifier: Apache-2.0
from .batch import drive_all as drive_all, forget_edited as forget_edited, look_first as look_first
from .driver import (
    Blocked as Blocked,
    Given as Given,
    Progress as Progress,
    drive as drive,
    leave as leave,
    leave_all as leave_all,
    open_session as open_session,
    operations_of as operations_of,
    plan_of as plan_of,
    sole_triage as sole_triage,
    take as take,
)
from .loader_edits import (
    LoaderEdit as LoaderEdit,
    take_back_edits as take_back_edits,
    uncommitted_edits as uncommitted_edits,
)
from .manager import Board as Board, Item as Item, Standing as Standing
from .perform import World as World
from .render import markdown as markdown
from .report import Report as Report
from .report_json import document as document
from .resolve import find_target as find_target, is_target as is_target
from .session import Session as Session, sessions_directory as sessions_directory
