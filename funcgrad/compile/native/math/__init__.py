"""Functions of floating-point numbers in machine code, without branches and tables, one file for each family."""
