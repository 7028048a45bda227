"""Records the losses that real torch gives in the training programs.

python tests/torch/training/record.py            # all of them
python tests/torch/training/record.py gpt lstm   # these only
"""

from __future__ import annotations

import sys
import time

import torch
from programs import losses, printed, programs

RECORDED_VERSION = "2.13."


def main(names: list[str]) -> None:
    if not torch.__version__.startswith(RECORDED_VERSION):
        sys.exit(f"the recordings are of torch {RECORDED_VERSION}*, this is torch {torch.__version__}")
    unknown = set(names) - {path.stem for path in programs()}
    if unknown:
        sys.exit(f"no such program: {', '.join(sorted(unknown))}")
    for program in programs(*names):
        start = time.perf_counter()
        text = printed(program, torch)
        rows = losses(text)
        program.with_suffix(".txt").write_text(text, encoding="utf-8")
        took = time.perf_counter() - start
        print(f"{program.stem}: {len(rows)} lines, first {rows[0]}, last {rows[-1]}, {took:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
