# SPDX-License-Identifier: Apache-2.0
from .differing import (
    Difference as Difference,
    FieldChange as FieldChange,
    Moment as Moment,
    Touched as Touched,
    difference as difference,
    lowers_gate as lowers_gate,
    touched as touched,
)
from .expectations import alike as alike, entry_words as entry_words, status_words as status_words
from .in_subprocess import (
    difference_elsewhere as difference_elsewhere,
    pending_text_elsewhere as pending_text_elsewhere,
    pull_request_elsewhere as pull_request_elsewhere,
)
from .moving import moves as moves
from .new_findings import (
    check_against as check_against,
    read_base as read_base,
)
from .pull_requests import (
    PullRequest as PullRequest,
    composed_pull_request as composed_pull_request,
    pending_pull_request as pending_pull_request,
    pull_request_of as pull_request_of,
)
from .ranges import Span as Span, span as span, span_of_models as span_of_models
from .state import State as State, States as States, code_diff as code_diff
from .telling import (
    Item as Item,
    Section as Section,
    expectations_path as expectations_path,
    files_beside as files_beside,
    headline as headline,
    of_every_test as of_every_test,
    preset_path as preset_path,
    sections as sections,
)
