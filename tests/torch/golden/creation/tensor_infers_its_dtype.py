import torch

for data in (
    1,
    1.5,
    True,
    1j,
    [1, 2],
    [1, 2.5],
    [True, 2],
    [1, 2j],
    [],
    [[]],
    [[1, 2], [3, 4]],
    (1, (2)),
    [True, False],
):
    t = torch.tensor(data)
    print(data, t.dtype, tuple(t.shape), t)
for data in ([[1, 2], [3]], ["a"], [None], [1, [2]], None, {"a": 1}):
    try:
        print(torch.tensor(data))
    except (ValueError, TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
