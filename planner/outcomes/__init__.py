"""Outcomes of decisions: the observed outcome, and disagreements with a report."""
