import torch

matrices = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[True, False], [False, True]]), torch.ones(2, 2)
vectors = torch.tensor([1, 2]), torch.tensor([True, False]), torch.tensor([1.0, 2.0])
factors = (2, 3), (0, 2), (True, True), (True, 1), (1, False), (2.5, 1), (1, 1.5), (True, 2.0), (0.0, True)
for x in matrices:
    for a in vectors:
        for beta, alpha in factors:
            try:
                found = torch.addr(x, a, vectors[0], beta=beta, alpha=alpha)
                print(x.dtype, a.dtype, beta, alpha, found.dtype, found.tolist())
            except RuntimeError as e:
                print(x.dtype, a.dtype, beta, alpha, e)
bools = matrices[1], vectors[1], vectors[1]
print(torch.addr(*bools), torch.addr(*bools, beta=False), torch.addr(*bools, alpha=False))
