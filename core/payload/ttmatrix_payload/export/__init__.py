# SPDX-License-Identifier: Apache-2.0
"""Export a loader's model as graphs and programs, or as code that Tenstorrent's plugin generates.

Put the directory that holds this package on the import path; the files beside it are used too. Each of its modules is
imported by its own name: `files` needs the standard library only, `pytorch` torch, and `jax_models` jax.
"""
