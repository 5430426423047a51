# SPDX-License-Identifier: Apache-2.0
"""The former package of op tests: `plugin` is all that is left of it."""
