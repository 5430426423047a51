# SPDX-License-Identifier: Apache-2.0
from .batch import (
    OpOptions as OpOptions,
    OpResult as OpResult,
    invalid_cases as invalid_cases,
    op_request as op_request,
    op_result as op_result,
    plan_op_launch as plan_op_launch,
)
from .bisection import (
    BACKENDS as BACKENDS,
    BisectRequest as BisectRequest,
    bisect as bisect,
    bisection_lines as bisection_lines,
    sparkline as sparkline,
)
from .case_detail import (
    Tensor as Tensor,
    Value as Value,
    case_lines as case_lines,
    describe_case as describe_case,
    raises_text as raises_text,
    tensor_text as tensor_text,
    value_text as value_text,
)
from .chisel import read_chisel as read_chisel
from .extraction import (
    LEVELS as LEVELS,
    extract as extract,
    save_extracted as save_extracted,
)
from .findings import (
    MANIFEST_KIND as MANIFEST_KIND,
    manifest_findings as manifest_findings,
    problem_text as problem_text,
)
from .linking import (
    JoinedResult as JoinedResult,
    OpsOfModel as OpsOfModel,
    models_called as models_called,
    ops_of_model as ops_of_model,
)
from .metrics import Counts as Counts, Metrics as Metrics, measure as measure
from .op_by_op import (
    OpByOp as OpByOp,
    chisel_file as chisel_file,
    failed_op as failed_op,
    read_op_by_op as read_op_by_op,
)
from .op_tests import (
    OpCase as OpCase,
    OpTests as OpTests,
    case_key as case_key,
    computes_nothing as computes_nothing,
    deduplicated as deduplicated,
    read_op_tests as read_op_tests,
    skips as skips,
)
from .rows import read_op_rows as read_op_rows, with_cached_ops as with_cached_ops, with_ops as with_ops
from .tabulation import (
    default_backend as default_backend,
    expectation as expectation,
)
from .written import written_cases as written_cases
