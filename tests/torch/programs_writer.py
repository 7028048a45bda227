"""Writes random programs, line by line, from the operations in programs_operations.txt."""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from programs_compare import Step, is_leaf, largest

SIZES = [
    (),
    (),
    (1,),
    (2,),
    (3,),
    (4,),
    (2, 3),
    (3, 2),
    (3, 3),
    (1, 3),
    (2, 1),
    (2, 2),
    (2, 2, 3),
    (2, 1, 3),
    (0,),
    (2, 0),
]
SCALARS = ["0", "1", "2", "-1", "3", "0.5", "2.0", "-1.5", "1.0", "0.0", "True"]
DTYPES = ["float32", "float64", "int64", "int32", "bool", "float64", "uint8"]


def read_templates() -> tuple[dict[str, list[str]], dict[str, int]]:
    """The templates of each category, and the weights of the categories."""
    templates: dict[str, list[str]] = defaultdict(list)
    weights: dict[str, int] = {}
    category = ""
    for line in Path(__file__).with_name("programs_operations.txt").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(.+): (\d+)\]", line):
            category = heading[1]
            weights[category] = int(heading[2])
        elif line and not line.startswith("#"):
            templates[category].append(line)
    return templates, weights


TEMPLATES, WEIGHTS = read_templates()


class Writer:
    """Draws the next line of a program from the tensors that it has so far.

    Arguments:
        rng: the source of all choices.
        torch: the reference, whose tensors are in `names`.
        only: parts of templates; if given, half the lines are drawn from the templates that contain one.
    """

    def __init__(self, rng: random.Random, torch: ModuleType, only: list[str] | None = None) -> None:
        self.rng, self.torch = rng, torch
        self.names: dict[str, Any] = {}
        self.count = 0
        self.no_grad_lines = 0  # how many more lines the current no_grad section has
        self.subject = ""  # the expression of the tensor that {dim}, {mask} ... are about
        self.dim_of_subject = -1
        self.length_of_which = 1
        self.float_dtype = rng.choice(["float32", "float64", "float64", "float64"])
        self.half = rng.random() < 0.3  # float16 or complex numbers: both together would give complex32
        self.templates = {
            category: [each for each in templates if not re.search("complex|cdouble" if self.half else "half", each)]
            for category, templates in TEMPLATES.items()
        }
        self.favourites = [
            (category, template)
            for category, templates in self.templates.items()
            for template in templates
            if any(part in template for part in only or [])
        ]

    # -- lines

    def leaf(self) -> Step:
        kind = self.rng.choice([*"ffffffffffffib", "h" if self.half else "c"])
        dtype = {"i": "int64", "b": "bool", "c": "complex128", "h": self.rng.choice(["float16", "bfloat16"])}
        dtype = dtype.get(kind, self.float_dtype)
        grad = ", requires_grad=True" if kind not in "ib" and self.rng.random() < 0.75 else ""
        values = self.literal_values(self.rng.choice(SIZES), dtype)
        return Step("torch.tensor", f"{self.new()} = torch.tensor({values}, dtype=torch.{dtype}{grad})")

    def step(self) -> Step:
        if self.favourites and self.rng.random() < 0.5:
            category, template = self.rng.choice(self.favourites)
        else:
            category = self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            template = self.rng.choice(self.templates[category])
        self.subject = ""
        text = re.sub(r"\{(\w+)\}", lambda match: getattr(self, f"draw_{match[1]}")(), template)
        if template.startswith("torch.") and template.count("(") == 1 and "out=" not in template:
            text = self.as_method(text)
        if category == "reduce to two":
            text = f"{self.new()}, {self.new()} = {text}"
        elif category != "in place":
            text = f"{self.new()} = {text}"
        if self.no_grad_lines == 0 and self.rng.random() < 0.05:
            self.no_grad_lines = self.rng.randint(1, 3)
        if self.no_grad_lines:
            self.no_grad_lines -= 1
            text = f"with torch.no_grad(): {text}"
        return Step(template, text, in_place=category == "in place")

    def finish(self) -> list[Step]:
        """Gradients of weighted sums of squares of some of the tensors: one by one, or of all with second order."""
        inputs = [name for name, x in self.tensors() if is_leaf(x) and x.requires_grad]
        outputs = [name for name, x in self.tensors() if not is_leaf(x) and x.requires_grad]
        self.rng.shuffle(outputs)
        losses = []
        for name in outputs[:4]:
            x = self.names[name]
            weights = f"torch.linspace(-1, 2, {x.numel()}, dtype=torch.float64).reshape({tuple(x.shape)})"
            square = f"({name} * {name}.conj()).real" if x.is_complex() else f"{name} * ({name} + 1)"
            losses.append(f"({square} * {weights}).sum()")
        if not losses or not inputs:
            return []
        if self.rng.random() < 0.6:
            steps = []
            for loss in losses:
                steps += [Step("loss", f"loss = {loss}"), Step("backward", "loss.backward(retain_graph=True)")]
            return [*steps, Step("backward", "loss.backward()"), Step("backward", "loss.backward()")]
        first = ", ".join(f"g{k}" for k in range(len(inputs)))
        second = ", ".join(f"h{k}" for k in range(len(inputs)))
        asked = f"[{', '.join(inputs)}]"
        squares = " + ".join(f"(0 if g{k} is None else (g{k} * g{k}.conj()).real.sum())" for k in range(len(inputs)))
        return [
            Step("loss", f"loss = {' + '.join(losses)}"),
            Step("grad", f"{first}, = torch.autograd.grad(loss, {asked}, create_graph=True, allow_unused=True)"),
            Step("second", f"{second}, = torch.autograd.grad({squares}, {asked}, allow_unused=True)"),
        ]

    def as_method(self, text: str) -> str:
        """Half the time, torch.f(x, y) as x.f(y)."""
        match = re.fullmatch(r"torch\.(\w+)\((v\d+)(?:, (.+))?\)", text)
        if match is None or not hasattr(self.torch.Tensor, match[1]) or self.rng.random() < 0.5:
            return text
        return f"{match[2]}.{match[1]}({match[3] or ''})"

    def new(self) -> str:
        self.count += 1
        return f"v{self.count - 1}"

    # -- tensors

    def tensors(self) -> list[tuple[str, Any]]:
        return [(name, x) for name, x in self.names.items() if isinstance(x, self.torch.Tensor)]

    def choose(self, suits: Callable[[Any], bool]) -> str | None:
        """A tensor that suits, later ones more often, without huge values or nan if there is a choice."""
        names = [name for name, x in self.tensors() if suits(x)]
        if not names:
            return None
        for _ in range(4):
            name = self.rng.choice(names[-6:] if self.rng.random() < 0.7 else names)
            if largest(self.names[name]) < 100:
                break
        return name

    def about(self, expression: str) -> str:
        self.subject, self.dim_of_subject = expression, -1
        return expression

    def shape(self) -> tuple[int, ...]:
        return tuple(self.value().shape)

    def value(self) -> Any:
        with self.torch.no_grad():
            return eval(self.subject, {"torch": self.torch}, self.names)

    def draw_x(self) -> str:
        return self.about(self.choose(lambda x: True) or self.literal((2,)))

    def draw_f(self) -> str:
        if self.rng.random() < 0.04:
            return self.draw_x()
        return self.about(self.choose(lambda x: x.is_floating_point()) or self.literal((2,)))

    def draw_t(self) -> str:
        """The target of an in-place operation: mostly no leaf that requires grad, for these only raise."""
        careful = self.rng.random() < 0.9

        def suits(x: Any) -> bool:
            if careful and any(is_leaf(y) and y.requires_grad for y in (x, x._base)):
                return False
            return x.is_floating_point() or self.rng.random() < 0.1

        return self.about(self.choose(suits) or self.choose(lambda x: True) or self.literal((2,)))

    def draw_tq(self) -> str:
        name = self.choose(lambda x: x.dim() == 2 and x.shape[0] == x.shape[1] and not is_leaf(x))
        return self.about(name or self.literal((2, 2)))

    def draw_it(self) -> str:
        return self.subject

    def draw_i(self) -> str:
        name = self.choose(lambda x: x.dtype == self.torch.int64)
        return self.about(name if name and self.rng.random() < 0.6 else self.literal((2,), "int64"))

    def draw_b(self) -> str:
        return self.about(self.choose(lambda x: x.dtype == self.torch.bool) or self.literal((2,), "bool"))

    def draw_v(self) -> str:
        return self.ndim(1, "{}.reshape(-1)")

    def draw_m(self) -> str:
        return self.ndim(2, self.rng.choice(["{0}.reshape(1, -1)", "{0}.reshape(-1, 1)"]))

    def draw_t3(self) -> str:
        return self.ndim(3, "{}.reshape(1, 1, -1)")

    def draw_q(self) -> str:
        name = self.choose(lambda x: x.dim() == 2 and x.shape[0] == x.shape[1] and x.is_floating_point())
        return self.about(name or self.literal((2, 2)))

    def draw_inner(self) -> str:
        """What the subject can be multiplied by as a matrix or vector."""
        return self.draw_m() if self.rng.random() < 0.5 else self.draw_v()

    def ndim(self, n: int, otherwise: str) -> str:
        """A tensor of n dimensions; in a product, one that fits what came before."""
        before = self.value() if self.subject else None
        inner = before.shape[-1] if before is not None and before.dim() else None

        def fits(x: Any) -> bool:
            if x.dim() != n or not x.is_floating_point():
                return False
            return before is None or (x.shape[-min(n, 2)] == inner and x.dtype == before.dtype)

        name = self.choose(fits)
        if name is None and inner is not None and self.rng.random() < 0.9:
            dtype = str(before.dtype).removeprefix("torch.")
            return self.about(self.literal((inner,) if n == 1 else (2, inner, 2)[-n:], dtype))
        name = name or self.choose(lambda x: x.dim() == n and x.is_floating_point())
        return self.about(name or otherwise.format(self.choose(lambda x: x.is_floating_point()) or self.literal((3,))))

    # -- operands

    def draw_other(self) -> str:
        return self.draw_scalar() if self.rng.random() < 0.3 else self.draw_like()

    def draw_like(self) -> str:
        """A tensor that broadcasts with the subject."""
        shape = self.shape()
        if self.rng.random() < 0.03:
            return self.choose(lambda x: True) or "2"
        if self.rng.random() < 0.75:
            name = self.choose(lambda x: broadcasts(shape, tuple(x.shape)))
            if name is not None:
                return name
        cut = shape[self.rng.randint(0, len(shape)) :] if shape else ()
        return self.literal(tuple(1 if self.rng.random() < 0.2 else n for n in cut))

    def draw_into(self) -> str:
        """An operand that broadcasts to the shape of the subject."""
        shape = self.shape()
        if self.rng.random() < 0.4:
            return self.draw_scalar()
        name = self.choose(lambda x: broadcasts(shape, tuple(x.shape), into=True))
        return name or self.literal(shape)

    def draw_same(self) -> str:
        shape, dtype = self.shape(), self.value().dtype
        name = self.choose(lambda x: tuple(x.shape) == shape and x.dtype == dtype)
        if name is not None and (name != self.subject or self.rng.random() < 0.1):
            return name
        return self.literal(shape, str(dtype).removeprefix("torch."))

    def draw_mask(self) -> str:
        if not self.subject:
            self.draw_x()
        return f"({self.subject} {self.rng.choice(['>', '<', '!='])} {self.rng.choice(['0', '0.5', '1'])})"

    def draw_pick(self) -> str:
        """An index of the shape of the subject along the dimension that was drawn."""
        shape = self.shape()
        limit = shape[self.dim_of_subject] if shape else 1
        return f"torch.tensor({nested(shape, lambda: str(self.rng.randrange(max(limit, 1))))}, dtype=torch.int64)"

    def draw_which(self) -> str:
        shape = self.shape()
        limit = shape[self.dim_of_subject] if shape else 1
        self.length_of_which = self.rng.randint(1, 3) if limit else 0
        return f"torch.tensor({[self.rng.randrange(limit) for _ in range(self.length_of_which)]}, dtype=torch.int64)"

    def draw_part(self) -> str:
        """A tensor to put where {which} says."""
        shape = list(self.shape())
        if shape:
            shape[self.dim_of_subject] = self.length_of_which
        return self.literal(tuple(shape), str(self.value().dtype).removeprefix("torch."))

    def draw_part0(self) -> str:
        """A tensor, or number, to put in place of x[0]."""
        shape = self.shape()[1:]
        suitable = self.choose(lambda x: broadcasts(shape, tuple(x.shape), into=True) and x.is_floating_point())
        return suitable or self.literal(shape, str(self.value().dtype).removeprefix("torch."))

    def literal(self, shape: tuple[int, ...], dtype: str | None = None) -> str:
        dtype = dtype or self.float_dtype
        return f"torch.tensor({self.literal_values(shape, dtype)}, dtype=torch.{dtype})"

    def literal_values(self, shape: tuple[int, ...], dtype: str) -> str:
        """Half the time multiples of 1/4, so that ties and exact zeros occur."""
        coarse = self.rng.random() < 0.5

        def value() -> str:
            if dtype == "bool":
                return self.rng.choice(["True", "False"])
            if "int" in dtype:
                return str(self.rng.randint(0, 3))
            number = self.rng.randint(-8, 8) / 4 if coarse else round(self.rng.uniform(-2, 2), 3)
            return f"{number}{self.rng.choice('+-')}0.5j" if "complex" in dtype else str(number)

        return nested(shape, value)

    # -- arguments

    def draw_scalar(self) -> str:
        return self.rng.choice(SCALARS)

    def draw_positive(self) -> str:
        return self.rng.choice(["0.25", "1", "2", "1.5"])

    def draw_small(self) -> str:
        return self.rng.choice(["0", "1", "1", "2", "2", "3", "-1"])

    def draw_bool(self) -> str:
        return self.rng.choice(["True", "False"])

    def draw_dtype(self) -> str:
        return "torch." + self.rng.choice(DTYPES + ["float16"] * self.half)

    def draw_size(self) -> str:
        return str(self.rng.choice(SIZES))

    def draw_dim(self) -> str:
        n = len(self.shape())
        if n == 0 or self.rng.random() < 0.02:
            return self.rng.choice(["0", "-1", "0", "1", "2"])
        self.dim_of_subject = self.rng.randrange(-n, n)
        return str(self.dim_of_subject)

    def draw_at(self) -> str:
        shape = self.shape()
        n = shape[self.dim_of_subject] if shape else 0
        return str(self.rng.randrange(-n, n)) if n and self.rng.random() < 0.95 else "1"

    def draw_dims(self) -> str:
        n = len(self.shape())
        return str(tuple(self.rng.sample(range(n), self.rng.randint(0, n))))

    def draw_perm(self) -> str:
        n = len(self.shape())
        return str(tuple(self.rng.sample(range(n), n)))

    def draw_shape(self) -> str:
        """A shape of as many elements as the subject has; now and then of others."""
        n = math.prod(self.shape())
        choices = [(n,), (-1,), (1, n), (n, 1), *((k, n // k) for k in (2, 3, 4) if n % k == 0), (2, -1), (n, -1), (5,)]
        return str(self.rng.choice(choices))

    def draw_bigger(self) -> str:
        """A shape that the subject can be expanded to; now and then one that it cannot."""
        shape = [self.rng.choice([1, 2, 3]) if n == 1 else self.rng.choice([n, n, n, -1]) for n in self.shape()]
        return str(tuple([self.rng.choice([1, 2])] * self.rng.randint(0, 1) + shape))

    def draw_index(self) -> str:
        items = []
        for n in self.shape():
            draw = self.rng.random()
            if draw < 0.3 and n:
                items.append(str(self.rng.randrange(-n, n)))
            elif draw < 0.75:
                items.append(self.rng.choice([":", "1:", ":1", "::2", ":-1", "0:2", "-1:", "5:"]))
            elif draw < 0.85 and n:
                items.append(str([self.rng.randrange(-n, n) for _ in range(2)]))
            elif draw < 0.92:
                items.append(f"None, {self.rng.choice([':', '0'])}")
            else:
                items.append("...")
                break
        return ", ".join(items) or self.rng.choice(["...", "None", "()", "True", "0"])


def nested(shape: tuple[int, ...], value: Callable[[], str]) -> str:
    if not shape:
        return value()
    return f"[{', '.join(nested(shape[1:], value) for _ in range(shape[0]))}]"


def broadcasts(a: tuple[int, ...], b: tuple[int, ...], into: bool = False) -> bool:
    """Whether shapes a and b broadcast; with into, whether b broadcasts to a."""
    if into and len(b) > len(a):
        return False
    pairs = zip(reversed(a), reversed(b), strict=False)
    return all(m == n or n == 1 or (m == 1 and not into) for m, n in pairs)
