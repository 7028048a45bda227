"""The tensor and its history: nodes, operations, views, writing in place, saved values, the backward walk."""
