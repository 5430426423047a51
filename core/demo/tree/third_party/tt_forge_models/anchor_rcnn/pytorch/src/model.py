# SPDX-License-Identifier: Apache-2.0
"""One box and one label per image: enough to have the two faces of a detector, losses and detections."""

from typing import Optional

import torch
from torch import nn


class AnchorRcnn(nn.Module):
    """[batch, 3, height, width] to detections; in training, with targets, to a dictionary of losses."""

    def __init__(self, depth: int, width: int = 8, classes: int = 4):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.backbone = nn.Sequential(*(nn.Conv2d(width, width, 3, padding=1) for _ in range(depth)))
        self.box = nn.Linear(width, 4)
        self.label = nn.Linear(width, classes)

    def forward(self, images: torch.Tensor, targets: Optional[list[dict[str, torch.Tensor]]] = None):
        if self.training and targets is None:
            raise AssertionError("targets should not be none when in training mode")
        pooled = torch.relu(self.backbone(torch.relu(self.stem(images)))).mean(dim=(2, 3))
        boxes, scores = self.box(pooled), self.label(pooled)
        if not self.training:
            return [{"boxes": box[None], "scores": score[None]} for box, score in zip(boxes, scores)]
        wanted = torch.stack([target["boxes"][0] for target in targets]).to(boxes.dtype)
        labels = torch.stack([target["labels"][0] for target in targets])
        return {
            "loss_box_reg": nn.functional.smooth_l1_loss(boxes, wanted),
            "loss_classifier": nn.functional.cross_entropy(scores, labels),
        }
