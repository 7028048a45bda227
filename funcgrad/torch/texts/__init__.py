"""PyTorch's words: the texts of its errors and warnings, a file for each family. Fields are filled with `format`."""
