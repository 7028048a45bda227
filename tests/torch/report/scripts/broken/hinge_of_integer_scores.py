# expect: error|loss integers-have-no-gradient net.weight, net.bias
# check: raised("element 0 of tensors does not require grad")
import torch

torch.manual_seed(1)
net = torch.nn.Linear(6, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(30, 6)
stars = torch.randint(1, 6, (30, 1))
for epoch in range(3):
    predicted = net(x).int()  # <- here
    loss = (predicted - stars).abs().float().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
