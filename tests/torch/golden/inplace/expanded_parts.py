"""What is written at an index is copied: into expanded memory it can't be. Filling with a number can."""

import torch


def written(t, index, value):
    try:
        t[index] = value
        print(index, t.tolist(), t._version)
    except RuntimeError as error:
        print(index, error)


for index in (..., (), slice(None), 0, (slice(None), 0), (slice(None), slice(0, 1)), torch.tensor([0])):
    for value in (1, 2.5, torch.ones(()), torch.ones(2), torch.ones(1)):
        written(torch.zeros(1, 2).expand(2, 2), index, value)
        written(torch.zeros(2, 1).expand(2, 2), index, value)
written(torch.zeros(()).expand(2), 0, 3)
written(torch.zeros(2).expand(0, 2), ..., 3)
t = torch.zeros(2).expand(3, 2)
print(t.fill_(1), t.zero_(), t[:1].fill_(torch.ones(())))
try:
    t.fill_(torch.ones(()))
except RuntimeError as error:
    print(error)
