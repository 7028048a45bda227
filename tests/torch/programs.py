"""Random programs, run line by line with real torch and with funcgrad.torch, and compared after every line.

python tests/torch/programs.py --seed 0 --count 1000             # the disagreements, grouped by operation
python tests/torch/programs.py --only cumsum,expand --count 300  # programs that use these operations often

A program is a list of lines of text. The next line is drawn while the program runs, so that it suits the shapes and
dtypes that real torch arrived at; most lines are valid, some are not, and then the errors are compared. Where the
values agree but for rounding, those of the candidate are replaced by the reference's, so that rounding neither adds up
nor decides a comparison later on.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import random
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from types import ModuleType

from programs_compare import Comparison, Disagreement, Step
from programs_writer import Writer


@contextlib.contextmanager
def without_warnings() -> Iterator[None]:
    """Those that a line gives are caught and compared; reading the results may give more."""
    with warnings.catch_warnings(action="ignore"):
        yield


@without_warnings()
def disagreements(
    seed: int,
    reference: ModuleType,
    candidate: ModuleType,
    only: list[str] | None = None,
    signed_zeros: bool = False,
) -> list[Disagreement]:
    """Writes and runs the program of a seed.

    A line of which the results differ is taken out, and the program goes on without it; it ends when an in-place
    operation differs, or a gradient.

    Arguments:
        seed: decides all choices.
        reference: the module that is right.
        candidate: the module to compare with it.
        only: parts of templates to draw from half the time.
        signed_zeros: whether 0.0 and -0.0 differ.
    """
    rng = random.Random(seed)
    writer = Writer(rng, reference, only)
    both = Comparison(reference, candidate, signed_zeros)
    program: list[Step] = []
    found: list[Disagreement] = []

    def agrees(step: Step) -> bool:
        before = set(both.spaces[0])
        difference = both.run(step)
        if difference is None:
            program.append(step)
        else:
            difference.program = [*program, step]
            found.append(difference)
            both.forget(before)
        writer.names = both.names(0)
        return difference is None

    for _ in range(rng.randint(2, 4)):
        agrees(writer.leaf())
    for _ in range(rng.randint(5, 25) if writer.tensors() else 0):
        step = writer.step()
        if not agrees(step) and step.in_place:
            return found
    all(agrees(step) for step in writer.finish())
    return found


@without_warnings()
def replay(
    program: list[Step], reference: ModuleType, candidate: ModuleType, signed_zeros: bool
) -> Disagreement | None:
    """The first disagreement of a given program."""
    both = Comparison(reference, candidate, signed_zeros)
    for position, step in enumerate(program):
        difference = both.run(step)
        if difference is not None:
            difference.program = program[: position + 1]
            return difference
    return None


def shrink(
    found: Disagreement, reference: ModuleType, candidate: ModuleType, signed_zeros: bool = False
) -> Disagreement:
    """The same disagreement in a program without the lines that it does not need."""
    for step in reversed(found.program[:-1]):
        shorter = [each for each in found.program if each is not step]
        again = replay(shorter, reference, candidate, signed_zeros)
        if again is not None and again.step is found.step and again.kind == found.kind:
            found = again
    return found


def load(name: str) -> ModuleType:
    """A module, of which the warnings that it gives once are given always."""
    module = importlib.import_module(name)
    if hasattr(module, "set_warn_always"):
        module.set_warn_always(True)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares funcgrad.torch with real torch on random programs.")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=300, help="number of programs")
    parser.add_argument("--only", default="", help="parts of operations, separated by commas, to use often")
    parser.add_argument("--show", type=int, default=1, help="scripts to show for each operation")
    parser.add_argument("--signed-zeros", action="store_true", help="0.0 and -0.0 differ")
    parser.add_argument("--reference", default="torch")
    parser.add_argument("--candidate", default="funcgrad.torch")
    options = parser.parse_args()
    reference, candidate = load(options.reference), load(options.candidate)
    only = [part for part in options.only.split(",") if part]
    groups: dict[str, list[Disagreement]] = defaultdict(list)
    for seed in range(options.seed, options.seed + options.count):
        for found in disagreements(seed, reference, candidate, only, options.signed_zeros):
            groups[found.step.template].append(found)
    for template, group in sorted(groups.items(), key=lambda item: len(item[1])):
        kinds = Counter(found.kind for found in group)
        print(f"=== {template}: {', '.join(f'{kind} {count}' for kind, count in kinds.most_common())}\n")
        shown = Counter[str]()
        for found in sorted(group, key=lambda found: len(found.program)):
            if shown[found.kind] < options.show:
                shown[found.kind] += 1
                small = shrink(found, reference, candidate, options.signed_zeros)
                print(small.script(), small, "", sep="\n")
    total = sum(map(len, groups.values()))
    print(f"{total} disagreements in {options.count} programs, in {len(groups)} operations")
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
