# SPDX-License-Identifier: Apache-2.0
"""The machines that a person has. In: the hosts file, `ird list`, ssh. Out: hosts, time left, what each lacks."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
