# SPDX-License-Identifier: Apache-2.0
from .start import app_problems as app_problems, open_app as open_app
