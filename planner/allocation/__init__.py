"""The search: processors for operators, by the largest gain first."""
