"""The operations of torch, by family. Importing a module installs its methods on Tensor and fills `declare.exports`."""
