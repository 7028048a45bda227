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
import collections
import contextlib
import importlib
import math
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

# The operations, as templates. A placeholder that names a tensor ({f}, {x}, {m} ...) makes it the subject of those
# that follow it, such as {dim}. The methods of Writer of these names say what each stands for.
TEMPLATES = {
    "unary": """
        torch.abs({f}) | torch.neg({f}) | torch.exp({f}) | torch.log({f}) | torch.sqrt({f}) | torch.sin({f})
        torch.cos({f}) | torch.tan({f}) | torch.tanh({f}) | torch.sigmoid({f}) | torch.relu({f}) | torch.square({f})
        torch.reciprocal({f}) | torch.rsqrt({f}) | torch.floor({f}) | torch.ceil({f}) | torch.round({f})
        torch.trunc({f}) | torch.frac({f}) | torch.sign({f}) | torch.exp2({f}) | torch.expm1({f}) | torch.log1p({f})
        torch.log2({f}) | torch.log10({f}) | torch.asin({f}) | torch.acos({f}) | torch.atan({f}) | torch.sinh({f})
        torch.cosh({f}) | torch.asinh({f}) | torch.atanh({f}) | torch.erf({f}) | torch.erfc({f}) | torch.lgamma({f})
        torch.sinc({f}) | torch.logit({f}, {positive}) | torch.nan_to_num({f}) | torch.positive({x}) | -{x} | abs({x})
        {x}.isnan() | {x}.isfinite() | {x}.isinf() | torch.signbit({x}) | {x}.logical_not() | ~{x} | {x}.bitwise_not()
        torch.deg2rad({f}) | torch.digamma({f}) | {x}.sgn() | {x}.conj() | {x}.real | {x}.square() | {x}.exp()
        {f}.clamp({scalar}, {scalar}) | {f}.clamp(min={scalar}) | {f}.clamp(max={scalar}) | {f}.clamp(min={like})
        torch.clamp_min({f}, {scalar}) | {f}.softmax({dim}) | {f}.log_softmax({dim}) | {f}.round(decimals={small})
    """,
    "binary": """
        {x} + {other} | {x} - {other} | {x} * {other} | {x} / {other} | {x} // {other} | {x} % {other} | {f} ** {other}
        {scalar} + {x} | {scalar} - {x} | {scalar} * {x} | {scalar} / {x} | {scalar} ** {f} | {scalar} // {x}
        {x} == {other} | {x} != {other} | {x} < {other} | {x} <= {other} | {x} > {other} | {x} >= {other}
        torch.add({x}, {other}, alpha={scalar}) | torch.sub({x}, {like}, alpha={scalar}) | torch.mul({x}, {like})
        torch.rsub({x}, {other}) | torch.maximum({x}, {like}) | torch.minimum({x}, {like}) | torch.fmax({x}, {like})
        torch.fmin({x}, {like}) | torch.max({x}, {like}) | torch.min({x}, {like}) | torch.atan2({f}, {like})
        torch.hypot({f}, {like}) | torch.fmod({x}, {other}) | torch.remainder({x}, {other}) | torch.pow({f}, {small})
        torch.pow({f}, {like}) | torch.copysign({f}, {other}) | torch.logaddexp({f}, {like}) | {f}.xlogy({other})
        torch.div({x}, {other}, rounding_mode="floor") | torch.div({x}, {other}, rounding_mode="trunc")
        torch.lerp({f}, {like}, {scalar}) | torch.lerp({f}, {like}, {like}) | torch.addcmul({f}, {like}, {like})
        torch.addcdiv({f}, {like}, {like}, value={scalar}) | torch.where({mask}, {same}, {other})
        torch.where({mask}, {scalar}, {same}) | {x}.where({mask}, {other}) | torch.logical_and({x}, {like})
        torch.logical_or({x}, {like}) | torch.logical_xor({x}, {like}) | {b} & {b} | {b} | {b} | {b} ^ {b}
        {i} & {small} | {i} << 1 | {f}.dist({same}) | torch.isclose({f}, {like}) | torch.heaviside({f}, {like})
        torch.allclose({f}, {same}) | torch.equal({x}, {x}) | torch.floor_divide({x}, {other}) | {f} ** 2 | {f} ** 0.5
    """,
    "reduce": """
        {x}.sum() | {x}.sum({dim}) | {x}.sum({dims}, keepdim={bool}) | {f}.mean() | {f}.mean({dim}, keepdim={bool})
        {f}.mean({dims}) | {x}.prod() | {x}.prod({dim}, keepdim={bool}) | {f}.amax({dims}) | {f}.amin({dim}, {bool})
        {x}.max() | {x}.min() | {x}.argmax() | {x}.argmax({dim}, keepdim={bool}) | {x}.argmin({dim}) | {x}.any()
        {x}.all() | {x}.any({dim}) | {x}.all({dim}, keepdim={bool}) | {f}.std() | {f}.var() | {f}.std({dim})
        {f}.var({dims}, keepdim={bool}) | {f}.var(correction=0) | {f}.std({dim}, unbiased={bool}) | {f}.norm()
        {f}.norm({scalar}) | {f}.norm(dim={dim}) | {f}.norm(1, {dim}, {bool}) | torch.linalg.vector_norm({f}, {scalar})
        {f}.norm(p=float("inf")) | {f}.logsumexp({dims}) | {f}.logsumexp({dim}, {bool}) | {f}.nansum()
        {f}.nansum({dim}) | {f}.nanmean({dim}) | {x}.count_nonzero() | {x}.count_nonzero({dim}) | {f}.median()
        {f}.cumsum({dim}) | {x}.cumsum({dim}) | {f}.cumprod({dim}) | {f}.logcumsumexp({dim}) | {f}.diff(dim={dim})
        {m}.trace() | {x}.sum(dtype={dtype}) | {f}.quantile(0.25) | {f}.quantile(0.5, {dim}) | torch.sum({x}, {dim})
        {f}.sum({dim}).mean() | {f}.nanmedian() | torch.trapezoid({f}, dim={dim}) | {x}.unique() | {v}.argsort()
        {f}.argsort({dim}, stable=True) | torch.msort({f}) | {v}.histc(4) | {f}.aminmax().max | torch.vdot({v}, {v})
    """,
    "reduce to two": """
        {f}.max({dim}) | {f}.min({dim}, keepdim={bool}) | {f}.median({dim}) | {f}.mode({dim}) | {f}.sort({dim})
        {f}.sort({dim}, descending=True) | {f}.sort(stable=True, dim={dim}) | {f}.topk(1, {dim}) | {v}.topk({small})
        {f}.kthvalue(1, {dim}) | {f}.cummax({dim}) | {f}.cummin({dim}) | torch.var_mean({f}, {dim}) | {f}.aminmax()
        torch.std_mean({f}) | {f}.aminmax(dim={dim}) | {x}.unique(return_counts=True) | torch.frexp({f})
        torch.broadcast_tensors({x}, {like}) | {m}.slogdet() | torch.max({x}, {dim}) | {f}.nanmedian({dim})
    """,
    "shape": """
        {x}.view({shape}) | {x}.reshape({shape}) | {x}.transpose({dim}, {dim}) | {x}.permute({perm}) | {m}.t() | {m}.T
        {m}.mT | {x}.squeeze() | {x}.squeeze({dim}) | {x}.unsqueeze({dim}) | {x}.expand({bigger}) | {x}[None]
        {x}.select({dim}, {at}) | {x}.narrow({dim}, 0, {small}) | {x}.split({small}, {dim})[0] | {x}.unbind({dim})[0]
        {x}.chunk(2, {dim})[-1] | {x}.tensor_split(2, {dim})[0] | {x}.flatten() | {x}.flatten({dim}) | {x}.ravel()
        {x}.movedim({dim}, {dim}) | {x}.swapaxes({dim}, {dim}) | {x}.diagonal() | {m}.diagonal({small}) | {x}.flip({dim})
        {x}.roll({small}, {dim}) | {x}.roll({small}) | {m}.rot90() | {x}.tile({small}) | {x}.repeat({bigger})
        {x}.repeat_interleave(2) | {x}.repeat_interleave(2, {dim}) | torch.stack([{x}, {same}], {dim})
        torch.cat([{x}, {same}], {dim}) | torch.hstack([{x}, {same}]) | torch.vstack([{x}, {same}])
        {x}.broadcast_to({bigger}) | {x}.expand_as({like}) | {x}.view_as({same}) | {x}.contiguous() | {x}.clone()
        {f}.unfold({dim}, {small}, 1) | {x}.as_strided((2,), (1,)) | {m}.tril() | {m}.triu({small}) | {x}.diag()
        torch.diag_embed({x}) | {x}.unflatten({dim}, (-1, 1)) | torch.atleast_2d({x}) | {x}.view(-1) | {x}.reshape(-1)
        {x}.squeeze({dims}) | {x}.movedim({dim}, -1) | torch.column_stack([{x}, {same}]) | {m}.fliplr()
        torch.block_diag({m}, {m}) | torch.meshgrid({v}, {v}, indexing="ij")[0] | {m}.tril().t() | {x}.mT.contiguous()
        {f}.view(torch.int32) | {x}.resolve_conj() | {x}.view({x}.shape) | torch.flatten({x}, {dim}, -1)
    """,
    "index": """
        {x}[{index}] | {x}[{index}] | {x}[{index}] | {x}[{mask}] | {x}[[0, 0]] | {x}[..., {at}] | {x}[{i}] | {x}[1:]
        {x}[torch.tensor([0, -1])] | {x}[:, [0, 0]] | {x}.gather({dim}, {pick}) | {x}.index_select({dim}, {which})
        {x}.take(torch.tensor([0, 0])) | torch.take_along_dim({x}, {pick}, {dim}) | {x}.masked_select({mask})
        {x}.masked_fill({mask}, {scalar}) | {x}.index_add({dim}, {which}, {part}) | {x}.index_copy({dim}, {which}, {part})
        {x}.index_fill({dim}, {which}, {scalar}) | {x}.scatter({dim}, {pick}, {same}) | {x}.scatter({dim}, {pick}, 2.5)
        {x}.scatter_add({dim}, {pick}, {same}) | {x}.nonzero() | {x}.masked_scatter({mask}, {same}) | {x}[{x} > 0].sum()
        {x}.index_put((torch.tensor([0]),), {part0}) | {x}.select_scatter({scalar} * {x}.select(0, 0), 0, 0)
        torch.argwhere({x}) | {v}.bucketize({v}.sort().values) | torch.searchsorted({v}.sort()[0], {f}) | {i}.bincount()
    """,
    "matrix": """
        {m} @ {m} | {m} @ {v} | {v} @ {v} | {v} @ {m} | {t3} @ {m} | {t3} @ {t3} | {m} @ {m}.mT | torch.mm({m}, {m})
        torch.mm({m}.t(), {m}) | torch.mv({m}, {v}) | torch.dot({v}, {same}) | torch.outer({v}, {v})
        torch.inner({f}, {f}) | torch.bmm({t3}, {t3}.mT) | torch.matmul({f}, {f}) | torch.einsum("ij,kj->ik", {m}, {m})
        torch.einsum("ij->ji", {m}) | torch.einsum("ii->i", {q}) | torch.einsum("i,j->ij", {v}, {v})
        torch.einsum("...j,j->...", {m}, {v}) | torch.tensordot({m}, {m}, 1) | torch.addmm({scalar} * {q}, {q}, {q})
        torch.addmv({v}, {m}, {v}) | torch.kron({v}, {v}) | torch.linalg.det({q}) | torch.chain_matmul({m}, {m}.t())
        torch.linalg.inv({q} + 40 * torch.eye({q}.shape[-1])) | {q}.matrix_power(2) | torch.linalg.matrix_norm({m})
        torch.linalg.solve({q} + 40 * torch.eye({q}.shape[-1]), {v}) | torch.linalg.multi_dot([{m}, {m}.t(), {m}])
        torch.cdist({m}, {m}) | torch.baddbmm({scalar} * ({t3} @ {t3}.mT), {t3}, {t3}.mT, beta=2) | torch.addr({q}, {v}, {v})
    """,
    "convert": """
        {x}.to({dtype}) | {x}.float() | {x}.double() | {x}.long() | {x}.int() | {x}.bool() | {x}.half() | {x}.to({x})
        {x}.type({dtype}) | {x}.type_as({x}) | {x}.detach() | {x}.data | {x}.clone().detach() | {x}.detach().clone()
        torch.zeros_like({x}) | torch.ones_like({x}) | torch.full_like({x}, {scalar}) | {x}.new_zeros({size})
        {x}.new_full({size}, {scalar}) | torch.zeros({size}) | torch.arange({small}) | torch.eye({small}) | {x}.to(torch.complex64)
        torch.full({size}, {scalar}) | torch.linspace({scalar}, {scalar}, {small}) | torch.tensor({scalar})
        torch.scalar_tensor({scalar}) | torch.result_type({x}, {other}) | {x}.cdouble() | torch.asarray({x})
        (torch.manual_seed(3), torch.rand({size}))[1] | (torch.manual_seed(4), torch.randn_like({f}))[1]
        (torch.manual_seed(5), torch.randint(0, 5, {size}))[1] | (torch.manual_seed(6), torch.bernoulli({f}.sigmoid()))[1]
        {x}.shape | {x}.numel() | {x}.tolist() | {x}.is_contiguous() | len({x}) | str({x}) | {x}.size({dim})
        {x}.item() | bool({x}) | float({x}) | int({x}) | {x}.dim() | {x}.stride() | {x}.element_size() | repr({x})
    """,
    "in place": """
        {t}.add_({into}) | {t}.sub_({into}) | {t}.mul_({into}) | {t}.div_({into}) | {t}.add_({into}, alpha={scalar})
        {t} += {into} | {t} -= {into} | {t} *= {into} | {t} /= {into} | {t} **= 2 | {t} //= {scalar} | {t} %= {positive}
        {t}.neg_() | {t}.abs_() | {t}.exp_() | {t}.sin_() | {t}.cos_() | {t}.tanh_() | {t}.sigmoid_() | {t}.sqrt_()
        {t}.relu_() | {t}.square_() | {t}.floor_() | {t}.round_() | {t}.reciprocal_() | {t}.pow_({small}) | {t}.zero_()
        {t}.fill_({scalar}) | {t}.clamp_({scalar}, {scalar}) | {t}.clamp_(min={scalar}) | {t}.copy_({into})
        {t}.masked_fill_({mask}, {scalar}) | {t}.lerp_({same}, {scalar}) | {t}.addcmul_({same}, {same}, value={scalar})
        {t}.addcdiv_({same}, {same}) | {t}.index_add_({dim}, {which}, {part}) | {t}.index_fill_({dim}, {which}, {scalar})
        {t}.index_copy_({dim}, {which}, {part}) | {t}.scatter_({dim}, {pick}, {same}) | {t}.scatter_add_({dim}, {pick}, {same})
        {t}.masked_scatter_({mask}, {same}) | {t}[{index}] = {scalar} | {t}[{index}] = {scalar} | {t}[{index}] *= {scalar}
        {t}[{index}] += {scalar} | {t}[{mask}] = {scalar} | {t}[[0, 0]] = {scalar} | {t}[0] = {part0} | {t}[0].mul_({scalar})
        {t}.view(-1).mul_({scalar}) | {t}.t().add_({scalar}) | {t}.diagonal().fill_({scalar}) | {t}.detach().mul_({scalar})
        {t}.data.add_({scalar}) | {t}.squeeze_() | {t}.unsqueeze_({dim}) | {t}.t_() | {t}.transpose_({dim}, {dim})
        {t}.cumsum_({dim}) | {t}.tril_() | {t}.unbind({dim})[0].mul_({scalar}) | {t}.split({small}, {dim})[0].add_({scalar})
        {t}.expand({bigger}).add_({scalar}) | {t}.requires_grad_() | {t}.detach_() | {t}.requires_grad_(False)
        torch.add({x}, {scalar}, out={t}) | torch.mul({t}, {same}, out={t}) | torch.exp({f}, out={t}) | {t}.set_({f})
        {t}.index_put_((torch.tensor([0]),), {part0}, accumulate={bool}) | {t}.put_(torch.tensor([0]), torch.tensor([9.0]))
        {t}.narrow({dim}, 0, 1).zero_() | {t}.select({dim}, {at}).copy_({scalar} * {t}.select({dim}, {at}))
        {t}.addmm_({t}, {t}) | {t}.swapaxes_({dim}, {dim}) | {t}.real.mul_(2) | {t}.retain_grad() | {t}.fill_diagonal_(2)
        {t}.data = {same} | {t}.data = {t} * 2 | {t}.as_strided((1,), (1,)).add_({scalar}) | {t}.clamp_max_({scalar})
    """,
}
WEIGHTS = {
    "unary": 4,
    "binary": 6,
    "reduce": 3,
    "reduce to two": 1,
    "shape": 5,
    "index": 3,
    "matrix": 2,
    "convert": 2,
    "in place": 6,
}
SIZES = [(), (), (1,), (2,), (3,), (4,), (2, 3), (3, 2), (3, 3), (1, 3), (2, 1), (2, 2), (2, 2, 3), (2, 1, 3), (0,), (2, 0)]
SCALARS = ["0", "1", "2", "-1", "3", "0.5", "2.0", "-1.5", "1.0", "0.0", "True"]


def templates() -> Iterator[tuple[str, str]]:
    """Every template with its category."""
    for category, text in TEMPLATES.items():
        for line in text.strip().splitlines():
            # `|` between two spaces separates templates, unless it is the operator of {b} | {b}
            for template in line.replace("{b} | {b}", "{b} OR {b}").split(" | "):
                yield category, template.strip().replace(" OR ", " | ")


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
        self.templates = collections.defaultdict(list)
        for category, template in templates():
            self.templates[category].append(template)
        self.favourites = [(c, t) for c, t in templates() if only and any(part in t for part in only)]

    # -- lines

    def leaf(self) -> Step:
        kind = self.rng.choice(["f"] * 12 + ["i", "b", "c", "h"])
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
        if template.startswith("torch.") and template.count("(") == 1 and "{f}" in template:
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
        return Step(template, text)

    def finish(self) -> list[Step]:
        """The gradient of a weighted sum of some of the tensors, and sometimes the gradient of that."""
        rng, terms = self.rng, []
        inputs = [name for name, x in self.tensors() if is_leaf(x) and x.requires_grad]
        outputs = [name for name, x in self.tensors() if not is_leaf(x) and x.requires_grad]
        rng.shuffle(outputs)
        for name in outputs[:4]:
            x = self.names[name]
            part = f"({name}.real - {name}.imag)" if x.is_complex() else name
            terms.append(
                f"({part} * torch.linspace(-1, 2, {x.numel()}, dtype=torch.float64).reshape({tuple(x.shape)})).sum()"
            )
        if not terms or not inputs:
            return []
        steps = [Step("loss", f"loss = {' + '.join(terms)}")]
        if rng.random() < 0.65:
            return [*steps, Step("backward", "loss.backward()")]
        first = ", ".join(f"g{k}" for k in range(len(inputs)))
        second = ", ".join(f"h{k}" for k in range(len(inputs)))
        asked = f"[{', '.join(inputs)}]"
        squares = " + ".join(f"(0 if g{k} is None else (g{k} * g{k}.conj()).real.sum())" for k in range(len(inputs)))
        return [
            *steps,
            Step("grad", f"{first}, = torch.autograd.grad(loss, {asked}, create_graph=True, allow_unused=True)"),
            Step("second", f"{second}, = torch.autograd.grad({squares}, {asked}, allow_unused=True)"),
        ]

    def as_method(self, text: str) -> str:
        """Half the time, torch.f(x, y) as x.f(y)."""
        match = re.fullmatch(r"torch\.(\w+)\((v\d+)(?:, )?(.*)\)", text)
        if match is None or not hasattr(self.torch.Tensor, match[1]) or self.rng.random() < 0.5:
            return text
        return f"{match[2]}.{match[1]}({match[3]})"

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
            return (x.is_floating_point() or self.rng.random() < 0.1) and not (careful and x.requires_grad and is_leaf(x))

        return self.about(self.choose(suits) or self.choose(lambda x: True) or self.literal((2,)))

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

    def ndim(self, n: int, otherwise: str) -> str:
        """A tensor of n dimensions; in a product, one that fits what came before."""
        before = self.value() if self.subject else None
        inner = before.shape[-1] if before is not None and before.dim() else None

        def fits(x: Any) -> bool:
            return x.dim() == n and x.is_floating_point() and (inner is None or x.shape[-min(n, 2)] == inner)

        name = self.choose(fits)
        if name is None and inner is not None and self.rng.random() < 0.9:
            return self.about(self.literal((inner,) if n == 1 else (2, inner, 2)[-n:]))
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
        if name is not None and self.rng.random() < 0.8:
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
        return "torch." + self.rng.choice(["float32", "float64", "int64", "int32", "bool", "float64", "uint8", "float16"])

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


# -- running and comparing


@dataclass
class Step:
    """One line of a program, and the template that it came from."""

    template: str
    text: str


@dataclass
class Disagreement:
    """What differed after a line, in the program of which it is the last line."""

    step: Step
    what: str
    reference: object
    candidate: object
    program: list[Step] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.step.text}\n    {self.what}\n        reference: {self.reference}\n        candidate: {self.candidate}"

    def script(self) -> str:
        """The program as a script that prints what differed."""
        lines = ["import torch", "", *(step.text for step in self.program)]
        match = re.match(r"(\w+): (\w+)", self.what)
        if match and match[1] not in {"raises", "warns"}:
            what = {"value": "", "grad_fn": ".grad_fn", "base": "._base"}.get(match[2], f".{match[2]}")
            call = "()" if match[2] in {"stride", "storage_offset", "_is_view", "is_conj"} else ""
            lines.append(f"print({match[1]}{what}{call})")
        return "\n".join(lines)


class Comparison:
    """Runs lines with both modules and compares all that can be seen."""

    def __init__(self, reference: ModuleType, candidate: ModuleType) -> None:
        self.modules = reference, candidate
        self.spaces: tuple[dict[str, Any], dict[str, Any]] = {"torch": reference}, {"torch": candidate}
        self.scale = 1.0  # the largest value that took part in the last line

    def names(self, side: int) -> dict[str, Any]:
        return {name: x for name, x in self.spaces[side].items() if name != "torch" and not name.startswith("__")}

    def forget(self, before: set[str]) -> None:
        for space in self.spaces:
            for name in set(space) - before:
                del space[name]

    def run(self, step: Step) -> Disagreement | None:
        """Runs one line; None if both sides did the same."""
        before = set(self.spaces[0])
        code = compile(step.text, "<program>", "exec")
        self.scale = max([1.0, *(largest(x) for name, x in self.names(0).items() if re.search(rf"\b{name}\b", step.text))])
        if step.template in {"backward", "grad", "second"}:
            self.scale = max(self.scale, self.largest_gradient())
        outcomes = [self.outcome(code, space) for space in self.spaces]
        for kind, reference, candidate in zip(("raises", "warns"), *outcomes, strict=True):
            if reference != candidate:
                return Disagreement(step, kind, reference, candidate)
        fresh = set(self.names(0)) - before
        # An in-place operation may show in any tensor; any other shows in its results only.
        for name in self.names(0) if not fresh else sorted(fresh):
            found = self.compare(name, gradients=step.template in {"grad", "second"})
            if found is None and step.template == "backward":
                found = self.compare(name, gradients=True, attribute="grad")
            if found is not None:
                return Disagreement(step, *found)
        return None

    def outcome(self, code: Any, space: dict[str, Any]) -> tuple[str, list[str]]:
        raised = ""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(code, space)
            except Exception as error:
                raised = clean(f"{type(error).__name__}: {error}")
        return raised, [clean(f"{w.category.__name__}: {w.message}") for w in caught]

    def largest_gradient(self) -> float:
        """The largest gradient of any tensor of the program: rounding is relative to it."""
        torch, space = self.modules[0], self.spaces[0]
        tensors = [x for x in self.names(0).values() if isinstance(x, torch.Tensor) and x.requires_grad]
        with contextlib.suppress(RuntimeError, KeyError):
            grads = torch.autograd.grad(space["loss"], tensors, retain_graph=True, allow_unused=True)
            size = max((largest(g) for g in grads if g is not None), default=1.0)
            return size**2
        return 1.0

    def compare(self, name: str, gradients: bool, attribute: str = "") -> tuple[str, object, object] | None:
        """The first difference between the two values of a name, or of an attribute of them."""
        pair = [space.get(name) for space in self.spaces]
        label = name
        if attribute:
            if not all(map(is_leaf, pair)):
                return None
            pair = [getattr(x, attribute) for x in pair]
            label = f"{name}.{attribute}"
        are_tensors = [isinstance(x, module.Tensor) for x, module in zip(pair, self.modules, strict=True)]
        if not all(are_tensors):
            shown = [clean(repr(x)) for x in pair]
            if any(are_tensors) or not close_text(*shown):
                return f"{label}: value", *shown
            return None
        seen = [self.look(x, side, gradients) for side, x in enumerate(pair)]
        for what, reference in seen[0].items():
            if what != "value" and reference != seen[1][what]:
                return f"{label}: {what}", reference, seen[1][what]
        if self.scale > 1e7:
            return None  # rounding has no bound here
        if not self.values_agree(seen[0]["value"], seen[1]["value"], seen[0]["dtype"], gradients):
            return f"{label}: value", seen[0]["value"], seen[1]["value"]
        if seen[0]["value"] != seen[1]["value"]:
            self.replace_values(pair[1], seen[0]["value"])
        return None

    def look(self, x: Any, side: int, gradient: bool) -> dict[str, object]:
        """All that can be seen of a tensor."""
        names = self.names(side)
        looks: dict[str, Callable[[], object]] = {
            "dtype": lambda: str(x.dtype),
            "shape": lambda: tuple(x.shape),
            "stride": lambda: tuple(x.stride()),
            "requires_grad": lambda: x.requires_grad,
        }
        if not gradient:
            looks |= {
                "storage_offset": lambda: x.storage_offset(),
                "is_leaf": lambda: x.is_leaf,
                "grad_fn": lambda: type(x.grad_fn).__name__,
                "_version": lambda: x._version,
                "_is_view": lambda: x._is_view(),
                "is_conj": lambda: x.is_conj(),
                "base": lambda: [name for name, y in names.items() if y is x._base] if x._is_view() else [],
                "is": lambda: [name for name, y in names.items() if y is x],
            }
        looks["value"] = lambda: x.detach().clone().tolist()
        seen = {}
        for what, read in looks.items():
            try:
                seen[what] = read()
            except Exception as error:
                seen[what] = clean(f"{type(error).__name__}: {error}")
        return seen

    def values_agree(self, a: object, b: object, dtype: object, gradient: bool) -> bool:
        digits = {"torch.float64": 1e-11, "torch.complex128": 1e-11, "torch.float16": 4e-3, "torch.bfloat16": 3e-2}
        tolerance = digits.get(str(dtype), 5e-6) * (30 if gradient else 1)
        low = {"torch.float16", "torch.bfloat16", "torch.float32", "torch.complex64"}
        if gradient and any(str(getattr(x, "dtype", "")) in low for x in self.names(0).values()):
            tolerance = max(tolerance, 30 * max(digits.get(str(getattr(x, "dtype", "")), 5e-6) for x in self.names(0).values() if str(getattr(x, "dtype", "")) in low))
        return close(a, b, tolerance, max(self.scale, largest_number(a)))

    def replace_values(self, x: Any, values: object) -> None:
        torch = self.modules[1]
        with contextlib.suppress(RuntimeError), torch.no_grad():  # what overlaps itself cannot be written to
            x.data.copy_(torch.tensor(values, dtype=x.dtype))


def is_leaf(x: Any) -> bool:
    try:
        return bool(getattr(x, "is_leaf", False))
    except RuntimeError:  # a view that an in-place operation made invalid
        return False


def clean(text: str) -> str:
    """Without addresses, and without what says which module a class is of."""
    text = re.sub(r" ?\(Triggered internally at [^)\n]*\)", "", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text).replace("funcgrad.torch", "torch")


def largest(x: Any) -> float:
    """The largest absolute value in a tensor; infinite if there is a nan."""
    if not hasattr(x, "detach"):
        return 0.0
    return largest_number(x.detach().clone().tolist())


def largest_number(values: object) -> float:
    if isinstance(values, list):
        return max(map(largest_number, values), default=0.0)
    size = abs(values)  # type: ignore[arg-type]
    return math.inf if math.isnan(size) else float(size)


def close(a: Any, b: Any, tolerance: float, scale: float) -> bool:
    """Whether nested lists of numbers agree: integers exactly, floats within tolerance * scale."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(close(x, y, tolerance, scale) for x, y in zip(a, b, strict=True))
    if type(a) is not type(b):
        return False
    if isinstance(a, complex):
        return close(a.real, b.real, tolerance, scale) and close(a.imag, b.imag, tolerance, scale)
    if not isinstance(a, float) or a == b or (math.isnan(a) and math.isnan(b)):
        return a == b or a != a
    if math.isinf(scale):
        scale = max(abs(a), 1.0)
    return abs(a - b) <= tolerance * scale


NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")


def close_text(a: str, b: str) -> bool:
    """Whether texts agree but for the last digits of the numbers in them."""
    if a == b:
        return True
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(math.isclose(float(x), float(y), rel_tol=1e-4, abs_tol=1e-4) for x, y in pairs)


def disagreements(seed: int, reference: ModuleType, candidate: ModuleType, only: list[str] | None = None) -> list[Disagreement]:
    """Writes and runs the program of a seed.

    A line of which the results differ is taken out, and the program goes on without it; it ends when an in-place
    operation differs, or the gradient.
    """
    rng = random.Random(seed)
    writer = Writer(rng, reference, only)
    both = Comparison(reference, candidate)
    program: list[Step] = []
    found: list[Disagreement] = []

    def run(step: Step) -> bool:
        before = set(both.spaces[0])
        difference = both.run(step)
        program.append(step)
        if difference is not None:
            difference.program = list(program)
            found.append(difference)
            program.pop()
            both.forget(before)
        writer.names = both.names(0)
        return difference is None

    for _ in range(rng.randint(2, 4)):
        if not run(writer.leaf()):
            return found
    for _ in range(rng.randint(5, 25)):
        step = writer.step()
        if not run(step) and "= " not in step.text.replace("==", ""):
            return found
    for step in writer.finish():
        if not run(step):
            break
    return found


def replay(program: list[Step], reference: ModuleType, candidate: ModuleType) -> Disagreement | None:
    """The first disagreement of a given program."""
    both = Comparison(reference, candidate)
    for position, step in enumerate(program):
        difference = both.run(step)
        if difference is not None:
            difference.program = program[: position + 1]
            return difference
    return None


def shrink(found: Disagreement, reference: ModuleType, candidate: ModuleType) -> Disagreement:
    """The same disagreement in a program without the lines that it does not need."""
    kind = found.what.partition(": ")[2] or found.what
    position = len(found.program) - 2
    while position >= 0:
        shorter = found.program[:position] + found.program[position + 1 :]
        again = replay(shorter, reference, candidate)
        if again is not None and again.step is found.step and (again.what.partition(": ")[2] or again.what) == kind:
            if not str(again.reference).startswith("NameError"):
                found = again
        position = min(position, len(found.program) - 1) - 1
    return found


def load(name: str) -> ModuleType:
    module = importlib.import_module(name)
    if hasattr(module, "set_warn_always"):
        module.set_warn_always(True)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares funcgrad.torch with real torch on random programs.")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=300, help="number of programs")
    parser.add_argument("--only", default="", help="parts of operations, separated by commas, to use often")
    parser.add_argument("--show", type=int, default=1, help="examples for each operation")
    parser.add_argument("--reference", default="torch")
    parser.add_argument("--candidate", default="funcgrad.torch")
    options = parser.parse_args()
    reference, candidate = load(options.reference), load(options.candidate)
    only = [part for part in options.only.split(",") if part]
    groups: dict[str, list[Disagreement]] = collections.defaultdict(list)
    for seed in range(options.seed, options.seed + options.count):
        for found in disagreements(seed, reference, candidate, only):
            groups[found.step.template].append(found)
    for template, group in sorted(groups.items(), key=lambda item: len(item[1])):
        print(f"=== {template}: {len(group)}")
        kinds = collections.Counter(found.what.partition(": ")[2] or found.what for found in group)
        print("   ", ", ".join(f"{kind} {number}" for kind, number in kinds.most_common()))
        for found in sorted(group, key=lambda found: len(found.program))[: options.show]:
            small = shrink(found, reference, candidate)
            print(small.script(), f"\n# {small.what}\n#   reference: {small.reference}\n#   candidate: {small.candidate}\n", sep="")
    print(sum(map(len, groups.values())), "disagreements in", options.count, "programs, in", len(groups), "operations")
    sys.exit(bool(groups))


if __name__ == "__main__":
    main()
