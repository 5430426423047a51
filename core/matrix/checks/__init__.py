# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a checkout: each module looks for one kind of mistake and knows nothing of the others."""
