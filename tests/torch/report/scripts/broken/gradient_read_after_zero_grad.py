# expect: error|loss gradient-cleared-before-it-is-read net.weight
# check: raised("NoneType")
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(10, 3)
norms = []
for epoch in range(3):
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()  # <- here
    norms.append(net.weight.grad.norm().item())  # <- here
print(norms)
