"""Which database is used; a Postgres for machines without one."""
