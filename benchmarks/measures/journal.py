"""What remembering costs on the torch face: the same with the journal on and off."""

import statistics

from timing import Row, interleaved, median_ratio

from funcgrad import torch


def _programs():
    """Functions that do one thing n times in a loop, as programs do."""
    x, y = torch.ones(10, requires_grad=True), torch.ones(10, requires_grad=True)
    a, b = torch.ones(10), torch.ones(10)
    linear, batch = torch.nn.Linear(16, 32), torch.ones(8, 16)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    target, mse = torch.zeros(8, 4), torch.nn.functional.mse_loss

    def product(n):
        for _ in range(n):
            x * y

    def sine(n):
        for _ in range(n):
            x.sin()

    def total(n):
        for _ in range(n):
            x.sum()

    def constant(n):
        for _ in range(n):
            a * b

    @torch.no_grad()
    def unrecorded(n):
        for _ in range(n):
            x * y

    def layer(n):
        for _ in range(n):
            linear(batch)

    def training(n):
        for _ in range(n):
            optimizer.zero_grad()
            mse(model(batch), target).backward()
            optimizer.step()

    return {
        "x * y": product,
        "x.sin()": sine,
        "x.sum()": total,
        "x * y, nothing requires grad": constant,
        "x * y in no_grad": unrecorded,
        "a linear layer": layer,
        "a training step of an MLP": training,
    }


def _switched(f, mode, n):
    def run():
        torch.set_journal_enabled(mode)
        f(n)

    return run


def measure(rounds):
    rows = []
    for name, f in _programs().items():
        n = 10 if f.__name__ == "training" else 100
        with torch.set_journal_enabled(True):
            times = interleaved({"on": _switched(f, True, n), "off": _switched(f, False, n)}, rounds, seconds=0.02)
        above = statistics.median(t - s for t, s in zip(times["on"], times["off"], strict=True)) / n * 1e6
        note = f"{above:+.2f} µs to {min(times['off']) / n * 1e6:.2f} µs"
        bound = None if f.__name__ == "unrecorded" else 1.15  # the line is found in less than half a microsecond
        rows.append(Row(name, median_ratio(times["on"], times["off"]), "x without", note, at_most=bound))
    return rows
