"""The demos: a made-up day that is stored at once, and a platform that lives inside the service."""
