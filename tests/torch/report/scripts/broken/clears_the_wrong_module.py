# expect: doubled another-module-is-cleared decoder.weight, decoder.bias
# check: doubled(decoder.weight, decoder.bias)
import torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(6, 2), torch.nn.Linear(2, 6)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.05)
x = torch.randn(50, 6)
for step in range(8):
    encoder.zero_grad()  # <- here
    loss = (decoder(encoder(x)) - x).abs().mean()
    loss.backward()  # <- here
    optimizer.step()
    print(loss.item())
