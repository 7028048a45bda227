import torch


@torch.no_grad()
def numbers(x):
    for k in range(2):
        sent = yield x * k
        print("inside", torch.is_grad_enabled(), sent)
    return "done"


x = torch.ones(1, requires_grad=True)
for y in numbers(x):
    print(y, torch.is_grad_enabled(), x * 2)
it = numbers(x)
next(it)
print(it.send("hello"))
it.close()
print(torch.is_grad_enabled())
