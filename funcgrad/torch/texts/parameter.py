"""PyTorch's words about parameters and buffers."""

OTHER_DETACH = (
    "Creating a Parameter from an instance of type {given} requires that detach() returns an instance of the same "
    "type, but return type {detached} was found instead. To use the type as a Parameter, please correct the "
    "detach() semantics defined by its __torch_dispatch__() implementation."
)
NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` to "
    "initialize the parameters before accessing their attributes."
)
NO_MEMORY = (
    "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
    "calling `module.share_memory()`."
)
UNINITIALIZED = (
    "Attempted to use an uninitialized parameter in {called}. This error happens when you are using a `LazyModule` or "
    "explicitly manipulating `torch.nn.parameter.{name}` objects. When using LazyModules Call `forward` with a dummy "
    "batch to initialize the parameters before calling torch functions"
)
