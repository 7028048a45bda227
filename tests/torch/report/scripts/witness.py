"""What can be seen of a planted script when it has run: is the bug that its first lines name really there?

python witness.py [--pytorch] [SCRIPT ...]
"""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BROKEN = sorted((HERE / "broken").glob("*.py"))
HEALTHY = sorted((HERE / "healthy").glob("*.py"))
SEVERITIES = ("loss", "zero", "stale", "doubled", "nonfinite", "error")


@dataclass
class Planted:
    """A script and what its first lines promise."""

    path: Path
    check: str
    severities: tuple[str, ...] = ()
    kind: str = ""
    variables: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Planted:
        text = path.read_text()
        check = re.search(r"^# check: (.+)$", text, re.MULTILINE)
        assert check, f"{path.name} has no line '# check: ...'"
        lines = tuple(number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# <- here"))
        expect = re.search(r"^# expect: (\S+) (\S+) (.+)$", text, re.MULTILINE)
        if expect is None:
            return cls(path, check[1], lines=lines)
        return cls(path, check[1], tuple(expect[1].split("|")), expect[2], tuple(expect[3].split(", ")), lines)


@dataclass
class Witness:
    """Runs a script and remembers what backward and the optimisers did."""

    names: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None
    output: str = ""
    backwards: Counter[int] = field(default_factory=Counter)  # by leaf
    left_over: Counter[int] = field(default_factory=Counter)  # backwards that found a gradient in the leaf
    last_step: dict[int, int] = field(default_factory=dict)  # how many backwards a leaf had seen then
    twice: Counter[int] = field(default_factory=Counter)  # steps that saw the gradient of the step before
    kept: list[Any] = field(default_factory=list)  # so that no id is given again

    def run(self, path: Path) -> Witness:
        import torch
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        original = torch.Tensor.backward

        def backward(tensor: Any, *args: Any, **options: Any) -> None:
            leaves = list(_leaves(tensor))
            self.kept += leaves
            before = [leaf.grad is not None and bool((leaf.grad != 0).any()) for leaf in leaves]
            original(tensor, *args, **options)
            for leaf, full in zip(leaves, before, strict=True):
                self.backwards[id(leaf)] += 1
                self.left_over[id(leaf)] += full

        def step(optimizer: Any, args: Any, options: Any) -> None:
            for leaf in (leaf for group in optimizer.param_groups for leaf in group["params"]):
                self.kept.append(leaf)
                seen = self.backwards[id(leaf)]
                self.twice[id(leaf)] += leaf.grad is not None and self.last_step.get(id(leaf)) == seen
                self.last_step[id(leaf)] = seen

        def leave(frame: Any, event: str, arg: Any) -> None:
            if event == "return" and frame.f_code.co_filename == str(path) and frame.f_code.co_name != "<module>":
                self.names.update(frame.f_locals)
                if frame.f_back is not None:
                    last.update(frame.f_globals)

        last: dict[str, Any] = {}
        handle = register_optimizer_step_pre_hook(step)
        torch.Tensor.backward = backward
        printed = io.StringIO()
        grad_enabled = torch.is_grad_enabled()
        try:
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sys.setprofile(leave)
                try:
                    last.update(runpy.run_path(str(path), run_name="__main__"))
                finally:
                    sys.setprofile(None)
        except Exception as error:
            self.error = error
            traceback = error.__traceback__
            while traceback is not None:
                if traceback.tb_frame.f_code.co_filename == str(path):
                    last.update(traceback.tb_frame.f_locals)
                traceback = traceback.tb_next
        finally:
            handle.remove()
            torch.Tensor.backward = original
            torch.set_grad_enabled(grad_enabled)
        self.names.update(last)
        self.output = printed.getvalue()
        return self

    def holds(self, check: str) -> bool:
        """Whether an expression over the program's names and these questions is true."""
        questions = {
            "missing": lambda *tensors: all(tensor.grad is None for tensor in tensors),
            "zero": lambda *tensors: all(bool((tensor.grad == 0).all()) for tensor in tensors),
            "nonfinite": lambda *tensors: all(
                not bool((tensor if tensor.grad is None else tensor.grad).isfinite().all()) for tensor in tensors
            ),
            "doubled": lambda *tensors: all(self.left_over[id(tensor)] > 0 for tensor in tensors),
            "reused": lambda *tensors: all(self.twice[id(tensor)] > 0 for tensor in tensors),
            "unused": lambda *tensors: all(
                self.backwards[id(tensor)] > 0 and id(tensor) not in self.last_step for tensor in tensors
            ),
            "raised": lambda words: self.error is not None and words in f"{type(self.error).__name__}: {self.error}",
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(eval(check, {**self.names, **questions}))


def _leaves(tensor: Any) -> Any:
    """The leaves that backward reaches from a tensor."""
    if tensor.is_leaf and tensor.requires_grad:
        yield tensor
    seen, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        todo += [follower for follower, _ in node.next_functions]


def witness(path: Path) -> str:
    """An empty string, or what is not as the script's first lines say."""
    planted = Planted.read(path)
    seen = Witness().run(path)
    if seen.error is not None and "raised" not in planted.check:
        return f"{type(seen.error).__name__}: {seen.error}"
    return "" if seen.holds(planted.check) else f"not so: {planted.check}\n{seen.output}"


def main(arguments: list[str]) -> int:
    if "--pytorch" in arguments:
        arguments.remove("--pytorch")
    else:
        from funcgrad import torch

        torch.install()
    wrong = 0
    for path in [Path(name).resolve() for name in arguments] or BROKEN + HEALTHY:
        said = witness(path)
        wrong += bool(said)
        print(f"{path.parent.name}/{path.name}: {said or 'so it is'}")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
