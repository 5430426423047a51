# SPDX-License-Identifier: Apache-2.0
"""Run a JAX loader's model on the CPU and on a PJRT device, and compare: what upstream's JAX testers do.

Imports the standard library, jax, and flax for models that use it; the skeleton of a run and comparisons come from
`execute`, which imports torch. Put the directory that holds this package on the import path.

    from ttmatrix_payload.jax.devices import Pjrt
    Pjrt.prepare()                        # before anything imports jax
    from ttmatrix_payload.execute import execute, skip_reason
    backend = Pjrt()
    if (reason := skip_reason(settings, backend)) is None:
        execution = execute(loader, settings, backend, stage)
"""
