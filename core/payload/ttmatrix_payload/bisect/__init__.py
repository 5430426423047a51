# SPDX-License-Identifier: Apache-2.0
"""Find the op of a model that a backend computes otherwise than the CPU: reference and backend side by side.

Imports the standard library and torch, and torch_xla where that backend is used. Put the directory that holds
this package on the import path; the files beside it are used too.
"""
