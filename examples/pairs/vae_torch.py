"""A variational autoencoder, as a torch script: a module, a backward pass, an optimiser.

    pip install 'funcgrad[examples]'
    python -m funcgrad.torch -m doctest -v examples/pairs/vae_torch.py    # the story
    python -m funcgrad.torch examples/pairs/vae_torch.py                  # the full work, with its picture
    python examples/pairs/vae_torch.py                                    # the same with PyTorch

A network packs images of digits into two numbers each, another one draws them again. What is lost is minus the evidence
lower bound: how badly the image is drawn, and how far the distribution of the two numbers is from the normal one. The
twin, vae_functional.py, is the same model as functions of parameters. Both start from the same numbers, draw the same
noise, and print the same losses to the last digit; the picture shows what either draws all over the plane.

Here the module holds the parameters, `backward` leaves gradients in them, and the optimiser changes them in place.

>>> model = VAE(np.random.default_rng(0))
>>> value = model.loss(torch.from_numpy(digits()[:5]), torch.zeros(5, 2))
>>> print(f"{value.item():.10f}")
44.8365633554
>>> value.backward()
>>> model.draw.bias.grad.shape
torch.Size([64])

Source: D. Kingma, M. Welling, "Auto-encoding variational Bayes", ICLR 2014.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

HIDDEN, BATCH, RATE = 128, 128, 0.002


def digits():
    """1,797 images of 64 grey levels between 0 and 1."""
    with np.load(Path(__file__).parent.parent / "data" / "digits.npz") as data:
        return data["images"].reshape(-1, 64) / 16


class VAE(nn.Module):
    def __init__(self, rng):
        super().__init__()
        self.encode = nn.Linear(64, HIDDEN)
        self.code = nn.Linear(HIDDEN, 4)
        self.decode = nn.Linear(2, HIDDEN)
        self.draw = nn.Linear(HIDDEN, 64)
        self.double()
        with torch.no_grad():  # the numbers that the twin starts from
            for layer in (self.encode, self.code, self.decode, self.draw):
                m, n = layer.in_features, layer.out_features
                layer.weight.copy_(torch.from_numpy(rng.normal(size=(m, n)) / np.sqrt(m)).T)
                layer.bias.zero_()

    def forward(self, z):
        """The images of numbers z, before the sigmoid."""
        return self.draw(torch.tanh(self.decode(z)))

    def loss(self, x, noise):
        """Minus the evidence lower bound, per image."""
        mean, log_variance = self.code(torch.tanh(self.encode(x))).chunk(2, dim=1)
        score = self(mean + torch.exp(log_variance / 2) * noise)
        drawn = F.binary_cross_entropy_with_logits(score, x, reduction="sum")
        distance = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum()
        return (drawn + distance) / len(x)


def train(images, rng, epochs):
    """The model after some epochs, and the mean loss of each.

    >>> _, losses = train(digits()[:256], np.random.default_rng(0), range(3))
    >>> [f"{value:.8f}" for value in losses]
    ['46.42318730', '44.44130902', '41.41536591']
    """
    model, losses = VAE(rng), []
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    for _ in epochs:
        values = []
        for chosen in np.array_split(rng.permutation(len(images)), len(images) // BATCH):
            x, noise = torch.from_numpy(images[chosen]), torch.from_numpy(rng.normal(size=(len(chosen), 2)))
            optimizer.zero_grad()
            value = model.loss(x, noise)
            value.backward()
            optimizer.step()
            values.append(value.item())
        losses.append(np.mean(values))
    return model, losses


def draw(path, losses, picture):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    left.plot(losses, color="tab:blue")
    left.set(xlabel="epoch", ylabel="minus the evidence lower bound, nats", title="Loss for each image")
    right.imshow(picture, cmap="gray_r", extent=(-2.75, 2.75, -2.75, 2.75))
    right.set(xlabel="first number", ylabel="second number", title="What is drawn for two numbers")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer epochs")
    parser.add_argument("--out", type=Path, default=Path("vae_torch.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    epochs = tqdm(range(2 if options.quick else 80), desc="training", unit="epoch")
    model, losses = train(digits(), np.random.default_rng(0), epochs)
    for epoch in (0, len(losses) // 2, len(losses) - 1):
        print(f"epoch {epoch + 1:<10}{losses[epoch]:.8f}")
    side = np.linspace(-2.5, 2.5, 10)
    z = np.stack(np.meshgrid(side, side[::-1]), axis=-1).reshape(-1, 2)
    with torch.no_grad():
        images = torch.sigmoid(model(torch.from_numpy(z))).numpy().reshape(10, 10, 8, 8)
    print(f"ink             {images.mean():.8f} of a page of 100 digits")
    page = np.pad(images, [(0, 0), (0, 0), (1, 1), (1, 1)])  # a margin for each
    draw(options.out, losses, page.transpose(0, 2, 1, 3).reshape(100, 100))
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
