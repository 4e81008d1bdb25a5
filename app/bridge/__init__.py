"""The bridge between a stream-processing engine and the service: it measures, asks for decisions, and applies
them.
"""
