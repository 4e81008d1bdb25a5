"""Tables, database sessions, stored versions and the embedded Postgres."""
