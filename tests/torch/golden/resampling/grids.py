# grid_sample and affine_grid: modes, paddings, corners, gradients.
import torch
import torch.nn.functional as F

torch.set_printoptions(precision=2, sci_mode=False)
image = (torch.arange(1.0, 25.0) ** 2 % 11).reshape(1, 2, 3, 4).requires_grad_()
volume = (torch.arange(1.0, 25.0) ** 2 % 11).reshape(1, 1, 2, 3, 4).requires_grad_()
points = torch.tensor([[0.3, -0.7], [-1.3, 0.2], [1.7, 2.9], [0.1, 0.45]]).reshape(1, 2, 2, 2).requires_grad_()
places = torch.tensor([[0.3, -0.7, 0.15], [-1.35, 0.25, 2.2]]).reshape(1, 1, 1, 2, 3).requires_grad_()
for x, grid, modes in ((image, points, ("bilinear", "nearest", "bicubic")), (volume, places, ("bilinear", "nearest"))):
    for mode in modes:
        for padding in ("zeros", "border", "reflection"):
            for corners in (False, True):
                out = F.grid_sample(x, grid, mode, padding, corners)
                g, h = torch.autograd.grad(out.pow(2).sum(), (x, grid), create_graph=True)
                print(mode, padding, corners, out.detach().flatten() + 0, out.grad_fn.name(), g.grad_fn.name())
                print(g.detach().flatten()[:12].round(decimals=2) + 0, h.detach().flatten().round(decimals=2) + 0)
theta = torch.tensor([[[1.0, 0.5, 0.25], [0.0, -2.0, 0.5]]], requires_grad=True)
turns = torch.tensor([[[1.0, 0.5, 0.25, 0.0], [0.0, -2.0, 0.5, 1.0], [0.5, 0.0, 0.0, 0.25]]])
for corners in (False, True):
    grid = F.affine_grid(theta, (1, 1, 2, 3), corners)
    print(grid, torch.autograd.grad(grid.pow(2).sum(), theta)[0])
    print(F.affine_grid(turns, torch.Size((1, 1, 2, 1, 2)), corners))
print(F.affine_grid(theta, (1, 1, 1, 1)).shape, F.grid_sample(image, points).shape)
calls = [
    lambda: F.grid_sample(image, points, mode="cubic"),
    lambda: F.grid_sample(image, points, padding_mode="none"),
    lambda: F.grid_sample(image, points[0], align_corners=False),
    lambda: F.grid_sample(image, places, align_corners=False),
    lambda: F.grid_sample(image, points.repeat(2, 1, 1, 1), align_corners=False),
    lambda: F.grid_sample(image[:, :, :0], points, align_corners=False),
    lambda: F.grid_sample(image, points.double(), align_corners=False),
    lambda: F.grid_sample(image.int(), points.int(), align_corners=False),
    lambda: F.grid_sample(volume, places, mode="bicubic", align_corners=False),
    lambda: F.affine_grid(theta.int(), (1, 1, 2, 2), align_corners=False),
    lambda: F.affine_grid(theta, (1, 1, 2), align_corners=False),
    lambda: F.affine_grid(theta, (1, 1, 2, 2, 2), align_corners=False),
    lambda: F.affine_grid(theta[0], (1, 1, 2, 2), align_corners=False),
    lambda: F.affine_grid(theta, (1, 1, 0, 2), align_corners=False),
    lambda: F.affine_grid(theta, (2, 1, 2, 2), align_corners=False),
    lambda: torch.affine_grid_generator(theta, (1, 1, 2), False),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, ValueError, NotImplementedError) as e:
        print(type(e).__name__, e)
