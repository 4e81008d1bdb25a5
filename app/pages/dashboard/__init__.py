"""The dashboard: pages at /ui/ over the public API."""
