# SPDX-License-Identifier: Apache-2.0
from .cache_file import Late as Late, load as load, store as store
from .columns import Column as Column, FlagColumn as FlagColumn, packed as packed
from .detail import Detail as Detail, describe as describe, fetched_of as fetched_of
from .effective import (
    DEFAULTS as DEFAULTS,
    SWITCHES as SWITCHES,
    UNWRITTEN as UNWRITTEN,
    acting as acting,
    as_status as as_status,
    differing as differing,
    marked_archs as marked_archs,
    raw_value as raw_value,
    resolve as resolve,
    said_default as said_default,
    status_on as status_on,
    supported_archs as supported_archs,
    supports as supports,
    text_of as text_of,
    texts as texts,
    values_on as values_on,
    with_fields as with_fields,
    written as written,
)
from .extension import (
    with_other_rows as with_other_rows,
    with_placeholder_rows as with_placeholder_rows,
    with_rows_at_once as with_rows_at_once,
)
from .field_rules import LISTS as LISTS, RULES as RULES, is_flag as is_flag
from .indexing import cells_of as cells_of, index as index, read_and_join as read_and_join
from .lookup import check_function as check_function, named as named, resolve_id as resolve_id
from .matrix import NO_ARCH as NO_ARCH, Matrix as Matrix, Universe as Universe, Written as Written
from .op_rows import LEVELS as LEVELS, JobOfRow as JobOfRow, OtherRows as OtherRows
from .row_kinds import (
    BENCHMARK_KIND as BENCHMARK_KIND,
    DEVICE_RUN as DEVICE_RUN,
    HANDWRITTEN_KIND as HANDWRITTEN_KIND,
    KINDS as KINDS,
    MODEL_KIND as MODEL_KIND,
    OP_KIND as OP_KIND,
    PLACEHOLDER_KIND as PLACEHOLDER_KIND,
    REPORTED_KIND as REPORTED_KIND,
    RUN as RUN,
    USUAL_KIND as USUAL_KIND,
    OwnColumn as OwnColumn,
    OwnLayout as OwnLayout,
    all_kinds as all_kinds,
    row_id as row_id,
    row_kind as row_kind,
)
from .universe import Member as Member
