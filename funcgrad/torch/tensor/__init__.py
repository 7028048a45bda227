"""The tensor and its history: nodes, operations, views, writing in place, saved values, the backward walk.

The spine, in which each module imports only from those before it: node, tensor, values, operation, views, saved,
run_node, engine, inplace. Each installs its own methods on Tensor and Node (see `members`); those that nobody imports
for anything else are imported here.
"""

from funcgrad.torch.tensor import engine as engine
from funcgrad.torch.tensor import graph_trace as graph_trace
from funcgrad.torch.tensor import history as history
from funcgrad.torch.tensor import inplace as inplace
from funcgrad.torch.tensor import text as text
