# SPDX-License-Identifier: Apache-2.0
from .finding import is_place as is_place, named as named, selected as selected
from .planning import plan_handwritten as plan_handwritten
from .reading import read_tests as read_tests
from .selection import jobs_of as jobs_of
