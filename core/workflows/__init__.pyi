# SPDX-License-Identifier: Apache-2.0
from .batch import drive_all as drive_all, forget_edited as forget_edited, run_cpu_first as run_cpu_first
from .driver import (
    Blocked as Blocked,
    Progress as Progress,
    UserInput as UserInput,
    drive as drive,
    in_work_tree as in_work_tree,
    leave as leave,
    leave_all as leave_all,
    open_session as open_session,
    operations_of as operations_of,
    plan_of as plan_of,
    take as take,
    workflow_lock as workflow_lock,
)
from .loader_edits import (
    LoaderEdit as LoaderEdit,
    check_edits as check_edits,
    take_back_edits as take_back_edits,
    uncommitted_edits as uncommitted_edits,
)
from .manager import WorkflowItem as WorkflowItem, WorkflowManager as WorkflowManager, WorkflowState as WorkflowState
from .outcomes import DeviceResult as DeviceResult
from .perform import WorkflowContext as WorkflowContext
from .render import device_steps as device_steps, diff_of as diff_of, go_on as go_on, markdown as markdown
from .report import CpuLine as CpuLine, WorkflowReport as WorkflowReport
from .requests import Ask as Ask
from .resolve import find_target as find_target, is_target as is_target
from .session import (
    WorkflowSession as WorkflowSession,
    sessions_directory as sessions_directory,
)
