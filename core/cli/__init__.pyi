# SPDX-License-Identifier: Apache-2.0
from .dispatch import main as main
from .parser import AppRequest as AppRequest, Serve as Serve
