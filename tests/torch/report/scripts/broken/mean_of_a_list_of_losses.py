# expect: loss tensor-made-of-tensors model.weight, model.bias
# check: missing(model.weight, model.bias)
import torch

torch.manual_seed(0)
xs = [torch.randn(n, 3) for n in (4, 7, 5)]  # sequences of different lengths
ys = [x.sum(dim=1, keepdim=True) for x in xs]

model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
criterion = torch.nn.MSELoss()

for epoch in range(15):
    losses = []
    for x, y in zip(xs, ys):
        losses.append(criterion(model(x), y))
    total = torch.tensor(losses, requires_grad=True).mean()  # <- here
    opt.zero_grad()
    total.backward()
    opt.step()
    if epoch % 5 == 0:
        print(epoch, float(total))
