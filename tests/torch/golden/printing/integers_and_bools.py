import torch

print(torch.tensor([1, 20, -300]))
print(torch.tensor([[1, 2], [300, -4]]))
print(torch.tensor([True, False]), torch.tensor([[True], [False]]), torch.tensor(False))
print(torch.tensor(5), torch.tensor([255], dtype=torch.uint8), torch.tensor(7, dtype=torch.int8))
print(torch.tensor([2**62, -1]), torch.tensor([], dtype=torch.int32), torch.tensor([]))
print(torch.zeros(0, 3), torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0, dtype=torch.bool))
print(torch.zeros((2, 3), dtype=torch.int16))
