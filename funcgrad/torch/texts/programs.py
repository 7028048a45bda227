"""Words of funcgrad about programs that import torch, and of what there is not."""

TORCH_IS_THERE = (
    "funcgrad.torch cannot take the name torch: PyTorch has been imported before, from {file}. "
    "Call funcgrad.torch.install() first."
)
NEAR_NAMES = "did you mean {names}?"
NOT_OF_THE_FACE = "funcgrad.torch has no such module (docs/torch/programs.md says what it has)"
USAGE = """\
usage: python -m funcgrad.torch script.py [arguments]
       python -m funcgrad.torch -m module [arguments]
       python -m funcgrad.torch --explain [--json FILE] [--html FILE] script.py [arguments]

Runs a program whose `import torch` leads to funcgrad.torch. With --explain it says at the end what became of the
gradients: which were lost, zero, doubled, stale or not finite, by which line, and what helps.
"""
PACKAGE_WITHOUT_MAIN = "No module named {name}.__main__; '{name}' is a package and cannot be directly executed"
NO_PROGRAM = "{prog}: can't open file {file!r}: {reason}"

_NO_COMPILER = "funcgrad.torch runs functions as they are, without compiling or exporting them"
ONE_PROCESS = "funcgrad.torch runs in one process, without torch.distributed"
REFUSED_MODULES = {
    "torch.utils.tensorboard": "funcgrad.torch writes no logs for TensorBoard",
    "torch.utils.cpp_extension": "funcgrad.torch has no C++ extensions",
    "torch.utils.collect_env": "it describes an installation of PyTorch, which funcgrad.torch is not",
    "torch.utils.data.datapipes": "funcgrad.torch has no data pipes: use Dataset or IterableDataset",
    "torch.fx": _NO_COMPILER,
    "torch.export": _NO_COMPILER,
    "torch._inductor": _NO_COMPILER,
    "torch.quantization": "funcgrad.torch has no quantized tensors",
    "torch.ao": "funcgrad.torch has no quantized tensors",
    "torch.nested": "funcgrad.torch has no nested tensors",
    "torch.sparse": "funcgrad.torch has no sparse tensors",
}
"""Modules that PyTorch has, and why there are none here."""
REFUSED_NAME = "module '{module}' has no attribute '{name}': {reason}"
NO_ONNX = "funcgrad.torch writes no ONNX files"
NO_REGISTRY = "funcgrad.torch has no registry of operators: write a torch.autograd.Function"
NO_LIBRARIES = "funcgrad.torch loads no libraries that are made for PyTorch"
NO_C_LIBRARY = "funcgrad.torch has no part in C++"
NO_TORCHSCRIPT = "funcgrad.torch has no TorchScript: use torch.save and torch.load with state dicts"
NO_REPOSITORIES = (
    'funcgrad.torch fetches no repositories, of source="{source}": download the repository and use source="local"'
)
