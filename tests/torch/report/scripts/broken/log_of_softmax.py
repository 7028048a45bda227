# expect: nonfinite logarithm-of-zero scorer.weight, scorer.bias
# check: nonfinite(scorer.weight)
import torch
import torch.nn as nn

torch.manual_seed(0)
inputs = 50 * torch.randn(32, 8)  # not standardised
targets = torch.randint(0, 6, (32,))
scorer = nn.Linear(8, 6)
optimizer = torch.optim.SGD(scorer.parameters(), lr=0.5)


def nll(scores, targets):
    probabilities = torch.softmax(scores, dim=1)
    log_probabilities = torch.log(probabilities)  # <- here
    picked = log_probabilities[torch.arange(len(targets)), targets]
    return -picked.mean()


for epoch in range(10):
    optimizer.zero_grad()
    loss = nll(scorer(inputs), targets)
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
