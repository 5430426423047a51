# SPDX-License-Identifier: Apache-2.0
from .change import (
    BaseEntry as BaseEntry,
    Change as Change,
    Decision as Decision,
    Pending as Pending,
    causes_of as causes_of,
    evidence_of as evidence_of,
    proposed as proposed,
)
from .conflict import Conflict as Conflict, Take as Take, conflicts as conflicts
from .events import Rebased as Rebased
from .groups import SEVERAL as SEVERAL, ChangeGroup as ChangeGroup, GroupBy as GroupBy, group_changes as group_changes
from .journal import journal_texts as journal_texts
from .proposals import (
    ProposalFile as ProposalFile,
    ProposedChange as ProposedChange,
    RebasedProposals as RebasedProposals,
    parse_proposals as parse_proposals,
    rebased_proposals as rebased_proposals,
)
from .workbench import Workbench as Workbench
