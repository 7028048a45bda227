import os
import tempfile

import numpy as np
import torch

with tempfile.TemporaryDirectory() as folder:
    files = []

    def pack(x):
        files.append(os.path.join(folder, f"{len(files)}.npy"))
        np.save(files[-1], x.detach().numpy())
        return files[-1]

    def unpack(name):
        print("loading", os.path.basename(name))
        return torch.from_numpy(np.load(name))

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x + x.exp().log()
    print(len(files), [os.path.basename(name) for name in files])
    y.sum().backward()
    print(x.grad)
