"""The two ways to run a simulated system in compiled code: event by event, and station by station."""
