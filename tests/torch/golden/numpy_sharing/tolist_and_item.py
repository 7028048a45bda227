import numpy as np
import torch

t = torch.tensor([[1.5, 2.0], [3.0, -4.25]])
print(t.tolist(), type(t.tolist()[0][0]).__name__, t[0, 0].item(), torch.tensor([1, 2]).tolist())
print(torch.tensor(True).item(), torch.tensor(1 + 2j).item(), torch.tensor(7).tolist())
print(np.array(t.tolist()), t.numpy().tolist() == t.tolist())
print(torch.tensor(0.1).item(), torch.tensor(0.1, dtype=torch.float64).item(), torch.tensor(0.1).double())
print(list(t), [row.sum().item() for row in t], len(t))
print(torch.tensor(3).__index__(), [10, 20, 30, 40][torch.tensor(3)], range(torch.tensor(2)))
print(float(torch.tensor(2)), int(torch.tensor(2.75)), complex(torch.tensor(2.0)))
