"""PyTorch's words about recurrent networks and packed sequences."""

INPUT_SIZE = "input has inconsistent input_size: got {found} expected {expected}"
HIDDEN_BATCH = "Input batch size {n} doesn't match hidden{which} batch size {m}"
HIDDEN_SIZE = "hidden{which} has inconsistent hidden_size: got {found}, expected {expected}"
WEIGHT_ROWS = "weight_{which} first dim must be {gates} * hidden_size = {expected}, but got {found}"
NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
    "need ONNX exportability."
)
NOT_POSITIVE = "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
LENGTH_COUNT = "Expected `len(lengths)` to be equal to batch_size, but got {found} (batch_size={n})"
NOT_LENGTHS = "'lengths' argument should be a 1D CPU int64 tensor, but got {ndim}D cpu {kind} tensor"
TOTAL_LENGTH = (
    "Expected total_length to be at least the length of the longest sequence in input, but got "
    "total_length={total} and max sequence length being {longest}"
)
BATCH_SIZES_DEVICE = (
    "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should be "
    "instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
    "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
)
NO_ITERABLE = "pad_sequence: Expected iterable for input sequences, but got arg of type: {kind}"
DROPOUT_RANGE = "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
DROPOUT_UNUSED = (
    "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater "
    "than 1, but got dropout={dropout} and num_layers={num_layers}"
)
PROJECTION_SIGN = "proj_size should be a positive integer or zero to disable projections"
INPUT_DTYPE = (
    "RNN input dtype ({found}) does not match weight dtype ({expected}). Convert input: input.to({expected}), or "
    "convert model: model.to({found})"
)
LAST_SIZE = "input.size(-1) must be equal to input_size. Expected {expected}, got {found}"
NONLINEARITY = "Unknown nonlinearity '{name}'. Select from 'tanh' or 'relu'."
UNBATCHED_STATE = "For unbatched 2-D input, hx should also be 2-D but got {found}-D tensor"
BATCHED_STATE = "For batched 3-D input, hx should also be 3-D but got {found}-D tensor"
STATES_NDIM = "For {kind} {n}-D input, hx and cx should also be {n}-D but got ({h}-D, {c}-D) tensors"
APPLY_PERMUTATION = "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead"
