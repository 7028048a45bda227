# check: run[0] > 12
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    return torch.mm(features, features.t()).div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


cnn = nn.Sequential(
    nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(4, 6, 3, padding=1), nn.ReLU(inplace=True)
).eval()
content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
model, content_losses, style_losses = nn.Sequential(), [], []
i = 0
for layer in cnn.children():
    if isinstance(layer, nn.Conv2d):
        i += 1
        name = f"conv_{i}"
    else:
        name = f"relu_{i}"
        layer = nn.ReLU(inplace=False)
    model.add_module(name, layer)
    if name == "conv_2":
        cl = ContentLoss(model(content).detach())
        model.add_module("content_loss", cl)
        content_losses.append(cl)
    if name.startswith("conv"):
        sl = StyleLoss(model(style).detach())
        model.add_module(f"style_loss_{i}", sl)
        style_losses.append(sl)
input_img = content.clone()
input_img.requires_grad_(True)
model.eval()
model.requires_grad_(False)
optimizer = torch.optim.LBFGS([input_img], max_iter=4)
run = [0]
while run[0] <= 12:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_img)
        style_score, content_score = 0, 0
        for sl in style_losses:
            style_score += sl.loss
        for cl in content_losses:
            content_score += cl.loss
        style_score *= 1000
        loss = style_score + content_score
        loss.backward()
        run[0] += 1
        if run[0] % 5 == 0:
            print("run {}: Style {:4f} Content {:4f}".format(run, style_score.item(), content_score.item()))
        return style_score + content_score

    optimizer.step(closure)
with torch.no_grad():
    input_img.clamp_(0, 1)
