# SPDX-License-Identifier: Apache-2.0
from .code import code_diff as code_diff, touched as touched
from .differing import (
    Difference as Difference,
    FieldChange as FieldChange,
    LoaderChange as LoaderChange,
    Moment as Moment,
    Pin as Pin,
    RealPlaceholder as RealPlaceholder,
    difference as difference,
    findings_between as findings_between,
    lowers_gate as lowers_gate,
)
from .elsewhere import (
    difference_elsewhere as difference_elsewhere,
    pull_request_elsewhere as pull_request_elsewhere,
)
from .jobs import JobChange as JobChange, Left as Left
from .new_findings import (
    Base as Base,
    Checked as Checked,
    check_against as check_against,
    read_base as read_base,
)
from .pull_requests import PullRequest as PullRequest, pull_request_of as pull_request_of
from .ranges import Span as Span, of_changes as of_changes, since as since, span as span
from .renaming import Rename as Rename
from .state import State as State, States as States
from .telling import Item as Item, Section as Section, sections as sections
