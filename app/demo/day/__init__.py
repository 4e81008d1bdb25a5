"""The demo `demo`: a day of measurements and decisions, stored at once."""
