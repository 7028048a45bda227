import torch

print(torch.Tensor([1, 2]), torch.Tensor(2, 3).shape, torch.Tensor().shape)
print(torch.FloatTensor([1, 2]), torch.DoubleTensor([1, 2]).dtype, torch.LongTensor([1, 2]))
print(torch.IntTensor([1]).dtype, torch.BoolTensor([True, False]), torch.ByteTensor([255]))
print(torch.FloatTensor([1]).type(), torch.ones(1, dtype=torch.int16).type())
print(torch.Tensor([1]).requires_grad, isinstance(torch.ones(1), torch.FloatTensor))
print(isinstance(torch.ones(1), torch.Tensor), isinstance(torch.ones(1).double(), torch.FloatTensor))
for bad in (lambda: torch.LongTensor([1.5]), lambda: torch.Tensor(2.5), lambda: torch.FloatTensor("a")):
    try:
        print(bad())
    except (RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, e)
