"""The computations that are compared: one file for each, with the versions of all libraries side by side."""

from cases import chain, elementwise, hessian, mlp, networks, per_example, rnn, torch_face

CASES = [
    *chain.CASES,
    *torch_face.CASES,
    *mlp.SMALL,
    *per_example.CASES,
    *hessian.CASES,
    *rnn.CASES,
    *mlp.LARGE,
    *elementwise.CASES,
    *networks.CASES,
]

__all__ = ["CASES"]
