# SPDX-License-Identifier: Apache-2.0
from .boards import Boards as Boards, boards_here as boards_here
from .check import (
    PATIENCE as PATIENCE,
    Expected as Expected,
    HostReport as HostReport,
    check_command as check_command,
    check_hosts as check_hosts,
    remedy_for_ssh as remedy_for_ssh,
    report_of as report_of,
)
from .hosts_file import (
    change_hosts as change_hosts,
    chosen_hosts as chosen_hosts,
    read_hosts as read_hosts,
    with_host as with_host,
    without_host as without_host,
)
from .machine import HostsFile as HostsFile
from .model import (
    DEVICE_NODES as DEVICE_NODES,
    Host as Host,
    Lease as Lease,
    lease_here as lease_here,
    parse_end as parse_end,
    time_text as time_text,
)
from .reservations import imported as imported, parse_reservations as parse_reservations
from .ssh import forward_command as forward_command, shell_text as shell_text
