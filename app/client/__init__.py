"""A client of the service for other programs: `headgate.client`. It imports nothing else of Headgate."""
