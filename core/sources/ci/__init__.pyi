# SPDX-License-Identifier: Apache-2.0
from .jobs import Jobs as Jobs, read_jobs as read_jobs, scheduled as scheduled
from .outputs import ReadOutput as ReadOutput, called_workflow as called_workflow
from .preset_text import WrittenObject as WrittenObject, written_objects as written_objects
from .presets import Job as Job, Preset as Preset, presets_at as presets_at, read_presets as read_presets
from .runner import (
    CONFTEST as CONFTEST,
    DURATIONS as DURATIONS,
    LB_BLACKHOLE as LB_BLACKHOLE,
    read_durations as read_durations,
    read_skip_prefixes as read_skip_prefixes,
)
from .triggers import (
    UPLIFTS as UPLIFTS,
    Trigger as Trigger,
    cadence_of as cadence_of,
    cadence_text as cadence_text,
    presets_of_uplifts as presets_of_uplifts,
)
from .workflows import Workflow as Workflow, read_workflows as read_workflows
