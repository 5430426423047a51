# SPDX-License-Identifier: Apache-2.0
from .new_findings import (
    Base as Base,
    Checked as Checked,
    added_findings as added_findings,
    check_against as check_against,
    read_base as read_base,
)
from .state import State as State, States as States
