# SPDX-License-Identifier: Apache-2.0
"""What results say of entries: one store of observations, one verdict a cell, proposals that follow."""
