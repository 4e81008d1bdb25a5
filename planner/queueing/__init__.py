"""One operator: how long a tuple waits and how much one more processor helps; E[T] is their sum."""
