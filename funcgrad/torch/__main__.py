"""`python -m funcgrad.torch script.py`: runs a program whose `import torch` leads to funcgrad."""

from __future__ import annotations

import sys

from funcgrad.torch.programs import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
