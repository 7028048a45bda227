"""What knows no Tensor: dtypes, storages, modes, the text of arrays, generators and the numbers they draw."""
