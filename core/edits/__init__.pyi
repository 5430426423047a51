# SPDX-License-Identifier: Apache-2.0
from .apply import ABSENT as ABSENT, Present as Present, fields_after as fields_after
from .bulk import (
    absent_files as absent_files,
    combined as combined,
    listed as listed,
    with_item as with_item,
    with_operations as with_operations,
    without_item as without_item,
)
from .checks import NoOp as NoOp, no_ops as no_ops
from .corrected_manifests import corrections as corrections
from .facts import (
    MOST_GRADE as MOST_GRADE,
    CellFacts as CellFacts,
    Cited as Cited,
    CommitRange as CommitRange,
    RunFacts as RunFacts,
    evidence_lines as evidence_lines,
    grade_line as grade_line,
    with_gates as with_gates,
)
from .form_fields import (
    FormField as FormField,
    entry_fields as entry_fields,
    words as words,
)
from .forms import (
    CaseForm as CaseForm,
    EntryForm as EntryForm,
    FieldForm as FieldForm,
    proposed_cases as proposed_cases,
)
from .impact import (
    CellChange as CellChange,
    EntryChange as EntryChange,
    EntryText as EntryText,
    change_in_words as change_in_words,
    dead_overrides as dead_overrides,
    effect as effect,
    entry_texts as entry_texts,
    fields_in_words as fields_in_words,
    unknown_ids as unknown_ids,
)
from .markers import marker_doubt as marker_doubt, odd_markers as odd_markers
from .model_spellings import (
    PlannedModel as PlannedModel,
    models_named as models_named,
    nearest_models as nearest_models,
    read_models as read_models,
)
from .operations import (
    Operation as Operation,
    OpKind as OpKind,
    Rejection as Rejection,
    parse_operations as parse_operations,
    to_json as to_json,
)
from .placeholders import (
    PROMOTED_STATUSES as PROMOTED_STATUSES,
    model_tests_of as model_tests_of,
    planned_models as planned_models,
    planned_tests as planned_tests,
    promotion as promotion,
    removal as removal,
)
from .places import in_checkout as in_checkout
from .planning import (
    EditPlan as EditPlan,
    FileEdit as FileEdit,
    Planner as Planner,
    plan as plan,
    unified_diff as unified_diff,
)
from .synthesis import operations_for as operations_for
from .thresholds import retyped as retyped, sets_threshold as sets_threshold, threshold_of as threshold_of
from .word_diffs import Row as Row, Spans as Spans, word_diff as word_diff
