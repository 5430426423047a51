# SPDX-License-Identifier: Apache-2.0
"""All kinds of faults, by name."""

from collections.abc import Callable

from tests.faults import facts, inputs, kinds, many_runs, outside
from tests.faults.kinds import Round

KINDS: dict[str, Callable[[Round], int]] = {
    "kill at a random time": kinds.kill_at_a_time,
    "kill at a system call": kinds.kill_at_a_call,
    "error at a system call": kinds.error_at_a_call,
    "error at a system call of git": kinds.error_in_git,
    "full disk": kinds.full_disk,
    "two instances, one killed": kinds.two_at_once,
    "a person's own git": kinds.beside_a_person,
    "clock jumps": kinds.clock_jumps,
    "variables of a calling git": outside.git_environment,
    "special files": outside.special_files,
    "a server that lies": inputs.lying_server,
    "reports of odd shapes": inputs.odd_reports,
    "absurd sizes": inputs.absurd_sizes,
    "facts that come late or fail": facts.late_facts,
    "20,000 runs in the store": many_runs.many_runs,
}
