# SPDX-License-Identifier: Apache-2.0
from .columns import (
    assert_pcc_column as assert_pcc_column,
    entry_column as entry_column,
    family as family,
    family_column as family_column,
    field_column as field_column,
    has_column as has_column,
    llm_column as llm_column,
    own_column as own_column,
    own_flags as own_flags,
    required_pcc_column as required_pcc_column,
    variant_column as variant_column,
)
from .completion import (
    complete as complete,
    completed as completed,
    help_text as help_text,
    so_far as so_far,
    values_wanted as values_wanted,
)
from .context import Facts as Facts, Learned as Learned, Plain as Plain, Scope as Scope
from .exact import (
    MOST_NAMED as MOST_NAMED,
    beginning as beginning,
    exactly as exactly,
    named as named,
    nothing_beside as nothing_beside,
    plain as plain,
    written as written,
)
from .fields import (
    BY_NAME as BY_NAME,
    FIELDS as FIELDS,
    NONE as NONE,
    Standing as Standing,
    backends_asked as backends_asked,
    column_of as column_of,
    is_field as is_field,
    lacking_words as lacking_words,
    lens as lens,
    needs as needs,
    parsed as parsed,
    select as select,
    standing as standing,
    texts_of as texts_of,
    unread_words as unread_words,
)
from .kinds import (
    Choice as Choice,
    Field as Field,
    FromFacts as FromFacts,
    FromResults as FromResults,
    Number as Number,
    Text as Text,
    made as made,
    stored as stored,
)
from .query import Query as Query
from .terms import Node as Node
from .values import (
    TooLong as TooLong,
    by_number as by_number,
    day as day,
    days as days,
    decimal as decimal,
    time_limit as time_limit,
)
from .verdict_columns import (
    AS_EXPECTED as AS_EXPECTED,
    BACKEND as BACKEND,
    BROKE as BROKE,
    FAILED_ON as FAILED_ON,
    FIRST_BAD as FIRST_BAD,
    FIXED as FIXED,
    FLAKY as FLAKY,
    LAST as LAST,
    NIGHT as NIGHT,
    NUMBERS as NUMBERS,
    PASSED as PASSED,
    RESULT as RESULT,
    TURNED as TURNED,
    UNEXPECTED as UNEXPECTED,
    VERDICT as VERDICT,
    VerdictColumns as VerdictColumns,
    words_by_place as words_by_place,
)
