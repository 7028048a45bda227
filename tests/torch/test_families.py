"""Families of operations load when somebody asks for what they declare; nothing else shows whether they have."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def printed(code):
    """The lines that a new process prints."""
    ran = subprocess.run([sys.executable, "-c", code], cwd=HERE, check=True, capture_output=True, text=True)
    return ran.stdout.splitlines()


def test_the_table_of_families_is_that_of_today():
    """`python tests/torch/families.py` writes it."""
    assert printed("import families; print(families.PAGE.read_text() == families.written())") == ["True"]


ASKING = """
from funcgrad import torch
print(torch.Tensor.sort.__name__, torch.kthvalue.__name__)
print(torch.tensor([2, 1]).cumsum(0), torch.ones(2) == 1, torch.eye(2) @ torch.ones(2), torch.ones(2)[1])
print("conv2d" in dir(torch), hasattr(torch, "conv2d"), hasattr(torch, "conv9d"))
print("median" in dir(torch.Tensor), "median" in dir(torch.ones(1)), hasattr(torch.Tensor, "medians"))

class Mine(torch.Tensor):
    def quantile(self, q):
        return super().quantile(q)

print(torch.tensor([1.0, 2.0]).as_subclass(Mine).quantile(1.0))
from funcgrad.torch import *
print(logcumsumexp(zeros(1), 0), vmap.__name__)
"""


def test_names_lead_to_their_family():
    assert printed(ASKING) == [
        "sort kthvalue",
        "tensor([2, 3]) tensor([True, True]) tensor([1., 1.]) tensor(1.)",
        "True True False",
        "True True False",
        "Mine(2.)",
        "tensor([0.]) vmap",
    ]


PATCHING = """
from funcgrad import torch
torch.Tensor.sigmoid = lambda x: "mine"
torch.Tensor.argmin = None
del torch.Tensor.argmin
x = torch.zeros(1)
print(x.sigmoid(), torch.sigmoid(x), x.sigmoid(), x.relu())
print(torch.argmin(x), x.argmax(), hasattr(x, "argmin"))
"""


def test_what_a_program_puts_in_the_place_of_a_method_stays():
    assert printed(PATCHING) == ["mine tensor([0.5000]) mine tensor([0.])", "tensor(0) tensor(0) False"]


RECORDING = """
from funcgrad import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
g, = torch.autograd.grad((x.mean() * x.sigmoid()).sum(), x, create_graph=True)
print(g.grad_fn.name(), sorted(f.name() for f, _ in g.grad_fn.next_functions))
"""
TRANSFORMING = """
from funcgrad import torch
from funcgrad.torch.autograd import forward_ad
with forward_ad.dual_level():
    dual = forward_ad.make_dual(torch.ones(2), torch.ones(2))
    print(forward_ad.unpack_dual((dual * dual).sum()).tangent)
print(torch.func.vmap(lambda t: t.max())(torch.eye(2)))
"""


def test_derivatives_of_derivatives_record_what_no_program_named():
    """The names of nodes, and formulas, come from families that the program does not ask for."""
    assert printed(RECORDING) == ["AddBackward0 ['DivBackward1', 'SigmoidBackwardBackward0']"]
    assert printed(TRANSFORMING) == ["tensor(4.)", "tensor([1., 1.])"]


UNFINISHED = """
import sys, types
from funcgrad import torch
from funcgrad.torch.declare.op import announce
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.tensor.operation import ambiguous
sys.modules["unfinished"] = types.ModuleType("unfinished")
announce("unfinished", ["f"], ["f"])
for there in (torch, torch.Tensor):
    try:
        there.f
    except (AttributeError, KeyError) as error:
        print(type(error).__name__, error)
complete()
print(ambiguous)
"""


def test_asking_while_a_family_is_being_loaded_is_an_error():
    assert printed(UNFINISHED) == [
        "KeyError 'f'",
        "AttributeError unfinished is being loaded and has not declared 'f' yet",
        "set()",
    ]
