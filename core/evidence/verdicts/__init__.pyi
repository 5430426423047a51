# SPDX-License-Identifier: Apache-2.0
from .gaps import Absence as Absence, Absent as Absent, Missing as Missing
from .matrix import Verdicts as Verdicts
from .op_cases import (
    OpVerdicts as OpVerdicts,
    newest_by_backend as newest_by_backend,
    results_that_count as results_that_count,
)
from .policy import (
    REPOSITORY_FILES as REPOSITORY_FILES,
    LoadedPolicy as LoadedPolicy,
    Policy as Policy,
    find_policy as find_policy,
    policy_text as policy_text,
)
from .saved import SavedVerdicts as SavedVerdicts
from .seen import MODEL_TESTS as MODEL_TESTS
from .verdict import (
    NO_DIFFERENCE as NO_DIFFERENCE,
    Direction as Direction,
    Judgement as Judgement,
    Verdict as Verdict,
    allowed as allowed,
    judge_alone as judge_alone,
    newest_level as newest_level,
    stage_of as stage_of,
)
