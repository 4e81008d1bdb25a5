"""Database sessions, stored versions and the embedded Postgres."""
