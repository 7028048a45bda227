"""The methods that the author of a custom Function writes; here they say so where the author did not."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.texts import custom_functions as texts


class Unwritten:
    """A Function of which nothing is written; a method is its own if it is another one than here."""

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The operation: forward(ctx, *args), or forward(*args) where setup_context is written, too."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Save what backward needs, given the arguments and the result of forward."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments (None for what is no tensor), given those of the results."""
        raise NotImplementedError(texts.NO_BACKWARD)

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the results, given those of the arguments."""
        raise NotImplementedError(texts.NO_JVP)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """How the Function acts on arguments with a batch dimension: (outputs, their batch dimensions)."""
        raise NotImplementedError(texts.NO_VMAP)
