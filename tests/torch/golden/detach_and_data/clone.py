import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = x.clone()
print(c, c.is_leaf, c.data_ptr() == x.data_ptr(), c._version)
c.mul_(5)
print(c, x)
c.sum().backward()
print(x.grad)
for t in (x.clone().detach(), x.detach().clone(), x.clone().data):
    print(t, t.requires_grad, t.is_leaf, t.data_ptr() == x.data_ptr(), t._version)
t = torch.arange(6.0).view(2, 3).t()
print(t.clone().stride(), t.clone(memory_format=torch.contiguous_format).stride())
e = torch.tensor([1.0]).expand(3)
print(e.stride(), e.clone().stride())
