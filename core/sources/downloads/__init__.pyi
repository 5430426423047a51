# SPDX-License-Identifier: Apache-2.0
from .fetched import Code as Code, Fetched as Fetched, code_of as code_of, fetched_by as fetched_by
from .hub import HubName as HubName
from .torchvision_weights import WeightFile as WeightFile, torchvision_files as torchvision_files
from .weights import Library as Library, Weights as Weights
