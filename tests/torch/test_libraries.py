"""Libraries over PyTorch run on funcgrad.torch, where they are installed (the extra `torch-libraries`) without PyTorch.

pip install --no-deps einops gpytorch higher linear_operator safetensors torchdiffeq torchmetrics lightning-utilities
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from funcgrad import torch

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed: they are for that"),
    pytest.mark.filterwarnings("ignore"),  # theirs
]


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    with torch.install():
        importlib.import_module("torch")  # libraries look whether it has been imported
        yield


def test_einops() -> None:
    einops = pytest.importorskip("einops")
    x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
    assert einops.rearrange(x, "a b c -> (a b) c").tolist() == x.reshape(6, 4).tolist()
    einops.reduce(x, "a b c -> a", "mean").sum().backward()
    assert x.grad.flatten().tolist() == pytest.approx([1 / 12] * 24)
    assert einops.einsum(x, torch.ones(4, 5), "a b c, c d -> a b d").shape == (2, 3, 5)
    layers = pytest.importorskip("einops.layers.torch")
    assert layers.Reduce("a b c -> a c", "max")(x).tolist() == x.amax(1).tolist()


def test_safetensors(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors")
    files, arrays = importlib.import_module("safetensors.torch"), importlib.import_module("safetensors.numpy")
    kinds = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool)
    tensors = {str(kind): torch.tensor([0, 1, 2]).to(kind) for kind in kinds}
    tensors |= {"a number": torch.tensor(2.5), "nothing": torch.empty(0, 3), "a matrix": torch.arange(6.0).view(2, 3)}
    path = str(tmp_path / "weights.safetensors")
    files.save_file(tensors, path, metadata={"format": "pt"})
    for back in (files.load_file(path), files.load(files.save(tensors))):
        assert back.keys() == tensors.keys()
        assert all(torch.equal(back[k], t) and back[k].dtype is t.dtype for k, t in tensors.items())
    with safetensors.safe_open(path, framework="pt") as file:
        assert file.metadata() == {"format": "pt"}
        assert file.get_slice("a matrix")[:, 1:].tolist() == [[1.0, 2.0], [4.0, 5.0]]
    arrays.save_file({"w": tensors["a matrix"].numpy()}, path)
    assert files.load_file(path)["w"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]

    model = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    with pytest.raises(RuntimeError, match="share memory"):
        files.save_file(model.state_dict(), path)
    files.save_model(model, path)
    other = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False))
    other[1].weight = other[0].weight
    assert files.load_model(other, path) == (set(), [])
    assert torch.equal(other[1].weight, model[0].weight)


def test_torchdiffeq() -> None:
    torchdiffeq = pytest.importorskip("torchdiffeq")
    y0 = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    t = torch.linspace(0, 1, 5, dtype=torch.float64)
    for method in ("dopri5", "dopri8", "bosh3", "rk4", "implicit_adams"):
        y = torchdiffeq.odeint(lambda t, y: -y, y0, t, method=method, rtol=1e-8, atol=1e-10)
        assert y[-1].item() == pytest.approx(math.exp(-1), abs=1e-4)
    (gradient,) = torch.autograd.grad(y[-1].sum(), y0)
    assert gradient.item() == pytest.approx(math.exp(-1), abs=1e-4)

    class Decay(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rate = torch.nn.Parameter(torch.tensor(0.5, dtype=torch.float64))

        def forward(self, t: object, y: torch.Tensor) -> torch.Tensor:
            return -self.rate * y

    decay = Decay()
    torchdiffeq.odeint_adjoint(decay, y0, t, rtol=1e-8, atol=1e-10)[-1].sum().backward()
    assert decay.rate.grad.item() == pytest.approx(-math.exp(-0.5), abs=1e-5)


def test_torchmetrics() -> None:
    torchmetrics = pytest.importorskip("torchmetrics")
    f = torchmetrics.functional
    predicted, true = torch.tensor([0, 2, 1, 3]), torch.tensor([0, 1, 2, 3])
    assert f.accuracy(predicted, true, task="multiclass", num_classes=4).item() == 0.5
    assert f.confusion_matrix(predicted, true, task="multiclass", num_classes=4).sum().item() == 4
    assert f.mean_squared_error(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])).item() == 2.0
    assert f.pearson_corrcoef(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 4.0, 6.0])).item() == pytest.approx(1)
    scores = torch.tensor([0.1, 0.4, 0.35, 0.8])
    assert f.auroc(scores, torch.tensor([0, 0, 1, 1]), task="binary").item() == 0.75
    both = torchmetrics.MetricCollection([torchmetrics.MeanSquaredError(), torchmetrics.MeanAbsoluteError()])
    both.update(torch.tensor([1.0]), torch.tensor([3.0]))
    found = both.compute()
    assert (found["MeanSquaredError"].item(), found["MeanAbsoluteError"].item()) == (4.0, 2.0)


def test_linear_operator_and_gpytorch() -> None:
    operators = pytest.importorskip("linear_operator")
    a = torch.tensor([[4.0, 1.0], [1.0, 3.0]], requires_grad=True)
    a_operator = operators.to_linear_operator(a)
    assert a_operator.solve(torch.tensor([1.0, 2.0])).tolist() == pytest.approx([1 / 11, 7 / 11])
    assert torch.linalg.cholesky(a_operator).to_dense().tolist()[0] == [2.0, 0.0]  # torch's function, of no tensor
    assert torch.logdet(a_operator).item() == pytest.approx(math.log(11))
    gpytorch = pytest.importorskip("gpytorch")

    class Model(gpytorch.models.ExactGP):
        def __init__(self, x: torch.Tensor, y: torch.Tensor, likelihood: object) -> None:
            super().__init__(x, y, likelihood)
            self.mean = gpytorch.means.ConstantMean()
            self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

        def forward(self, x: torch.Tensor) -> object:
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    x = torch.linspace(0, 1, 20)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(x, torch.sin(6 * x), likelihood)
    fit = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(60):
        optimizer.zero_grad()
        loss = -fit(model(x), model.train_targets)
        loss.backward()
        optimizer.step()
    model.eval()
    assert model(torch.tensor([0.5])).mean.item() == pytest.approx(math.sin(3), abs=0.05)


def test_higher() -> None:
    higher = pytest.importorskip("higher")
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(model.weight, 2.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.25)
    with higher.innerloop_ctx(model, optimizer, copy_initial_weights=False) as (inner, steps):
        steps.step((inner(torch.ones(1, 1)) ** 2).sum())  # w - 0.25 * 2 w
        (inner(torch.ones(1, 1)) ** 2).sum().backward()
    assert model.weight.grad.item() == pytest.approx(2 * 0.5 * 2.0 * 0.5)
