"""The tensor and its history: nodes, operations, views, writing in place, saved values, the backward walk.

Each module imports only from those before it in this order, and installs its own methods on Tensor and Node:
members, node, tensor; values, operation; traced, views; inner_graph, history, text; saved, run_node; engine, inplace.
"""

from funcgrad.torch.tensor import engine as engine
from funcgrad.torch.tensor import history as history
from funcgrad.torch.tensor import inplace as inplace
from funcgrad.torch.tensor import text as text
