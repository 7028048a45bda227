# expect: loss detached-between-encoder-and-decoder model.encoder.0.weight, model.encoder.0.bias, model.encoder.2.weight, model.encoder.2.bias
# check: missing(*model.encoder.parameters()) and not missing(model.decoder[0].weight)
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class AutoEncoder(nn.Module):
    def __init__(self, n_features=12, n_code=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_features, 8), nn.ReLU(), nn.Linear(8, n_code))
        self.decoder = nn.Sequential(nn.Linear(n_code, 8), nn.ReLU(), nn.Linear(8, n_features))

    def forward(self, x):
        code = self.encoder(x)
        self.last_code = code.detach()  # <- here
        return self.decoder(self.last_code)


basis = torch.randn(3, 12)
data = torch.randn(128, 3) @ basis
model = AutoEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(10):
    for batch in data.split(32):
        optimizer.zero_grad()
        reconstruction = model(batch)
        loss = F.mse_loss(reconstruction, batch)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
