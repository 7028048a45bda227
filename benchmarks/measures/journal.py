"""What remembering costs on the torch face: the same with the journal on and off."""

import statistics

from timing import Row, interleaved, median_ratio

from funcgrad import torch


def _mlp():
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    x, y = torch.ones(8, 16), torch.zeros(8, 4)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

    return step


def _switched(f, mode, repeats):
    def run():
        torch.set_journal_enabled(mode)
        for _ in range(repeats):
            f()

    return run


def measure(rounds):
    x, y = torch.ones(10, requires_grad=True), torch.ones(10, requires_grad=True)
    a, b = torch.ones(10), torch.ones(10)
    linear, batch = torch.nn.Linear(16, 32), torch.ones(8, 16)

    def unrecorded():
        with torch.no_grad():
            return x * y

    programs = {
        "x * y": lambda: x * y,
        "x.sin()": lambda: x.sin(),
        "x.sum()": lambda: x.sum(),
        "x * y, nothing requires grad": lambda: a * b,
        "x * y in no_grad": unrecorded,
        "a linear layer": lambda: linear(batch),
        "a training step of an MLP": _mlp(),
    }
    rows = []
    for name, f in programs.items():
        repeats = 10 if "step" in name else 100
        with torch.set_journal_enabled(True):
            times = interleaved(
                {"on": _switched(f, True, repeats), "off": _switched(f, False, repeats)}, rounds, seconds=0.02
            )
        above = statistics.median(t - s for t, s in zip(times["on"], times["off"], strict=True)) / repeats * 1e6
        note = f"{above:+.2f} µs to {min(times['off']) / repeats * 1e6:.2f} µs"
        rows.append(Row(name, median_ratio(times["on"], times["off"]), "x without", note, at_most=1.1))
    return rows
