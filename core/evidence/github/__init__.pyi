# SPDX-License-Identifier: Apache-2.0
from .actions import Actions as Actions, Wanted as Wanted
from .fetch import Gathered as Gathered, fetch_reports as fetch_reports
from .transport import Transport as Transport, find_token as find_token
