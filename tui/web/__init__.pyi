# SPDX-License-Identifier: Apache-2.0
from .missing import check_extra as check_extra
from .server import serve as serve
