# SPDX-License-Identifier: Apache-2.0
"""The words of the domain as frozen values: ids, loaders, entries, cells, findings."""
