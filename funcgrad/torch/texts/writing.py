"""PyTorch's words about tensors that may not be written into: leaves and views, and out= of another dtype."""

LEAF_WRITTEN = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF_WRITTEN = "a view of a leaf Variable that requires grad is being used in an in-place operation."
OVERLAPS_ITSELF = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)
VIEW_OF_CUSTOM_FUNCTION = (
    "{why} This view was created inside a custom Function (or because an input was returned as-is) and the "
    "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, "
    "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the "
    "custom Function."
)
VIEW_OF_MODE = (
    "{why} Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the {block} block (if you don't want the inplace to "
    "be tracked) or both outside (if you want the inplace to be tracked)."
)
VIEW_OF_MANY = (
    "{why} This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
NOT_THE_DTYPE = "Expected out tensor to have dtype {expected_c}, but got {found_c} instead"
NOT_CASTABLE = (
    "{function}: Expected {result} to be safely castable from {expected} dtype, but got {result} with dtype {found}"
)
