import torch

torch.manual_seed(5)
mu = torch.tensor([0.0, 1.0], requires_grad=True)
sigma = torch.tensor([1.0, 2.0], requires_grad=True)
eps = torch.randn(2)
z = mu + sigma * eps
print(z, eps)
z.sum().backward()
print(mu.grad, sigma.grad)
n = torch.normal(mu, sigma)
print(n.requires_grad, n.grad_fn)
b = torch.bernoulli(torch.sigmoid(mu))
print(b, b.requires_grad)
b.sum().backward()
print(mu.grad)
u = torch.rand_like(mu)
print(u.requires_grad, u)
w = torch.rand(2, requires_grad=True)
(w * w).sum().backward()
print(w.is_leaf, torch.equal(w.grad, 2 * w.detach()))
x = torch.zeros(2, requires_grad=True)
try:
    x.normal_()
except RuntimeError as e:
    print(e)
y = x * 1
y.normal_()
print(y)
y.sum().backward()
print(x.grad)
with torch.no_grad():
    x.uniform_(-1, 1)
print(x, x._version)
