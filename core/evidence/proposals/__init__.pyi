# SPDX-License-Identifier: Apache-2.0
from .causes import (
    URGENCY as URGENCY,
    Cause as Cause,
    CauseKind as CauseKind,
)
from .group_edits import GroupEdit as GroupEdit, edited as edited, reasons_of as reasons_of
from .inbox import (
    Concern as Concern,
    InboxItem as InboxItem,
    change_of as change_of,
    decided as decided,
    new_change as new_change,
    note_of as note_of,
    pending_change as pending_change,
)
from .op_rules import propose_for_cases as propose_for_cases
from .proposal import (
    NotProposed as NotProposed,
    Proposal as Proposal,
    propose as propose,
)
from .reruns import (
    CellRuns as CellRuns,
    lacking as lacking,
    lacking_results as lacking_results,
    plan_reruns as plan_reruns,
)
from .schedule_marker import (
    schedule_markers as schedule_markers,
    with_schedule_markers as with_schedule_markers,
)
from .shared import Shared as Shared, shared_by as shared_by
from .worklist_reader import (
    CaseEvidence as CaseEvidence,
    Progress as Progress,
    Worklist as Worklist,
    WorklistReader as WorklistReader,
    worked_out as worked_out,
)
