# SPDX-License-Identifier: Apache-2.0
from .command_line import main as main
from .parser import AppRequest as AppRequest
