import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
data, detached = y.data, y.detach()
print(y is data, y is detached, data is detached, id(y) == id(data), id(y) == id(detached))
print(y.data is y.data, y.detach() is y.detach())
print(y.data_ptr() == data.data_ptr() == detached.data_ptr())
print(y.untyped_storage().data_ptr() == data.untyped_storage().data_ptr())
print(y.untyped_storage().data_ptr() == detached.untyped_storage().data_ptr())
for t in (y, data, detached):
    print(t, t.requires_grad, t.is_leaf, t.grad_fn is None, t._version)
detached.add_(1)
print(y, data, detached)
print(y._version, data._version, detached._version)
data.add_(1)
print(y, data, detached)
print(y._version, data._version, detached._version)
print(y.clone().data_ptr() == y.data_ptr(), x.data_ptr() == y.data_ptr())
