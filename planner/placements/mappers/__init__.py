"""The rules by which threads are mapped to slots, and what they share."""
