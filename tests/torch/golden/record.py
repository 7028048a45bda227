"""Records what real torch prints for the golden scripts.

python tests/torch/golden/record.py             # all topics
python tests/torch/golden/record.py leaf hooks  # these only
"""

from __future__ import annotations

import sys

import torch
from runner import GOLDEN, run, scripts

RECORDED_VERSION = "2.13."


def main(topics: list[str]) -> None:
    if not torch.__version__.startswith(RECORDED_VERSION):
        sys.exit(f"the recordings are of torch {RECORDED_VERSION}*, this is torch {torch.__version__}")
    unknown = [topic for topic in topics if not (GOLDEN / topic).is_dir()]
    if unknown:
        sys.exit(f"no such topic: {', '.join(unknown)}")
    paths = scripts(*topics)
    for script in paths:
        recording = script.with_suffix(".txt")
        before = recording.read_text(encoding="utf-8") if recording.exists() else None
        text = run(script, torch)
        if text != before:
            recording.write_text(text, encoding="utf-8")
            print("new    " if before is None else "changed", script.relative_to(GOLDEN).with_suffix(""))
    print(len(paths), "scripts")


if __name__ == "__main__":
    main(sys.argv[1:])
