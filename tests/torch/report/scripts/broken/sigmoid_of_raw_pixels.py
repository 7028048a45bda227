# expect: zero saturated-sigmoid layer.weight, layer.bias
# check: zero(layer.weight, layer.bias)
# inputs between 0 and 255, never normalised
import torch

torch.manual_seed(1)
images = torch.randint(100, 256, (50, 64)).float()
labels = torch.rand(50, 4)

layer = torch.nn.Linear(64, 4)
with torch.no_grad():
    layer.weight.copy_(torch.rand(4, 64))
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

for epoch in range(10):
    activation = torch.sigmoid(layer(images))  # <- here
    loss = torch.mean((activation - labels) ** 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
