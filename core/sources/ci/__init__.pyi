# SPDX-License-Identifier: Apache-2.0
from .jobs import Jobs as Jobs, read_jobs as read_jobs, scheduled as scheduled
from .presets import Job as Job
from .runner import (
    CONFTEST as CONFTEST,
    DURATIONS as DURATIONS,
    LB_BLACKHOLE as LB_BLACKHOLE,
    read_durations as read_durations,
    read_skip_prefixes as read_skip_prefixes,
)
from .triggers import Trigger as Trigger
