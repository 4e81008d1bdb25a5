"""What must be done in time: E[T], or a quantile or a mean of drawn times, behind one protocol."""
