"""Train a small neural network to read handwritten digits, and look at those that it misreads.

    pip install 'funcgrad[examples]'
    python examples/digits.py

Everything is here: the network, its loss, the training loop. funcgrad gives the gradient.
"""

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small: threads would only wait for each other

import numpy as np

import funcgrad as fg
import funcgrad.numpy as fnp

try:
    import matplotlib
    from tqdm import tqdm

    matplotlib.use("Agg")  # draw into a file, also where there is no screen
    import matplotlib.pyplot as plt
except ImportError as error:
    raise SystemExit(f"This example also needs {error.name}: pip install 'funcgrad[examples]'") from None

PIXELS, HIDDEN, DIGITS = 64, 256, 10


# The network: parameters in a dict, and functions of them.


def new_parameters(rng):
    return {
        "hidden": {"w": fnp.asarray(rng.normal(size=(PIXELS, HIDDEN)) * np.sqrt(2 / PIXELS)), "b": fnp.zeros(HIDDEN)},
        "output": {"w": fnp.asarray(rng.normal(size=(HIDDEN, DIGITS)) / np.sqrt(HIDDEN)), "b": fnp.zeros(DIGITS)},
    }


def network(params, images):
    """One score for each image and digit; the highest is what the network reads."""
    pixels = images.reshape(len(images), PIXELS)
    hidden = fnp.maximum(pixels @ params["hidden"]["w"] + params["hidden"]["b"], 0)
    return hidden @ params["output"]["w"] + params["output"]["b"]


def loss(params, images, labels):
    """Cross-entropy: minus the logarithm of the probability given to the right digit, on average."""
    scores = network(params, images)
    return fnp.mean(fnp.logsumexp(scores, axis=1) - scores[np.arange(len(labels)), labels])


# Training: gradient descent with momentum on small batches of slightly shifted images.


def shifted(images, rng, most=0.8):
    """Each image moved by up to 0.8 pixels up or down, left or right: the network should not mind."""
    for axis in (1, 2):
        t = rng.uniform(-most, most, size=(len(images), 1, 1))
        neighbour = np.where(t > 0, np.roll(images, 1, axis), np.roll(images, -1, axis))
        images = (1 - abs(t)) * images + abs(t) * neighbour
    return images


def train(params, train_set, test_set, rng, epochs, rate=0.1, momentum=0.9, batch=64):
    (images, labels), losses, accuracies = train_set, [], []
    velocity = fg.tree.map(fnp.zeros_like, params)
    loss_and_gradient = fg.value_and_grad(loss)
    progress = tqdm(range(epochs), desc="training", unit="epoch")
    for epoch in progress:
        step = rate * (1 + np.cos(np.pi * epoch / epochs)) / 2  # smaller and smaller
        values = []
        for chosen in np.array_split(rng.permutation(len(images)), len(images) // batch):
            value, gradient = loss_and_gradient(params, shifted(images[chosen], rng), labels[chosen])
            velocity = fg.tree.map(lambda v, g: momentum * v + g, velocity, gradient)
            params = fg.tree.map(lambda p, v, step=step: p - step * v, params, velocity)
            values.append(float(value))
        losses.append(np.mean(values))
        accuracies.append(np.mean(read(params, test_set[0]) == test_set[1]))
        progress.set_postfix(loss=f"{losses[-1]:.3f}", accuracy=f"{accuracies[-1]:.1%}")
    return params, losses, accuracies


def read(params, images):
    return np.asarray(fnp.argmax(network(params, images), axis=1))


# The picture: how it learned, and what it misreads.


def draw(path, losses, accuracies, images, truth, said):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.semilogy(losses, color="tab:blue")
    left.set(xlabel="epoch", title=f"test accuracy after {len(losses)} epochs: {accuracies[-1]:.1%}")
    left.set_ylabel("training loss", color="tab:blue")
    percent = left.twinx()
    percent.plot(100 * np.array(accuracies), color="tab:orange")
    percent.set(ylim=(80, 100), yticks=range(80, 101, 5))
    percent.set_ylabel("test accuracy, %", color="tab:orange")

    wrong = np.flatnonzero(said != truth)
    right.set_title(f"{len(wrong)} of {len(truth)} test digits misread")
    right.axis("off")
    columns = min(len(wrong), 4)
    rows = -(-len(wrong[:12]) // 4)
    for k, i in enumerate(wrong[:12]):
        row, column = divmod(k, columns)
        small = right.inset_axes([column / columns, 0.95 * (1 - (row + 1) / rows), 0.9 / columns, 0.72 / rows])
        small.imshow(images[i], cmap="gray_r")
        small.set(xticks=[], yticks=[])
        small.set_title(f"{truth[i]} read as {said[i]}", fontsize=9, color="tab:red", pad=3)
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description="Train a small neural network to read handwritten digits.")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("digits.png"), help="where to save the picture")
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    with np.load(Path(__file__).parent / "data" / "digits.npz") as data:
        order = rng.permutation(len(data["labels"]))
        images, labels = data["images"][order] / 16, data["labels"][order]
    n_test = len(labels) // 5
    test_set, train_set = (images[:n_test], labels[:n_test]), (images[n_test:], labels[n_test:])

    start = time.perf_counter()
    params = new_parameters(rng)
    params, losses, accuracies = train(params, train_set, test_set, rng, options.epochs)
    seconds = time.perf_counter() - start

    said = read(params, test_set[0])
    draw(options.out, losses, accuracies, *test_set, said)
    n_parameters = sum(p.size for p in fg.tree.leaves(params))
    print(f"network         {PIXELS} - {HIDDEN} - {DIGITS}, {n_parameters} parameters")
    print(f"digits          {len(train_set[1])} to train, {n_test} to test")
    print(f"training        {options.epochs} epochs in {seconds:.1f} s; loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    print(f"test accuracy   {accuracies[-1]:.1%}, {np.sum(said != test_set[1])} misread")
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
