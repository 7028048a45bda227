# expect: nonfinite diverged model.weight, model.bias
# check: nonfinite(model.weight)
import torch

torch.manual_seed(0)
celsius = torch.linspace(-20, 120, 60).unsqueeze(1)
fahrenheit = celsius * 1.8 + 32

model = torch.nn.Linear(1, 1)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # <- here

for epoch in range(60):
    prediction = model(celsius)  # <- here
    loss = criterion(prediction, fahrenheit)  # <- here
    optimizer.zero_grad()
    loss.backward()  # <- here
    optimizer.step()
    if epoch % 10 == 0:
        print("epoch {}, loss {}".format(epoch, loss.item()))
