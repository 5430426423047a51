# SPDX-License-Identifier: Apache-2.0
"""Mistakes in manifests of op tests."""

from core.doctor.check import Check
from core.ops import MANIFEST_KIND

OP_MANIFEST = Check(MANIFEST_KIND, "a mistake in a manifest of op tests: the case, or the file, is left out")
