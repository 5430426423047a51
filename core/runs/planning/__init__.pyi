# SPDX-License-Identifier: Apache-2.0
from .batches import left_over as left_over, newest_batch as newest_batch
from .interpreter import Source as Source
from .kinds import CPU_PAYLOAD as CPU_PAYLOAD, DEVICE_NODES as DEVICE_NODES, KINDS as KINDS, kind_for as kind_for
from .launch_plan import (
    LaunchPlan as LaunchPlan,
    Options as Options,
    Progress as Progress,
    look_ahead as look_ahead,
    plan_launch as plan_launch,
    progress as progress,
    with_estimates as with_estimates,
)
from .plan import (
    as_batch as as_batch,
    find_interpreter as find_interpreter,
    plan_again as plan_again,
    plan_test as plan_test,
)
from .preflight_checks import (
    Level as Level,
    Surroundings as Surroundings,
    Survey as Survey,
    preflight as preflight,
    refuse as refuse,
    survey as survey,
)
