# SPDX-License-Identifier: Apache-2.0
from .documents import (
    SHOWN_RESULTS as SHOWN_RESULTS,
    handwritten_test as handwritten_test,
    jobs_by_machine as jobs_by_machine,
    listed_cases as listed_cases,
    model_test as model_test,
    op_cases as op_cases,
    other_row as other_row,
    placeholder_row as placeholder_row,
    placeholders_with_tests as placeholders_with_tests,
    result_text as result_text,
    shown_case as shown_case,
    shown_handwritten as shown_handwritten,
    shown_row as shown_row,
)
from .finding import Found as Found, by_name as by_name, find as find, kinds as kinds
from .kind import Kind as Kind, Launch as Launch, Section as Section, Source as Source, Written as Written
from .records import (
    HandwrittenMark as HandwrittenMark,
    HandwrittenResult as HandwrittenResult,
    HandwrittenTest as HandwrittenTest,
    JobName as JobName,
    JobOfOtherRow as JobOfOtherRow,
    JobsOfHandwritten as JobsOfHandwritten,
    ModelTest as ModelTest,
    OpCase as OpCase,
    OpSkip as OpSkip,
    OpTensor as OpTensor,
    OpTensors as OpTensors,
    OpValue as OpValue,
    OtherRow as OtherRow,
    Placeholder as Placeholder,
    PlaceholderWithTests as PlaceholderWithTests,
    Row as Row,
    ShownHandwritten as ShownHandwritten,
    ShownOpCase as ShownOpCase,
    ShownOtherRow as ShownOtherRow,
)
