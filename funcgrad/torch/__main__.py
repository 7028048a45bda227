"""`python -m funcgrad.torch script.py`: runs a program whose `import torch` leads to funcgrad."""

from __future__ import annotations

import gc
import sys
from importlib import import_module

from funcgrad.torch import programs


def main(arguments: list[str]) -> int:
    """Run a program; with --explain, say what became of its gradients. Gives its exit code."""
    if arguments[:1] == ["--explain"]:
        exit_code: int = import_module("funcgrad.torch.report.command").main(arguments[1:])
        return exit_code
    return programs.main(arguments)


if __name__ == "__main__":
    gc.freeze()  # the library, which stays: collections, and the one at the end, need not look at it
    sys.exit(main(sys.argv[1:]))
