import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for y in (
    x.double(),
    x.half(),
    x.to(torch.float64),
    x.type(torch.float64),
    x.to(torch.complex64),
    x.double().float(),
    x.type_as(torch.zeros(1, dtype=torch.float64)),
    x.to(torch.zeros(1, dtype=torch.float64)),
    x.to("cpu", torch.float64),
    x.cfloat(),
):
    print(y, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
print(x.float() is x, x.cpu() is x, x.to("cpu") is x, x.contiguous() is x, x.int().grad_fn)
x.double().sum().backward()
print(x.grad)
