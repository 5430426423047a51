# SPDX-License-Identifier: Apache-2.0
from .server import serve as serve
