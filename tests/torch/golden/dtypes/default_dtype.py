import torch

print(torch.get_default_dtype())
torch.set_default_dtype(torch.float64)
print(torch.tensor([1.5]), torch.zeros(1), torch.arange(2.0), torch.tensor([1]) / 2, torch.tensor(1j).dtype)
print(torch.tensor([1.5], dtype=torch.float32), torch.ones(2).float())
torch.set_default_dtype(torch.float16)
print(torch.tensor([1.5]), torch.ones(1).double())
torch.set_default_dtype(torch.float32)
print(torch.tensor([1.5]), torch.tensor([1.5], dtype=torch.float64))
for bad in (torch.int64, "float"):
    try:
        torch.set_default_dtype(bad)
    except TypeError as e:
        print(e)
