"""The primitives, by family. One declaration says everything about an operation; see funcgrad/core/primitive.py."""
