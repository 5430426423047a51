# SPDX-License-Identifier: Apache-2.0
"""Plugins of pytest: a live log, runs forked from one session, times of phases, compile options."""
