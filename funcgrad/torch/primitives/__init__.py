"""Primitives with PyTorch's conventions, where these differ from the functional face's."""
