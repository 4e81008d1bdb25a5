"""The platform of the demos: the made-up day, and a job whose tuples, queues and pauses are simulated."""
