"""A topology under a load: what reaches each operator, E[T] with its evidence, and what an answer must say of both."""
