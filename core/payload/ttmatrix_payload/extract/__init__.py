# SPDX-License-Identifier: Apache-2.0
"""Record the op calls of a model as cases for op manifests."""
