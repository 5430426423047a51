# SPDX-License-Identifier: Apache-2.0
from .launch import cancel_all as cancel_all, launch_all as launch_all, tend as tend, wait as wait
