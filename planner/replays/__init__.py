"""What a policy would have done over stored intervals."""
