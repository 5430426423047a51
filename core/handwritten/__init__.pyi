# SPDX-License-Identifier: Apache-2.0
from .described import Known as Known, read_known as read_known, test_lines as test_lines
from .finding import is_place as is_place, items as items, named as named
from .planning import plan_handwritten as plan_handwritten
from .reading import read_rows as read_rows, read_tests as read_tests
from .rows import with_cached_handwritten as with_cached_handwritten, with_handwritten as with_handwritten
from .selection import jobs_by_id as jobs_by_id, jobs_of as jobs_of
