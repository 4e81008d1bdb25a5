"""Verdicts and findings as people and CI systems read them: lines, JUnit, GitHub."""
