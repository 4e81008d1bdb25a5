"""The allocation of processors to operators: the operator with the largest gain gets the next processor."""
