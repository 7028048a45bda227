"""PyTorch's words about `autograd.Function`: operations with a backward of one's own."""

INSTANTIATED = (
    "{kind} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on "
    "the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)
NON_STATIC = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
    "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
LEGACY_ATTRIBUTE = (
    "Attribute '{name}' is invalid for this instance of _C._FunctionBase. Accessing this attribute directly on an "
    "instance of autograd.Function is a legacy access pattern that is no longer supported. For examples on how to use "
    "new-style autograd functions, see https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function "
)
ONCE_DIFFERENTIABLE = "trying to differentiate twice a function that was marked with @once_differentiable"
SAVED_FOR_FORWARD = (
    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
)
NODE_GONE = "{kind}: the node that this belonged to is gone; hold on to its output"
BACKWARD_AND_VJP = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
    "them."
)
GRADIENT_COUNT = "function {name} returned an incorrect number of gradients (expected {expected}, got {got})"
GRADIENT_OF_NO_TENSOR = (
    "function {name} returned a gradient different than None at position {position}, but the corresponding forward "
    "input was not a Variable"
)
DIRTY_NO_TENSOR = "mark_dirty can only accept variables, but argument "
CONSTANT_NO_TENSOR = "mark_non_differentiable only accepts variable arguments, but got "
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
    "modified inplace must all be outputs of the Function."
)
DIRTY_LEAF = "a leaf Variable that requires grad has been used in an in-place operation."
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
SAVED_AS_IS = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup "
    "ctx inside the forward function itself."
)
NO_TUPLE = "autograd internal error: {name} attribute is expected to be a tuple but is "
SAVED_NO_TENSOR = "save_for_backward can only save variables, but argument {k} is of type {kind}"
TANGENT_TYPE = "expected Variable or None (got {kind}) for grad output {k}."
TANGENT_COUNT = "Function's jvp returned an invalid number of forward gradients (expected {expected} but got {got})"
TANGENT_OF_CONSTANT = (
    "Function's jvp returned a gradient at position {k}, but  the corresponding forward output is not a "
    "differentiable Tensor.You should return None at that position instead."
)
TANGENT_NOT_WRITTEN = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
TANGENT_NOT_RETURNED = (
    "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying an "
    "input inplace, then the jvp function must modify the gradient inplace and return it as-is."
)
TANGENT_NO_VIEW = (
    "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
)
TANGENT_VIEW_OF_OTHER = (
    "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
)
TANGENT_OTHER_BASE = (
    "A custom Function is returning a view but the jvp is not returning a view of the same base as the given grad "
    "input."
)
NO_SETUP_CONTEXT = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    "the setup_context staticmethod. "
    "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
KEYWORD_TENSORS = (
    "Run with kwarg-only Tensor args: a custom Function inside a transform of torch.func takes tensors by position. "
    "Please pass them positionally"
)
VMAP_TWICE = (
    "You tried to vmap over {name}, but it has both generate_vmap_rule=True and an overriden vmap staticmethod. "
    "Please set generate_vmap_rule=False or delete the overriden vmap staticmethod to avoid ambiguity. "
    "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
VMAP_NEVER = (
    "You tried to vmap over {name}, but it does not have vmap support. Please override and implement the vmap "
    "staticmethod or set generate_vmap_rule=True. "
    "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
VMAP_RETURNS = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with "
    "the output. "
)
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
NO_VMAP = (
    "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
)
