"""The demo over HTTP: `/v1/demo`."""
