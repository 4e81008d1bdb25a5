"""What to change now, under the terms of a topology's owner."""
