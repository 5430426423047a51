# SPDX-License-Identifier: Apache-2.0
from .start import open_app as open_app
