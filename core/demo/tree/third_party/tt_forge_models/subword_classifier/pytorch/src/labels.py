# SPDX-License-Identifier: Apache-2.0
"""Names of the classes, and how they are written for people."""

try:
    from packaging.utils import canonicalize_name as readable
except ImportError:

    def readable(label: str) -> str:
        """The label as it is: the package from requirements.txt is not installed."""
        return label


LABELS = ("Bug_Report", "Feature_Request", "Support_Question")
