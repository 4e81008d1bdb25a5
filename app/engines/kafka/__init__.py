"""Kafka: a group of consumers as one operator, by the offsets of its partitions."""
