"""The demo that lives: a small platform inside the service, whose day takes 24 minutes and which applies decisions."""
