"""`torch.autograd`: gradients of tensors."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.autograd import forward_ad as forward_ad
from funcgrad.torch.autograd import function as function
from funcgrad.torch.autograd import functional as functional
from funcgrad.torch.autograd import grad_mode as grad_mode
from funcgrad.torch.autograd import graph as graph
from funcgrad.torch.autograd import profiler as profiler
from funcgrad.torch.autograd import variable as variable
from funcgrad.torch.autograd.backward import backward as backward
from funcgrad.torch.autograd.backward import grad as grad
from funcgrad.torch.autograd.function import Function as Function
from funcgrad.torch.autograd.function import NestedIOFunction as NestedIOFunction
from funcgrad.torch.autograd.grad_mode import enable_grad as enable_grad
from funcgrad.torch.autograd.grad_mode import inference_mode as inference_mode
from funcgrad.torch.autograd.grad_mode import no_grad as no_grad
from funcgrad.torch.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from funcgrad.torch.autograd.grad_mode import set_multithreading_enabled as set_multithreading_enabled
from funcgrad.torch.autograd.gradcheck import gradcheck as gradcheck
from funcgrad.torch.autograd.gradcheck import gradgradcheck as gradgradcheck
from funcgrad.torch.autograd.variable import Variable as Variable
from funcgrad.torch.tensor.anomaly_mode import detect_anomaly as detect_anomaly
from funcgrad.torch.tensor.anomaly_mode import set_detect_anomaly as set_detect_anomaly

publish(__name__, forward_ad, function, functional, grad_mode, graph, profiler, variable)
