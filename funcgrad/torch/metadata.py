"""What is said of the package torch to programs that ask which packages are installed."""

from __future__ import annotations

from importlib.metadata import Distribution, DistributionFinder
from os import PathLike
from typing import Any

from funcgrad.torch.version import torch_version


class TorchDistribution(Distribution):
    """The name and the version of torch; there are no files."""

    def read_text(self, filename: str) -> str | None:
        """The file METADATA."""
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {torch_version}\n" if filename == "METADATA" else None

    def locate_file(self, path: str | PathLike[str]) -> Any:
        """No file is there.

        Raises:
            FileNotFoundError: always.
        """
        raise FileNotFoundError(path)


def distributions(context: DistributionFinder.Context) -> list[Distribution]:
    """The distribution of torch, if that is asked for by its name."""
    return [TorchDistribution()] if context.name == "torch" else []
