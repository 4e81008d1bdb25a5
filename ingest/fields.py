"""The fields of a raw record, and where those stand that are not read yet."""

FIELDS = (
    "topology",
    "operator",
    "instance",
    "tuple_id",
    "from_operator",
    "arrived_at",
    "started_at",
    "finished_at",
    "sample_every",
    "sampling",
)
EVERY_NTH, RANDOM = "every-nth", "random"
TIMES = ("arrived_at", "started_at", "finished_at")
# A column of lines, and the reason that stands in for theirs until they are read.
UNREAD = "unread"
