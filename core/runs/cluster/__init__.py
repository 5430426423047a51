# SPDX-License-Identifier: Apache-2.0
"""Runs on other machines. In: jobs, the code that they run, hosts. Out: their messages, with log and files.

It is built on dask.distributed (the extra `dask`), through ssh and with mutual TLS. Only `service`, `link`, `worker`,
`task` and `certificates` import it; they run in processes of their own.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
