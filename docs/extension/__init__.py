"""What Sphinx does not know of these pages: our docstrings, drawings, examples, and the links of a repository."""
