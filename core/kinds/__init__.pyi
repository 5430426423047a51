# SPDX-License-Identifier: Apache-2.0
from .finding import Found as Found, by_name as by_name, find as find, kinds as kinds
from .kind import Kind as Kind, Launch as Launch, Section as Section, Source as Source, Written as Written
