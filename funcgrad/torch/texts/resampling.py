"""PyTorch's words about resampling."""

from __future__ import annotations

SPATIAL_DIMENSIONS = (
    "Expected static_cast<int64_t>({name}->size()) == spatial_dimensions to be true, but got false.  (Could this error "
    "message be improved?  If so, please report an enhancement request to PyTorch.)"
)
DIMENSIONS = "It is expected input_size equals to {ndim}, but got size {found}"
NON_EMPTY = "Non-empty {ndim}D data tensor expected but got a tensor with sizes {shape}"
POSITIVE_SIZES = "Input and output sizes should be greater than 0, but got input {before}{between} output {after}"
ALIGN_CORNERS = (
    "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
)
SIZE_DIMENSIONS = (
    "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
    "{shape} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output "
    "size in (o1, o2, ...,oK) format."
)
FACTOR_DIMENSIONS = (
    "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of "
    "{shape} and scale_factor of shape {factors}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
    "scale_factor in (s1, s2, ...,sK) format."
)
SIZE_TYPES = (
    "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size with types "
    "{types}"
)
ANTIALIAS = "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
NO_MODE = (
    "Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | bilinear "
    "| bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
)
GRID_MODE = "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
GRID_PADDING = (
    "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{mode}'"
)
GRID_CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
GRID_BATCH = (
    "grid_sampler(): expected grid and input to have same batch size, but got input with sizes {input} and grid with "
    "sizes {grid}"
)
GRID_LAST = "grid_sampler(): expected grid to have size {count} in last dimension, but got grid with sizes {grid}"
GRID_EMPTY = (
    "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {input} with dimension "
    "{dim} being empty"
)
GRID_DIMENSIONS = (
    "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes {input} "
    "and grid with sizes {grid}"
)
AFFINE_MATRICES = (
    "Expected a batch of {count}D affine matrices of shape Nx{rows}x{columns} for size {size}. Got {found}."
)
AFFINE_SIZE = (
    "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}."
)
AFFINE_UNIT = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)
AFFINE_BATCH = (
    "Expected size for first two dimensions of batch2 tensor to be: [{n}, {columns}] but got: [{found}, {columns}]."
)
PIXEL_DIMENSIONS = "{function} expects input to have at least 3 dimensions, but got input with {ndim} dimension(s)"
PIXEL_CHANNELS = (
    "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
    "input.size(-3)={channels} is not divisible by {square}"
)
PIXEL_SIZES = (
    "pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={size} is not divisible "
    "by {factor}"
)
CHANNEL_DIMENSIONS = "channel_shuffle expects input with > 2 dims, but got input with sizes {shape}"
CHANNEL_GROUPS = "Number of groups to divide channels in must be positive. Value of groups:{groups}"
CHANNELS_IN_GROUPS = "Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
