# SPDX-License-Identifier: Apache-2.0
from .committed import CommittedChange as CommittedChange, read_committed as read_committed
from .git import Repository as Repository
from .groups import Composition as Composition, Split as Split, compose_commits as compose_commits
from .message import (
    Evidence as Evidence,
    as_code as as_code,
    cited as cited,
    entry_row as entry_row,
    issue_url as issue_url,
    issues_in as issues_in,
    justified as justified,
    title as title,
)
from .staging import committed_texts as committed_texts
from .transaction import (
    CommitDraft as CommitDraft,
    Committed as Committed,
    Delivered as Delivered,
    commit as commit,
    deliver as deliver,
)
from .validator import Answer as Answer, Validation as Validation, ValidatorRefused as ValidatorRefused
