# SPDX-License-Identifier: Apache-2.0
from .guard import Asked as Asked, Guard as Guard
from .missing import check_extra as check_extra
from .server import serve as serve
