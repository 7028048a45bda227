import torch

for scramble in (False, True):
    engine = torch.quasirandom.SobolEngine(3, scramble, 5)
    print(engine)
    print(engine.draw(3))
    print(engine.fast_forward(4).draw(2, dtype=torch.float64))
    print(engine.reset().draw_base2(2))
    try:
        engine.draw_base2(1)
    except ValueError as e:
        print(e)
out = torch.empty(2, 60)
print(torch.quasirandom.SobolEngine(60).draw(2, out=out) is out, out[1, :3], torch.quasirandom.SobolEngine.MAXDIM)
print(torch.quasirandom.SobolEngine(500).draw(100).mean(0).sum().mul(100).round())
for dimension in (0, 30000):
    try:
        torch.quasirandom.SobolEngine(dimension)
    except ValueError as e:
        print(e)
