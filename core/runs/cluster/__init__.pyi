# SPDX-License-Identifier: Apache-2.0
from .code import capture as capture
from .control import take_down as take_down, take_up as take_up
from .places import portable as portable
from .status import Cluster as Cluster, ClusterStatus as ClusterStatus, HostState as HostState, HostStatus as HostStatus
from .wire import Job as Job, News as News, Request as Request, message as message, read_message as read_message
