# SPDX-License-Identifier: Apache-2.0
from .fetched import Fetched as Fetched, fetched_by as fetched_by
from .hub import HubName as HubName
from .torchvision_weights import WeightFile as WeightFile, torchvision_files as torchvision_files
from .weights import Library as Library, Weights as Weights
