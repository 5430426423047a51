# SPDX-License-Identifier: Apache-2.0
"""The sample checkout: small real models in upstream's shape, laid out as a git repository."""
