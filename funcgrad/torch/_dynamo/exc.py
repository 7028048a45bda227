"""`torch._dynamo.exc`: what torch.compile raises."""

from __future__ import annotations

from funcgrad.core.faces import publish

__all__ = ["InvalidBackend", "TorchDynamoException", "Unsupported"]


class TorchDynamoException(RuntimeError):  # noqa: N818  (torch's name)
    """What torch.compile raises."""


class Unsupported(TorchDynamoException):
    """A function cannot be recorded as a whole."""


class Later(TorchDynamoException):
    """A function has to run eagerly once before it is recorded: no error that anybody sees."""


class InvalidBackend(TorchDynamoException):
    """There is no such backend."""


publish(__name__)
