"""How a torch function is declared: its row, its signatures, what it says of arguments that do not fit."""
