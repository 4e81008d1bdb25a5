"""Discrete events in compiled code: the referee of every formula here."""
