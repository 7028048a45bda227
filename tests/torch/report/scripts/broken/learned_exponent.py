# expect: nonfinite power-at-zero-or-below exponent
# check: nonfinite(exponent)
import torch

torch.manual_seed(0)
signal = torch.tensor([0.5, 1.0, 0.25, -0.25, 2.0])  # one sample is below the baseline
exponent = torch.tensor(1.0, requires_grad=True)
amplitude = torch.tensor(1.0, requires_grad=True)
observed = 2 * signal.clamp(min=0) ** 1.5

optimizer = torch.optim.Rprop([exponent, amplitude], lr=0.01)
for iteration in range(5):
    optimizer.zero_grad()
    predicted = amplitude * signal**exponent  # <- here
    loss = ((predicted - observed) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(iteration, exponent.item(), amplitude.item())
